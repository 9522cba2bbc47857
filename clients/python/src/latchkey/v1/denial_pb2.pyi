import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DenialReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DENIAL_REASON_UNSPECIFIED: _ClassVar[DenialReason]
    DENIAL_REASON_MISSING_CREDENTIALS: _ClassVar[DenialReason]
    DENIAL_REASON_API_KEY_NOT_FOUND: _ClassVar[DenialReason]
    DENIAL_REASON_API_KEY_EXPIRED: _ClassVar[DenialReason]
    DENIAL_REASON_API_KEY_DISABLED: _ClassVar[DenialReason]
    DENIAL_REASON_API_KEY_REVOKED: _ClassVar[DenialReason]
    DENIAL_REASON_API_KEY_INVALID: _ClassVar[DenialReason]
    DENIAL_REASON_INSUFFICIENT_SCOPE: _ClassVar[DenialReason]
    DENIAL_REASON_RATE_LIMITED: _ClassVar[DenialReason]
    DENIAL_REASON_PUBLISHABLE_KEY_REQUIRES_JWT: _ClassVar[DenialReason]
    DENIAL_REASON_JWT_EXPIRED: _ClassVar[DenialReason]
    DENIAL_REASON_JWT_MALFORMED: _ClassVar[DenialReason]
    DENIAL_REASON_JWT_INVALID_SIGNATURE: _ClassVar[DenialReason]
    DENIAL_REASON_JWT_INVALID_ISSUER: _ClassVar[DenialReason]
    DENIAL_REASON_JWT_INVALID_AUDIENCE: _ClassVar[DenialReason]
    DENIAL_REASON_USER_ID_CLAIM_NOT_FOUND: _ClassVar[DenialReason]
    DENIAL_REASON_TENANT_REQUIRED: _ClassVar[DenialReason]
    DENIAL_REASON_VERIFIER_ERROR: _ClassVar[DenialReason]
    DENIAL_REASON_MISCONFIGURED_PUBLISHABLE_KEY: _ClassVar[DenialReason]
    DENIAL_REASON_OIDC_NOT_CONFIGURED: _ClassVar[DenialReason]
    DENIAL_REASON_TENANT_SUSPENDED: _ClassVar[DenialReason]
    DENIAL_REASON_ORIGIN_NOT_ALLOWED: _ClassVar[DenialReason]
    DENIAL_REASON_TOKEN_REVOKED: _ClassVar[DenialReason]
DENIAL_REASON_UNSPECIFIED: DenialReason
DENIAL_REASON_MISSING_CREDENTIALS: DenialReason
DENIAL_REASON_API_KEY_NOT_FOUND: DenialReason
DENIAL_REASON_API_KEY_EXPIRED: DenialReason
DENIAL_REASON_API_KEY_DISABLED: DenialReason
DENIAL_REASON_API_KEY_REVOKED: DenialReason
DENIAL_REASON_API_KEY_INVALID: DenialReason
DENIAL_REASON_INSUFFICIENT_SCOPE: DenialReason
DENIAL_REASON_RATE_LIMITED: DenialReason
DENIAL_REASON_PUBLISHABLE_KEY_REQUIRES_JWT: DenialReason
DENIAL_REASON_JWT_EXPIRED: DenialReason
DENIAL_REASON_JWT_MALFORMED: DenialReason
DENIAL_REASON_JWT_INVALID_SIGNATURE: DenialReason
DENIAL_REASON_JWT_INVALID_ISSUER: DenialReason
DENIAL_REASON_JWT_INVALID_AUDIENCE: DenialReason
DENIAL_REASON_USER_ID_CLAIM_NOT_FOUND: DenialReason
DENIAL_REASON_TENANT_REQUIRED: DenialReason
DENIAL_REASON_VERIFIER_ERROR: DenialReason
DENIAL_REASON_MISCONFIGURED_PUBLISHABLE_KEY: DenialReason
DENIAL_REASON_OIDC_NOT_CONFIGURED: DenialReason
DENIAL_REASON_TENANT_SUSPENDED: DenialReason
DENIAL_REASON_ORIGIN_NOT_ALLOWED: DenialReason
DENIAL_REASON_TOKEN_REVOKED: DenialReason

class RateLimitState(_message.Message):
    __slots__ = ("limit", "remaining", "reset_at", "scope")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    REMAINING_FIELD_NUMBER: _ClassVar[int]
    RESET_AT_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    limit: int
    remaining: int
    reset_at: _timestamp_pb2.Timestamp
    scope: str
    def __init__(self, limit: _Optional[int] = ..., remaining: _Optional[int] = ..., reset_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., scope: _Optional[str] = ...) -> None: ...

class Denial(_message.Message):
    __slots__ = ("reason", "rate_limit", "field")
    REASON_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    reason: DenialReason
    rate_limit: RateLimitState
    field: str
    def __init__(self, reason: _Optional[_Union[DenialReason, str]] = ..., rate_limit: _Optional[_Union[RateLimitState, _Mapping]] = ..., field: _Optional[str] = ...) -> None: ...
