import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FederationRuleStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FEDERATION_RULE_STATUS_UNSPECIFIED: _ClassVar[FederationRuleStatus]
    FEDERATION_RULE_STATUS_ENABLED: _ClassVar[FederationRuleStatus]
    FEDERATION_RULE_STATUS_DISABLED: _ClassVar[FederationRuleStatus]
FEDERATION_RULE_STATUS_UNSPECIFIED: FederationRuleStatus
FEDERATION_RULE_STATUS_ENABLED: FederationRuleStatus
FEDERATION_RULE_STATUS_DISABLED: FederationRuleStatus

class FederationRule(_message.Message):
    __slots__ = ("rule_id", "name", "issuer", "jwks_url", "jwks", "audience", "claim_rules", "key_id", "scopes", "ttl_seconds", "status", "created_at", "updated_at", "former_jwks_url", "former_claim_rules")
    RULE_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    JWKS_URL_FIELD_NUMBER: _ClassVar[int]
    JWKS_FIELD_NUMBER: _ClassVar[int]
    AUDIENCE_FIELD_NUMBER: _ClassVar[int]
    CLAIM_RULES_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    TTL_SECONDS_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    FORMER_JWKS_URL_FIELD_NUMBER: _ClassVar[int]
    FORMER_CLAIM_RULES_FIELD_NUMBER: _ClassVar[int]
    rule_id: str
    name: str
    issuer: str
    jwks_url: str
    jwks: _struct_pb2.Struct
    audience: str
    claim_rules: _struct_pb2.ListValue
    key_id: str
    scopes: _containers.RepeatedScalarFieldContainer[str]
    ttl_seconds: int
    status: FederationRuleStatus
    created_at: _timestamp_pb2.Timestamp
    updated_at: _timestamp_pb2.Timestamp
    former_jwks_url: str
    former_claim_rules: _struct_pb2.ListValue
    def __init__(self, rule_id: _Optional[str] = ..., name: _Optional[str] = ..., issuer: _Optional[str] = ..., jwks_url: _Optional[str] = ..., jwks: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., audience: _Optional[str] = ..., claim_rules: _Optional[_Union[_struct_pb2.ListValue, _Mapping]] = ..., key_id: _Optional[str] = ..., scopes: _Optional[_Iterable[str]] = ..., ttl_seconds: _Optional[int] = ..., status: _Optional[_Union[FederationRuleStatus, str]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., updated_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., former_jwks_url: _Optional[str] = ..., former_claim_rules: _Optional[_Union[_struct_pb2.ListValue, _Mapping]] = ...) -> None: ...

class FederationStep(_message.Message):
    __slots__ = ("name", "passed", "expected", "found", "detail")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    FOUND_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    name: str
    passed: bool
    expected: str
    found: str
    detail: str
    def __init__(self, name: _Optional[str] = ..., passed: bool = ..., expected: _Optional[str] = ..., found: _Optional[str] = ..., detail: _Optional[str] = ...) -> None: ...
