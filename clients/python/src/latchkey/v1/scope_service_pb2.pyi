from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListScopesRequest(_message.Message):
    __slots__ = ("page_token",)
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_token: str
    def __init__(self, page_token: _Optional[str] = ...) -> None: ...

class ListScopesResponse(_message.Message):
    __slots__ = ("scopes", "next_page_token")
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    scopes: _containers.RepeatedCompositeFieldContainer[Scope]
    next_page_token: str
    def __init__(self, scopes: _Optional[_Iterable[_Union[Scope, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class Scope(_message.Message):
    __slots__ = ("name", "description", "publishable")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    PUBLISHABLE_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    publishable: bool
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., publishable: bool = ...) -> None: ...
