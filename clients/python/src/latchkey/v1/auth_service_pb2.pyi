import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from latchkey.v1 import denial_pb2 as _denial_pb2
from latchkey.v1 import policy_pb2 as _policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class VerifyRequest(_message.Message):
    __slots__ = ("scope", "scopes", "tenant_optional", "explain", "key_id", "cost")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    TENANT_OPTIONAL_FIELD_NUMBER: _ClassVar[int]
    EXPLAIN_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    scope: str
    scopes: _containers.RepeatedScalarFieldContainer[str]
    tenant_optional: bool
    explain: bool
    key_id: str
    cost: int
    def __init__(self, scope: _Optional[str] = ..., scopes: _Optional[_Iterable[str]] = ..., tenant_optional: bool = ..., explain: bool = ..., key_id: _Optional[str] = ..., cost: _Optional[int] = ...) -> None: ...

class VerifyResponse(_message.Message):
    __slots__ = ("caller", "tenant_id", "key_id", "user_id", "permissions", "acting_for", "rate_limit", "explanation", "metadata", "external_id", "token_id")
    CALLER_FIELD_NUMBER: _ClassVar[int]
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    PERMISSIONS_FIELD_NUMBER: _ClassVar[int]
    ACTING_FOR_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_ID_FIELD_NUMBER: _ClassVar[int]
    caller: _policy_pb2.Caller
    tenant_id: str
    key_id: str
    user_id: str
    permissions: _containers.RepeatedScalarFieldContainer[str]
    acting_for: str
    rate_limit: _denial_pb2.RateLimitState
    explanation: Explanation
    metadata: _struct_pb2.Struct
    external_id: str
    token_id: str
    def __init__(self, caller: _Optional[_Union[_policy_pb2.Caller, str]] = ..., tenant_id: _Optional[str] = ..., key_id: _Optional[str] = ..., user_id: _Optional[str] = ..., permissions: _Optional[_Iterable[str]] = ..., acting_for: _Optional[str] = ..., rate_limit: _Optional[_Union[_denial_pb2.RateLimitState, _Mapping]] = ..., explanation: _Optional[_Union[Explanation, _Mapping]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., external_id: _Optional[str] = ..., token_id: _Optional[str] = ...) -> None: ...

class Explanation(_message.Message):
    __slots__ = ("allowed", "denial_reason", "steps", "rate_limit", "key_set")
    ALLOWED_FIELD_NUMBER: _ClassVar[int]
    DENIAL_REASON_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    KEY_SET_FIELD_NUMBER: _ClassVar[int]
    allowed: bool
    denial_reason: str
    steps: _containers.RepeatedCompositeFieldContainer[ExplanationStep]
    rate_limit: _denial_pb2.RateLimitState
    key_set: KeySet
    def __init__(self, allowed: bool = ..., denial_reason: _Optional[str] = ..., steps: _Optional[_Iterable[_Union[ExplanationStep, _Mapping]]] = ..., rate_limit: _Optional[_Union[_denial_pb2.RateLimitState, _Mapping]] = ..., key_set: _Optional[_Union[KeySet, _Mapping]] = ...) -> None: ...

class ExplanationStep(_message.Message):
    __slots__ = ("name", "passed", "detail")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    name: str
    passed: bool
    detail: str
    def __init__(self, name: _Optional[str] = ..., passed: bool = ..., detail: _Optional[str] = ...) -> None: ...

class KeySet(_message.Message):
    __slots__ = ("problem", "fetched_at", "key_count", "usable_key_count", "keys")
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    FETCHED_AT_FIELD_NUMBER: _ClassVar[int]
    KEY_COUNT_FIELD_NUMBER: _ClassVar[int]
    USABLE_KEY_COUNT_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    problem: str
    fetched_at: _timestamp_pb2.Timestamp
    key_count: int
    usable_key_count: int
    keys: _containers.RepeatedCompositeFieldContainer[KeySetKey]
    def __init__(self, problem: _Optional[str] = ..., fetched_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., key_count: _Optional[int] = ..., usable_key_count: _Optional[int] = ..., keys: _Optional[_Iterable[_Union[KeySetKey, _Mapping]]] = ...) -> None: ...

class KeySetKey(_message.Message):
    __slots__ = ("kid", "algs", "problem")
    KID_FIELD_NUMBER: _ClassVar[int]
    ALGS_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    kid: str
    algs: _containers.RepeatedScalarFieldContainer[str]
    problem: str
    def __init__(self, kid: _Optional[str] = ..., algs: _Optional[_Iterable[str]] = ..., problem: _Optional[str] = ...) -> None: ...
