import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from latchkey.v1 import api_key_pb2 as _api_key_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class KeyHash(_message.Message):
    __slots__ = ("algorithm", "digest", "pepper")
    ALGORITHM_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    PEPPER_FIELD_NUMBER: _ClassVar[int]
    algorithm: str
    digest: str
    pepper: str
    def __init__(self, algorithm: _Optional[str] = ..., digest: _Optional[str] = ..., pepper: _Optional[str] = ...) -> None: ...

class ImportedRow(_message.Message):
    __slots__ = ("tenant_id", "hash", "key", "key_format", "public_part", "key_prefix", "name", "description", "permissions", "rate_limit", "expires_at", "created_at", "external_id", "metadata", "allowed_ips", "allow_browser", "disabled", "revoked_at", "key_type", "publishable_config", "allowed_origins")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    KEY_FORMAT_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_PART_FIELD_NUMBER: _ClassVar[int]
    KEY_PREFIX_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    PERMISSIONS_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_IPS_FIELD_NUMBER: _ClassVar[int]
    ALLOW_BROWSER_FIELD_NUMBER: _ClassVar[int]
    DISABLED_FIELD_NUMBER: _ClassVar[int]
    REVOKED_AT_FIELD_NUMBER: _ClassVar[int]
    KEY_TYPE_FIELD_NUMBER: _ClassVar[int]
    PUBLISHABLE_CONFIG_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_ORIGINS_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    hash: KeyHash
    key: str
    key_format: str
    public_part: str
    key_prefix: str
    name: str
    description: str
    permissions: _containers.RepeatedScalarFieldContainer[str]
    rate_limit: _api_key_pb2.RateLimit
    expires_at: _timestamp_pb2.Timestamp
    created_at: _timestamp_pb2.Timestamp
    external_id: str
    metadata: _struct_pb2.Struct
    allowed_ips: _containers.RepeatedScalarFieldContainer[str]
    allow_browser: bool
    disabled: bool
    revoked_at: _timestamp_pb2.Timestamp
    key_type: _api_key_pb2.KeyType
    publishable_config: _api_key_pb2.PublishableConfig
    allowed_origins: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, tenant_id: _Optional[str] = ..., hash: _Optional[_Union[KeyHash, _Mapping]] = ..., key: _Optional[str] = ..., key_format: _Optional[str] = ..., public_part: _Optional[str] = ..., key_prefix: _Optional[str] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., permissions: _Optional[_Iterable[str]] = ..., rate_limit: _Optional[_Union[_api_key_pb2.RateLimit, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., external_id: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., allowed_ips: _Optional[_Iterable[str]] = ..., allow_browser: bool = ..., disabled: bool = ..., revoked_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., key_type: _Optional[_Union[_api_key_pb2.KeyType, str]] = ..., publishable_config: _Optional[_Union[_api_key_pb2.PublishableConfig, _Mapping]] = ..., allowed_origins: _Optional[_Iterable[str]] = ...) -> None: ...

class ImportResult(_message.Message):
    __slots__ = ("index", "status", "key_id", "reason", "field", "message")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    index: int
    status: str
    key_id: str
    reason: str
    field: str
    message: str
    def __init__(self, index: _Optional[int] = ..., status: _Optional[str] = ..., key_id: _Optional[str] = ..., reason: _Optional[str] = ..., field: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class ExportedKey(_message.Message):
    __slots__ = ("key", "hash", "public_part")
    KEY_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_PART_FIELD_NUMBER: _ClassVar[int]
    key: _api_key_pb2.ApiKey
    hash: KeyHash
    public_part: str
    def __init__(self, key: _Optional[_Union[_api_key_pb2.ApiKey, _Mapping]] = ..., hash: _Optional[_Union[KeyHash, _Mapping]] = ..., public_part: _Optional[str] = ...) -> None: ...
