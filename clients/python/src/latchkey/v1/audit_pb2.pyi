import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Actor(_message.Message):
    __slots__ = ("kind", "user_id", "issuer", "key_id", "operator_token")
    KIND_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_TOKEN_FIELD_NUMBER: _ClassVar[int]
    kind: str
    user_id: str
    issuer: str
    key_id: str
    operator_token: int
    def __init__(self, kind: _Optional[str] = ..., user_id: _Optional[str] = ..., issuer: _Optional[str] = ..., key_id: _Optional[str] = ..., operator_token: _Optional[int] = ...) -> None: ...

class AuditChange(_message.Message):
    __slots__ = ("old", "new")
    OLD_FIELD_NUMBER: _ClassVar[int]
    NEW_FIELD_NUMBER: _ClassVar[int]
    old: _struct_pb2.Value
    new: _struct_pb2.Value
    def __init__(self, old: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., new: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ...) -> None: ...

class AuditRefusal(_message.Message):
    __slots__ = ("rpc", "reason", "count")
    RPC_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    rpc: str
    reason: str
    count: int
    def __init__(self, rpc: _Optional[str] = ..., reason: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class AuditImpersonation(_message.Message):
    __slots__ = ("hour", "calls")
    HOUR_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    hour: _timestamp_pb2.Timestamp
    calls: int
    def __init__(self, hour: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., calls: _Optional[int] = ...) -> None: ...

class AuditEvent(_message.Message):
    __slots__ = ("event_id", "at", "actor", "action", "target_id", "changes", "address", "request_id", "trace_id", "refusal", "tenant_id", "impersonation")
    class ChangesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: AuditChange
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[AuditChange, _Mapping]] = ...) -> None: ...
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TRACE_ID_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    IMPERSONATION_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    at: _timestamp_pb2.Timestamp
    actor: Actor
    action: str
    target_id: str
    changes: _containers.MessageMap[str, AuditChange]
    address: str
    request_id: str
    trace_id: str
    refusal: AuditRefusal
    tenant_id: str
    impersonation: AuditImpersonation
    def __init__(self, event_id: _Optional[str] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., actor: _Optional[_Union[Actor, _Mapping]] = ..., action: _Optional[str] = ..., target_id: _Optional[str] = ..., changes: _Optional[_Mapping[str, AuditChange]] = ..., address: _Optional[str] = ..., request_id: _Optional[str] = ..., trace_id: _Optional[str] = ..., refusal: _Optional[_Union[AuditRefusal, _Mapping]] = ..., tenant_id: _Optional[str] = ..., impersonation: _Optional[_Union[AuditImpersonation, _Mapping]] = ...) -> None: ...
