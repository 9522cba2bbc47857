import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from latchkey.v1 import auth_service_pb2 as _auth_service_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RecentRequest(_message.Message):
    __slots__ = ("request_id", "at", "caller", "key_id", "user_id", "address", "rpc", "scope", "verdict", "reason", "message", "tenant_id", "token_id")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    RPC_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    at: _timestamp_pb2.Timestamp
    caller: str
    key_id: str
    user_id: str
    address: str
    rpc: str
    scope: str
    verdict: str
    reason: str
    message: str
    tenant_id: str
    token_id: str
    def __init__(self, request_id: _Optional[str] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., caller: _Optional[str] = ..., key_id: _Optional[str] = ..., user_id: _Optional[str] = ..., address: _Optional[str] = ..., rpc: _Optional[str] = ..., scope: _Optional[str] = ..., verdict: _Optional[str] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., tenant_id: _Optional[str] = ..., token_id: _Optional[str] = ...) -> None: ...

class RequestExplanation(_message.Message):
    __slots__ = ("request", "allowed", "denial_reason", "steps", "remedy", "documentation")
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_FIELD_NUMBER: _ClassVar[int]
    DENIAL_REASON_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    REMEDY_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTATION_FIELD_NUMBER: _ClassVar[int]
    request: RecentRequest
    allowed: bool
    denial_reason: str
    steps: _containers.RepeatedCompositeFieldContainer[_auth_service_pb2.ExplanationStep]
    remedy: str
    documentation: str
    def __init__(self, request: _Optional[_Union[RecentRequest, _Mapping]] = ..., allowed: bool = ..., denial_reason: _Optional[str] = ..., steps: _Optional[_Iterable[_Union[_auth_service_pb2.ExplanationStep, _Mapping]]] = ..., remedy: _Optional[str] = ..., documentation: _Optional[str] = ...) -> None: ...
