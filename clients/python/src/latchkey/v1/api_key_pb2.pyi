import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from latchkey.v1 import audit_pb2 as _audit_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class KeyType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KEY_TYPE_UNSPECIFIED: _ClassVar[KeyType]
    KEY_TYPE_SECRET: _ClassVar[KeyType]
    KEY_TYPE_PUBLISHABLE: _ClassVar[KeyType]

class KeyStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KEY_STATUS_UNSPECIFIED: _ClassVar[KeyStatus]
    KEY_STATUS_ACTIVE: _ClassVar[KeyStatus]
    KEY_STATUS_EXPIRED: _ClassVar[KeyStatus]
    KEY_STATUS_DISABLED: _ClassVar[KeyStatus]
    KEY_STATUS_REVOKED: _ClassVar[KeyStatus]
KEY_TYPE_UNSPECIFIED: KeyType
KEY_TYPE_SECRET: KeyType
KEY_TYPE_PUBLISHABLE: KeyType
KEY_STATUS_UNSPECIFIED: KeyStatus
KEY_STATUS_ACTIVE: KeyStatus
KEY_STATUS_EXPIRED: KeyStatus
KEY_STATUS_DISABLED: KeyStatus
KEY_STATUS_REVOKED: KeyStatus

class RateLimit(_message.Message):
    __slots__ = ("requests_per_minute", "requests_per_hour", "burst_size", "per_user", "warning", "unlimited")
    REQUESTS_PER_MINUTE_FIELD_NUMBER: _ClassVar[int]
    REQUESTS_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    BURST_SIZE_FIELD_NUMBER: _ClassVar[int]
    PER_USER_FIELD_NUMBER: _ClassVar[int]
    WARNING_FIELD_NUMBER: _ClassVar[int]
    UNLIMITED_FIELD_NUMBER: _ClassVar[int]
    requests_per_minute: int
    requests_per_hour: int
    burst_size: int
    per_user: UserRateLimit
    warning: str
    unlimited: bool
    def __init__(self, requests_per_minute: _Optional[int] = ..., requests_per_hour: _Optional[int] = ..., burst_size: _Optional[int] = ..., per_user: _Optional[_Union[UserRateLimit, _Mapping]] = ..., warning: _Optional[str] = ..., unlimited: bool = ...) -> None: ...

class UserRateLimit(_message.Message):
    __slots__ = ("requests_per_minute", "requests_per_hour", "burst_size")
    REQUESTS_PER_MINUTE_FIELD_NUMBER: _ClassVar[int]
    REQUESTS_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    BURST_SIZE_FIELD_NUMBER: _ClassVar[int]
    requests_per_minute: int
    requests_per_hour: int
    burst_size: int
    def __init__(self, requests_per_minute: _Optional[int] = ..., requests_per_hour: _Optional[int] = ..., burst_size: _Optional[int] = ...) -> None: ...

class OidcConfig(_message.Message):
    __slots__ = ("issuer", "jwks_url", "audience", "user_id_claim", "required_claims", "audience_claim", "authorized_parties", "token_type", "claim_rules", "user_id_prefix")
    class RequiredClaimsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    JWKS_URL_FIELD_NUMBER: _ClassVar[int]
    AUDIENCE_FIELD_NUMBER: _ClassVar[int]
    USER_ID_CLAIM_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    AUDIENCE_CLAIM_FIELD_NUMBER: _ClassVar[int]
    AUTHORIZED_PARTIES_FIELD_NUMBER: _ClassVar[int]
    TOKEN_TYPE_FIELD_NUMBER: _ClassVar[int]
    CLAIM_RULES_FIELD_NUMBER: _ClassVar[int]
    USER_ID_PREFIX_FIELD_NUMBER: _ClassVar[int]
    issuer: str
    jwks_url: str
    audience: str
    user_id_claim: str
    required_claims: _containers.ScalarMap[str, str]
    audience_claim: str
    authorized_parties: _struct_pb2.ListValue
    token_type: str
    claim_rules: _struct_pb2.ListValue
    user_id_prefix: str
    def __init__(self, issuer: _Optional[str] = ..., jwks_url: _Optional[str] = ..., audience: _Optional[str] = ..., user_id_claim: _Optional[str] = ..., required_claims: _Optional[_Mapping[str, str]] = ..., audience_claim: _Optional[str] = ..., authorized_parties: _Optional[_Union[_struct_pb2.ListValue, _Mapping]] = ..., token_type: _Optional[str] = ..., claim_rules: _Optional[_Union[_struct_pb2.ListValue, _Mapping]] = ..., user_id_prefix: _Optional[str] = ...) -> None: ...

class PublishableConfig(_message.Message):
    __slots__ = ("oidc",)
    OIDC_FIELD_NUMBER: _ClassVar[int]
    oidc: OidcConfig
    def __init__(self, oidc: _Optional[_Union[OidcConfig, _Mapping]] = ...) -> None: ...

class ScopeNames(_message.Message):
    __slots__ = ("names",)
    NAMES_FIELD_NUMBER: _ClassVar[int]
    names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, names: _Optional[_Iterable[str]] = ...) -> None: ...

class ApiKey(_message.Message):
    __slots__ = ("key_id", "key_prefix", "name", "description", "key_type", "permissions", "rate_limit", "expires_at", "created_at", "publishable_config", "status", "updated_at", "last_used_at", "revoked_at", "rotated_to", "rotated_from", "unknown_permissions", "tenant_id", "tenant_suspended", "created_by", "revoked_by", "metadata", "external_id", "allowed_ips", "allowed_origins", "allow_browser", "leaked_at", "leak_url", "leak_source", "imported", "key_format")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_PREFIX_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    KEY_TYPE_FIELD_NUMBER: _ClassVar[int]
    PERMISSIONS_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    PUBLISHABLE_CONFIG_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    LAST_USED_AT_FIELD_NUMBER: _ClassVar[int]
    REVOKED_AT_FIELD_NUMBER: _ClassVar[int]
    ROTATED_TO_FIELD_NUMBER: _ClassVar[int]
    ROTATED_FROM_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_PERMISSIONS_FIELD_NUMBER: _ClassVar[int]
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    TENANT_SUSPENDED_FIELD_NUMBER: _ClassVar[int]
    CREATED_BY_FIELD_NUMBER: _ClassVar[int]
    REVOKED_BY_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_IPS_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_ORIGINS_FIELD_NUMBER: _ClassVar[int]
    ALLOW_BROWSER_FIELD_NUMBER: _ClassVar[int]
    LEAKED_AT_FIELD_NUMBER: _ClassVar[int]
    LEAK_URL_FIELD_NUMBER: _ClassVar[int]
    LEAK_SOURCE_FIELD_NUMBER: _ClassVar[int]
    IMPORTED_FIELD_NUMBER: _ClassVar[int]
    KEY_FORMAT_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    key_prefix: str
    name: str
    description: str
    key_type: KeyType
    permissions: _containers.RepeatedScalarFieldContainer[str]
    rate_limit: RateLimit
    expires_at: _timestamp_pb2.Timestamp
    created_at: _timestamp_pb2.Timestamp
    publishable_config: PublishableConfig
    status: KeyStatus
    updated_at: _timestamp_pb2.Timestamp
    last_used_at: _timestamp_pb2.Timestamp
    revoked_at: _timestamp_pb2.Timestamp
    rotated_to: str
    rotated_from: str
    unknown_permissions: ScopeNames
    tenant_id: str
    tenant_suspended: bool
    created_by: _audit_pb2.Actor
    revoked_by: _audit_pb2.Actor
    metadata: _struct_pb2.Struct
    external_id: str
    allowed_ips: _containers.RepeatedScalarFieldContainer[str]
    allowed_origins: _containers.RepeatedScalarFieldContainer[str]
    allow_browser: bool
    leaked_at: _timestamp_pb2.Timestamp
    leak_url: str
    leak_source: str
    imported: bool
    key_format: str
    def __init__(self, key_id: _Optional[str] = ..., key_prefix: _Optional[str] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., key_type: _Optional[_Union[KeyType, str]] = ..., permissions: _Optional[_Iterable[str]] = ..., rate_limit: _Optional[_Union[RateLimit, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., publishable_config: _Optional[_Union[PublishableConfig, _Mapping]] = ..., status: _Optional[_Union[KeyStatus, str]] = ..., updated_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_used_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., revoked_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., rotated_to: _Optional[str] = ..., rotated_from: _Optional[str] = ..., unknown_permissions: _Optional[_Union[ScopeNames, _Mapping]] = ..., tenant_id: _Optional[str] = ..., tenant_suspended: bool = ..., created_by: _Optional[_Union[_audit_pb2.Actor, _Mapping]] = ..., revoked_by: _Optional[_Union[_audit_pb2.Actor, _Mapping]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., external_id: _Optional[str] = ..., allowed_ips: _Optional[_Iterable[str]] = ..., allowed_origins: _Optional[_Iterable[str]] = ..., allow_browser: bool = ..., leaked_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., leak_url: _Optional[str] = ..., leak_source: _Optional[str] = ..., imported: bool = ..., key_format: _Optional[str] = ...) -> None: ...
