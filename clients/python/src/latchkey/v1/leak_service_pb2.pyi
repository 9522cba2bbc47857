from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ReportLeakedKeysRequest(_message.Message):
    __slots__ = ("reports",)
    REPORTS_FIELD_NUMBER: _ClassVar[int]
    reports: _containers.RepeatedCompositeFieldContainer[LeakReport]
    def __init__(self, reports: _Optional[_Iterable[_Union[LeakReport, _Mapping]]] = ...) -> None: ...

class LeakReport(_message.Message):
    __slots__ = ("key", "url", "source")
    KEY_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    key: str
    url: str
    source: str
    def __init__(self, key: _Optional[str] = ..., url: _Optional[str] = ..., source: _Optional[str] = ...) -> None: ...

class ReportLeakedKeysResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
