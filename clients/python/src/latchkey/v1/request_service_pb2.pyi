import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from latchkey.v1 import request_pb2 as _request_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListRequestsRequest(_message.Message):
    __slots__ = ("page_token", "per_page", "to", "key_id", "verdict", "reason", "request_id", "token_id")
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PER_PAGE_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_ID_FIELD_NUMBER: _ClassVar[int]
    page_token: str
    per_page: int
    to: _timestamp_pb2.Timestamp
    key_id: str
    verdict: str
    reason: str
    request_id: str
    token_id: str
    def __init__(self, page_token: _Optional[str] = ..., per_page: _Optional[int] = ..., to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., key_id: _Optional[str] = ..., verdict: _Optional[str] = ..., reason: _Optional[str] = ..., request_id: _Optional[str] = ..., token_id: _Optional[str] = ..., **kwargs) -> None: ...

class ListRequestsResponse(_message.Message):
    __slots__ = ("requests", "next_page_token")
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[_request_pb2.RecentRequest]
    next_page_token: str
    def __init__(self, requests: _Optional[_Iterable[_Union[_request_pb2.RecentRequest, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ExplainRequestRequest(_message.Message):
    __slots__ = ("request_id",)
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    def __init__(self, request_id: _Optional[str] = ...) -> None: ...

class ExplainRequestResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _request_pb2.RequestExplanation
    def __init__(self, result: _Optional[_Union[_request_pb2.RequestExplanation, _Mapping]] = ...) -> None: ...
