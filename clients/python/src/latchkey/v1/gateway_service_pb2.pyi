from latchkey.v1 import conversation_pb2 as _conversation_pb2
from latchkey.v1 import pagination_pb2 as _pagination_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListThreadsRequest(_message.Message):
    __slots__ = ("page", "per_page", "page_token")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    PER_PAGE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page: int
    per_page: int
    page_token: str
    def __init__(self, page: _Optional[int] = ..., per_page: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListThreadsResponse(_message.Message):
    __slots__ = ("threads", "pagination", "next_page_token")
    THREADS_FIELD_NUMBER: _ClassVar[int]
    PAGINATION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    threads: _containers.RepeatedCompositeFieldContainer[_conversation_pb2.Thread]
    pagination: _pagination_pb2.Pagination
    next_page_token: str
    def __init__(self, threads: _Optional[_Iterable[_Union[_conversation_pb2.Thread, _Mapping]]] = ..., pagination: _Optional[_Union[_pagination_pb2.Pagination, _Mapping]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class UserMessage(_message.Message):
    __slots__ = ("role", "content")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    role: _conversation_pb2.Role
    content: _containers.RepeatedCompositeFieldContainer[_conversation_pb2.ContentPart]
    def __init__(self, role: _Optional[_Union[_conversation_pb2.Role, str]] = ..., content: _Optional[_Iterable[_Union[_conversation_pb2.ContentPart, _Mapping]]] = ...) -> None: ...

class SendMessageRequest(_message.Message):
    __slots__ = ("conversation_key", "user_message", "client_message_id")
    CONVERSATION_KEY_FIELD_NUMBER: _ClassVar[int]
    USER_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CLIENT_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    conversation_key: str
    user_message: UserMessage
    client_message_id: str
    def __init__(self, conversation_key: _Optional[str] = ..., user_message: _Optional[_Union[UserMessage, _Mapping]] = ..., client_message_id: _Optional[str] = ...) -> None: ...

class SendMessageResponse(_message.Message):
    __slots__ = ("run_id", "message_id", "conversation_key")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_KEY_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    message_id: str
    conversation_key: str
    def __init__(self, run_id: _Optional[str] = ..., message_id: _Optional[str] = ..., conversation_key: _Optional[str] = ...) -> None: ...

class GetConversationStateRequest(_message.Message):
    __slots__ = ("conversation_key", "wait_ms", "thread_id", "messages_max", "before_message_id")
    CONVERSATION_KEY_FIELD_NUMBER: _ClassVar[int]
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_MAX_FIELD_NUMBER: _ClassVar[int]
    BEFORE_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    conversation_key: str
    wait_ms: int
    thread_id: str
    messages_max: int
    before_message_id: str
    def __init__(self, conversation_key: _Optional[str] = ..., wait_ms: _Optional[int] = ..., thread_id: _Optional[str] = ..., messages_max: _Optional[int] = ..., before_message_id: _Optional[str] = ...) -> None: ...

class GetConversationStateResponse(_message.Message):
    __slots__ = ("conversation_key", "status", "messages", "run", "next_before_message_id")
    CONVERSATION_KEY_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    NEXT_BEFORE_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    conversation_key: str
    status: _conversation_pb2.ConversationStatus
    messages: _containers.RepeatedCompositeFieldContainer[_conversation_pb2.Message]
    run: _conversation_pb2.Run
    next_before_message_id: str
    def __init__(self, conversation_key: _Optional[str] = ..., status: _Optional[_Union[_conversation_pb2.ConversationStatus, str]] = ..., messages: _Optional[_Iterable[_Union[_conversation_pb2.Message, _Mapping]]] = ..., run: _Optional[_Union[_conversation_pb2.Run, _Mapping]] = ..., next_before_message_id: _Optional[str] = ...) -> None: ...
