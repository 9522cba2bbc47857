import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from latchkey.v1 import api_key_service_pb2 as _api_key_service_pb2
from latchkey.v1 import usage_pb2 as _usage_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetUsageRequest(_message.Message):
    __slots__ = ("to", "step")
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    to: _timestamp_pb2.Timestamp
    step: str
    def __init__(self, to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., step: _Optional[str] = ..., **kwargs) -> None: ...

class GetUsageResponse(_message.Message):
    __slots__ = ("result", "series")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    SERIES_FIELD_NUMBER: _ClassVar[int]
    result: _api_key_service_pb2.ApiKeyUsage
    series: _containers.RepeatedCompositeFieldContainer[_usage_pb2.UsageStep]
    def __init__(self, result: _Optional[_Union[_api_key_service_pb2.ApiKeyUsage, _Mapping]] = ..., series: _Optional[_Iterable[_Union[_usage_pb2.UsageStep, _Mapping]]] = ...) -> None: ...

class ListTopKeysRequest(_message.Message):
    __slots__ = ("to", "per_page", "reason", "page_token")
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    PER_PAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    to: _timestamp_pb2.Timestamp
    per_page: int
    reason: str
    page_token: str
    def __init__(self, to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., per_page: _Optional[int] = ..., reason: _Optional[str] = ..., page_token: _Optional[str] = ..., **kwargs) -> None: ...

class ListTopKeysResponse(_message.Message):
    __slots__ = ("keys", "next_page_token")
    KEYS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    keys: _containers.RepeatedCompositeFieldContainer[TopKey]
    next_page_token: str
    def __init__(self, keys: _Optional[_Iterable[_Union[TopKey, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class TopKey(_message.Message):
    __slots__ = ("key_id", "name", "total_verifications", "successful_verifications", "failed_verifications")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TOTAL_VERIFICATIONS_FIELD_NUMBER: _ClassVar[int]
    SUCCESSFUL_VERIFICATIONS_FIELD_NUMBER: _ClassVar[int]
    FAILED_VERIFICATIONS_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    name: str
    total_verifications: float
    successful_verifications: float
    failed_verifications: float
    def __init__(self, key_id: _Optional[str] = ..., name: _Optional[str] = ..., total_verifications: _Optional[float] = ..., successful_verifications: _Optional[float] = ..., failed_verifications: _Optional[float] = ...) -> None: ...
