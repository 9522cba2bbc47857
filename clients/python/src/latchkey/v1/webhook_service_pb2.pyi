import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from latchkey.v1 import webhook_pb2 as _webhook_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateWebhookRequest(_message.Message):
    __slots__ = ("url", "events", "description", "client_request_id")
    URL_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    CLIENT_REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    url: str
    events: _containers.RepeatedScalarFieldContainer[str]
    description: str
    client_request_id: str
    def __init__(self, url: _Optional[str] = ..., events: _Optional[_Iterable[str]] = ..., description: _Optional[str] = ..., client_request_id: _Optional[str] = ...) -> None: ...

class CreateWebhookResponse(_message.Message):
    __slots__ = ("result", "secret", "already_created")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    ALREADY_CREATED_FIELD_NUMBER: _ClassVar[int]
    result: _webhook_pb2.Webhook
    secret: str
    already_created: bool
    def __init__(self, result: _Optional[_Union[_webhook_pb2.Webhook, _Mapping]] = ..., secret: _Optional[str] = ..., already_created: bool = ...) -> None: ...

class ListWebhooksRequest(_message.Message):
    __slots__ = ("page_token",)
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_token: str
    def __init__(self, page_token: _Optional[str] = ...) -> None: ...

class ListWebhooksResponse(_message.Message):
    __slots__ = ("webhooks", "next_page_token")
    WEBHOOKS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    webhooks: _containers.RepeatedCompositeFieldContainer[_webhook_pb2.Webhook]
    next_page_token: str
    def __init__(self, webhooks: _Optional[_Iterable[_Union[_webhook_pb2.Webhook, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetWebhookRequest(_message.Message):
    __slots__ = ("webhook_id",)
    WEBHOOK_ID_FIELD_NUMBER: _ClassVar[int]
    webhook_id: str
    def __init__(self, webhook_id: _Optional[str] = ...) -> None: ...

class GetWebhookResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _webhook_pb2.Webhook
    def __init__(self, result: _Optional[_Union[_webhook_pb2.Webhook, _Mapping]] = ...) -> None: ...

class UpdateWebhookRequest(_message.Message):
    __slots__ = ("webhook_id", "url", "events", "description", "status", "update_mask")
    WEBHOOK_ID_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    webhook_id: str
    url: str
    events: _containers.RepeatedScalarFieldContainer[str]
    description: str
    status: _webhook_pb2.WebhookStatus
    update_mask: str
    def __init__(self, webhook_id: _Optional[str] = ..., url: _Optional[str] = ..., events: _Optional[_Iterable[str]] = ..., description: _Optional[str] = ..., status: _Optional[_Union[_webhook_pb2.WebhookStatus, str]] = ..., update_mask: _Optional[str] = ...) -> None: ...

class UpdateWebhookResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _webhook_pb2.Webhook
    def __init__(self, result: _Optional[_Union[_webhook_pb2.Webhook, _Mapping]] = ...) -> None: ...

class DeleteWebhookRequest(_message.Message):
    __slots__ = ("webhook_id",)
    WEBHOOK_ID_FIELD_NUMBER: _ClassVar[int]
    webhook_id: str
    def __init__(self, webhook_id: _Optional[str] = ...) -> None: ...

class DeleteWebhookResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RotateWebhookSecretRequest(_message.Message):
    __slots__ = ("webhook_id", "client_request_id")
    WEBHOOK_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    webhook_id: str
    client_request_id: str
    def __init__(self, webhook_id: _Optional[str] = ..., client_request_id: _Optional[str] = ...) -> None: ...

class RotateWebhookSecretResponse(_message.Message):
    __slots__ = ("result", "secret", "already_created")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    ALREADY_CREATED_FIELD_NUMBER: _ClassVar[int]
    result: _webhook_pb2.Webhook
    secret: str
    already_created: bool
    def __init__(self, result: _Optional[_Union[_webhook_pb2.Webhook, _Mapping]] = ..., secret: _Optional[str] = ..., already_created: bool = ...) -> None: ...

class TestWebhookRequest(_message.Message):
    __slots__ = ("webhook_id",)
    WEBHOOK_ID_FIELD_NUMBER: _ClassVar[int]
    webhook_id: str
    def __init__(self, webhook_id: _Optional[str] = ...) -> None: ...

class TestWebhookResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: WebhookTest
    def __init__(self, result: _Optional[_Union[WebhookTest, _Mapping]] = ...) -> None: ...

class WebhookTest(_message.Message):
    __slots__ = ("event_id", "delivered", "status", "duration_ms", "error", "answer", "body")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    DELIVERED_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    delivered: bool
    status: int
    duration_ms: int
    error: str
    answer: str
    body: str
    def __init__(self, event_id: _Optional[str] = ..., delivered: bool = ..., status: _Optional[int] = ..., duration_ms: _Optional[int] = ..., error: _Optional[str] = ..., answer: _Optional[str] = ..., body: _Optional[str] = ...) -> None: ...

class ListWebhookDeliveriesRequest(_message.Message):
    __slots__ = ("page_token", "per_page", "webhook_id", "event_id", "type", "status", "include_body")
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PER_PAGE_FIELD_NUMBER: _ClassVar[int]
    WEBHOOK_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_BODY_FIELD_NUMBER: _ClassVar[int]
    page_token: str
    per_page: int
    webhook_id: str
    event_id: str
    type: str
    status: _webhook_pb2.WebhookDeliveryStatus
    include_body: bool
    def __init__(self, page_token: _Optional[str] = ..., per_page: _Optional[int] = ..., webhook_id: _Optional[str] = ..., event_id: _Optional[str] = ..., type: _Optional[str] = ..., status: _Optional[_Union[_webhook_pb2.WebhookDeliveryStatus, str]] = ..., include_body: bool = ...) -> None: ...

class ListWebhookDeliveriesResponse(_message.Message):
    __slots__ = ("deliveries", "next_page_token")
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    deliveries: _containers.RepeatedCompositeFieldContainer[_webhook_pb2.WebhookDelivery]
    next_page_token: str
    def __init__(self, deliveries: _Optional[_Iterable[_Union[_webhook_pb2.WebhookDelivery, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RedeliverWebhookEventsRequest(_message.Message):
    __slots__ = ("webhook_id", "event_id", "since", "only_failed", "page_token")
    WEBHOOK_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    ONLY_FAILED_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    webhook_id: str
    event_id: str
    since: _timestamp_pb2.Timestamp
    only_failed: bool
    page_token: str
    def __init__(self, webhook_id: _Optional[str] = ..., event_id: _Optional[str] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., only_failed: bool = ..., page_token: _Optional[str] = ...) -> None: ...

class RedeliverWebhookEventsResponse(_message.Message):
    __slots__ = ("redelivered", "next_page_token")
    REDELIVERED_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    redelivered: int
    next_page_token: str
    def __init__(self, redelivered: _Optional[int] = ..., next_page_token: _Optional[str] = ...) -> None: ...
