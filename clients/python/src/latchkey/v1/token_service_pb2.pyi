import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from latchkey.v1 import access_token_pb2 as _access_token_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DeriveTokenRequest(_message.Message):
    __slots__ = ("scopes", "ttl_seconds", "user_id", "audience", "confirmation_jkt", "client_request_id")
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    TTL_SECONDS_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    AUDIENCE_FIELD_NUMBER: _ClassVar[int]
    CONFIRMATION_JKT_FIELD_NUMBER: _ClassVar[int]
    CLIENT_REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    scopes: _containers.RepeatedScalarFieldContainer[str]
    ttl_seconds: int
    user_id: str
    audience: str
    confirmation_jkt: str
    client_request_id: str
    def __init__(self, scopes: _Optional[_Iterable[str]] = ..., ttl_seconds: _Optional[int] = ..., user_id: _Optional[str] = ..., audience: _Optional[str] = ..., confirmation_jkt: _Optional[str] = ..., client_request_id: _Optional[str] = ...) -> None: ...

class DeriveTokenResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: DerivedToken
    def __init__(self, result: _Optional[_Union[DerivedToken, _Mapping]] = ...) -> None: ...

class DerivedToken(_message.Message):
    __slots__ = ("token", "token_id", "expires_at", "already_created")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOKEN_ID_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    ALREADY_CREATED_FIELD_NUMBER: _ClassVar[int]
    token: str
    token_id: str
    expires_at: _timestamp_pb2.Timestamp
    already_created: bool
    def __init__(self, token: _Optional[str] = ..., token_id: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., already_created: bool = ...) -> None: ...

class ListTokensRequest(_message.Message):
    __slots__ = ("key_id", "page_token", "per_page")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PER_PAGE_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    page_token: str
    per_page: int
    def __init__(self, key_id: _Optional[str] = ..., page_token: _Optional[str] = ..., per_page: _Optional[int] = ...) -> None: ...

class ListTokensResponse(_message.Message):
    __slots__ = ("tokens", "next_page_token")
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tokens: _containers.RepeatedCompositeFieldContainer[_access_token_pb2.AccessToken]
    next_page_token: str
    def __init__(self, tokens: _Optional[_Iterable[_Union[_access_token_pb2.AccessToken, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RevokeTokenRequest(_message.Message):
    __slots__ = ("token_id",)
    TOKEN_ID_FIELD_NUMBER: _ClassVar[int]
    token_id: str
    def __init__(self, token_id: _Optional[str] = ...) -> None: ...

class RevokeTokenResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _access_token_pb2.AccessToken
    def __init__(self, result: _Optional[_Union[_access_token_pb2.AccessToken, _Mapping]] = ...) -> None: ...
