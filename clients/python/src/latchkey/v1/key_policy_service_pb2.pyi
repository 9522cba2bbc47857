from latchkey.v1 import api_key_pb2 as _api_key_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class KeyPolicy(_message.Message):
    __slots__ = ("max_lifetime_hours", "expiry_required", "max_rate_limit", "permissions", "allowed_ips_required", "max_keys")
    MAX_LIFETIME_HOURS_FIELD_NUMBER: _ClassVar[int]
    EXPIRY_REQUIRED_FIELD_NUMBER: _ClassVar[int]
    MAX_RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    PERMISSIONS_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_IPS_REQUIRED_FIELD_NUMBER: _ClassVar[int]
    MAX_KEYS_FIELD_NUMBER: _ClassVar[int]
    max_lifetime_hours: int
    expiry_required: bool
    max_rate_limit: _api_key_pb2.RateLimit
    permissions: _containers.RepeatedScalarFieldContainer[str]
    allowed_ips_required: bool
    max_keys: int
    def __init__(self, max_lifetime_hours: _Optional[int] = ..., expiry_required: bool = ..., max_rate_limit: _Optional[_Union[_api_key_pb2.RateLimit, _Mapping]] = ..., permissions: _Optional[_Iterable[str]] = ..., allowed_ips_required: bool = ..., max_keys: _Optional[int] = ...) -> None: ...

class GetKeyPolicyRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetKeyPolicyResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: KeyPolicy
    def __init__(self, result: _Optional[_Union[KeyPolicy, _Mapping]] = ...) -> None: ...

class SetKeyPolicyRequest(_message.Message):
    __slots__ = ("policy",)
    POLICY_FIELD_NUMBER: _ClassVar[int]
    policy: KeyPolicy
    def __init__(self, policy: _Optional[_Union[KeyPolicy, _Mapping]] = ...) -> None: ...

class SetKeyPolicyResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: KeyPolicy
    def __init__(self, result: _Optional[_Union[KeyPolicy, _Mapping]] = ...) -> None: ...
