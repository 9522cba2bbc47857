import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from latchkey.v1 import api_key_pb2 as _api_key_pb2
from latchkey.v1 import key_import_pb2 as _key_import_pb2
from latchkey.v1 import pagination_pb2 as _pagination_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class IssuedKey(_message.Message):
    __slots__ = ("key_id", "key", "key_prefix", "already_created")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    KEY_PREFIX_FIELD_NUMBER: _ClassVar[int]
    ALREADY_CREATED_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    key: str
    key_prefix: str
    already_created: bool
    def __init__(self, key_id: _Optional[str] = ..., key: _Optional[str] = ..., key_prefix: _Optional[str] = ..., already_created: bool = ...) -> None: ...

class CreateApiKeyRequest(_message.Message):
    __slots__ = ("name", "description", "key_type", "permissions", "rate_limit", "expires_at", "publishable_config", "metadata", "external_id", "allowed_ips", "allowed_origins", "allow_browser", "client_request_id", "secret_hash", "key_prefix")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    KEY_TYPE_FIELD_NUMBER: _ClassVar[int]
    PERMISSIONS_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    PUBLISHABLE_CONFIG_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_IPS_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_ORIGINS_FIELD_NUMBER: _ClassVar[int]
    ALLOW_BROWSER_FIELD_NUMBER: _ClassVar[int]
    CLIENT_REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    SECRET_HASH_FIELD_NUMBER: _ClassVar[int]
    KEY_PREFIX_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    key_type: _api_key_pb2.KeyType
    permissions: _containers.RepeatedScalarFieldContainer[str]
    rate_limit: _api_key_pb2.RateLimit
    expires_at: _timestamp_pb2.Timestamp
    publishable_config: _api_key_pb2.PublishableConfig
    metadata: _struct_pb2.Struct
    external_id: str
    allowed_ips: _containers.RepeatedScalarFieldContainer[str]
    allowed_origins: _containers.RepeatedScalarFieldContainer[str]
    allow_browser: bool
    client_request_id: str
    secret_hash: str
    key_prefix: str
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., key_type: _Optional[_Union[_api_key_pb2.KeyType, str]] = ..., permissions: _Optional[_Iterable[str]] = ..., rate_limit: _Optional[_Union[_api_key_pb2.RateLimit, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., publishable_config: _Optional[_Union[_api_key_pb2.PublishableConfig, _Mapping]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., external_id: _Optional[str] = ..., allowed_ips: _Optional[_Iterable[str]] = ..., allowed_origins: _Optional[_Iterable[str]] = ..., allow_browser: bool = ..., client_request_id: _Optional[str] = ..., secret_hash: _Optional[str] = ..., key_prefix: _Optional[str] = ...) -> None: ...

class CreateApiKeyResponse(_message.Message):
    __slots__ = ("result", "warning")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    WARNING_FIELD_NUMBER: _ClassVar[int]
    result: IssuedKey
    warning: str
    def __init__(self, result: _Optional[_Union[IssuedKey, _Mapping]] = ..., warning: _Optional[str] = ...) -> None: ...

class ListApiKeysRequest(_message.Message):
    __slots__ = ("page", "per_page", "status", "external_id", "name_prefix", "key_prefix", "key_type", "scope", "sort", "last_used_before", "expires_before", "leaked", "search", "page_token", "imported", "key_format")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    PER_PAGE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_PREFIX_FIELD_NUMBER: _ClassVar[int]
    KEY_PREFIX_FIELD_NUMBER: _ClassVar[int]
    KEY_TYPE_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SORT_FIELD_NUMBER: _ClassVar[int]
    LAST_USED_BEFORE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_BEFORE_FIELD_NUMBER: _ClassVar[int]
    LEAKED_FIELD_NUMBER: _ClassVar[int]
    SEARCH_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    IMPORTED_FIELD_NUMBER: _ClassVar[int]
    KEY_FORMAT_FIELD_NUMBER: _ClassVar[int]
    page: int
    per_page: int
    status: _api_key_pb2.KeyStatus
    external_id: str
    name_prefix: str
    key_prefix: str
    key_type: _api_key_pb2.KeyType
    scope: str
    sort: str
    last_used_before: _timestamp_pb2.Timestamp
    expires_before: _timestamp_pb2.Timestamp
    leaked: bool
    search: str
    page_token: str
    imported: bool
    key_format: str
    def __init__(self, page: _Optional[int] = ..., per_page: _Optional[int] = ..., status: _Optional[_Union[_api_key_pb2.KeyStatus, str]] = ..., external_id: _Optional[str] = ..., name_prefix: _Optional[str] = ..., key_prefix: _Optional[str] = ..., key_type: _Optional[_Union[_api_key_pb2.KeyType, str]] = ..., scope: _Optional[str] = ..., sort: _Optional[str] = ..., last_used_before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expires_before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., leaked: bool = ..., search: _Optional[str] = ..., page_token: _Optional[str] = ..., imported: bool = ..., key_format: _Optional[str] = ...) -> None: ...

class ListApiKeysResponse(_message.Message):
    __slots__ = ("keys", "pagination", "next_page_token")
    KEYS_FIELD_NUMBER: _ClassVar[int]
    PAGINATION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    keys: _containers.RepeatedCompositeFieldContainer[_api_key_pb2.ApiKey]
    pagination: _pagination_pb2.Pagination
    next_page_token: str
    def __init__(self, keys: _Optional[_Iterable[_Union[_api_key_pb2.ApiKey, _Mapping]]] = ..., pagination: _Optional[_Union[_pagination_pb2.Pagination, _Mapping]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetApiKeyRequest(_message.Message):
    __slots__ = ("key_id",)
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    def __init__(self, key_id: _Optional[str] = ...) -> None: ...

class GetApiKeyResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _api_key_pb2.ApiKey
    def __init__(self, result: _Optional[_Union[_api_key_pb2.ApiKey, _Mapping]] = ...) -> None: ...

class UpdateApiKeyRequest(_message.Message):
    __slots__ = ("key_id", "name", "description", "permissions", "rate_limit", "expires_at", "update_mask", "metadata", "external_id", "allowed_ips", "allowed_origins", "allow_browser")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    PERMISSIONS_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_ID_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_IPS_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_ORIGINS_FIELD_NUMBER: _ClassVar[int]
    ALLOW_BROWSER_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    name: str
    description: str
    permissions: _containers.RepeatedScalarFieldContainer[str]
    rate_limit: _api_key_pb2.RateLimit
    expires_at: _timestamp_pb2.Timestamp
    update_mask: str
    metadata: _struct_pb2.Struct
    external_id: str
    allowed_ips: _containers.RepeatedScalarFieldContainer[str]
    allowed_origins: _containers.RepeatedScalarFieldContainer[str]
    allow_browser: bool
    def __init__(self, key_id: _Optional[str] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., permissions: _Optional[_Iterable[str]] = ..., rate_limit: _Optional[_Union[_api_key_pb2.RateLimit, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_mask: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., external_id: _Optional[str] = ..., allowed_ips: _Optional[_Iterable[str]] = ..., allowed_origins: _Optional[_Iterable[str]] = ..., allow_browser: bool = ...) -> None: ...

class UpdateApiKeyResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _api_key_pb2.ApiKey
    def __init__(self, result: _Optional[_Union[_api_key_pb2.ApiKey, _Mapping]] = ...) -> None: ...

class RevokeApiKeyRequest(_message.Message):
    __slots__ = ("key_id",)
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    def __init__(self, key_id: _Optional[str] = ...) -> None: ...

class RevokeApiKeyResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _api_key_pb2.ApiKey
    def __init__(self, result: _Optional[_Union[_api_key_pb2.ApiKey, _Mapping]] = ...) -> None: ...

class DisableApiKeyRequest(_message.Message):
    __slots__ = ("key_id",)
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    def __init__(self, key_id: _Optional[str] = ...) -> None: ...

class DisableApiKeyResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _api_key_pb2.ApiKey
    def __init__(self, result: _Optional[_Union[_api_key_pb2.ApiKey, _Mapping]] = ...) -> None: ...

class EnableApiKeyRequest(_message.Message):
    __slots__ = ("key_id",)
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    def __init__(self, key_id: _Optional[str] = ...) -> None: ...

class EnableApiKeyResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _api_key_pb2.ApiKey
    def __init__(self, result: _Optional[_Union[_api_key_pb2.ApiKey, _Mapping]] = ...) -> None: ...

class GetApiKeyUsageRequest(_message.Message):
    __slots__ = ("key_id", "to", "step")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    to: _timestamp_pb2.Timestamp
    step: str
    def __init__(self, key_id: _Optional[str] = ..., to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., step: _Optional[str] = ..., **kwargs) -> None: ...

class ApiKeyUsage(_message.Message):
    __slots__ = ("total_verifications", "successful_verifications", "failed_verifications")
    TOTAL_VERIFICATIONS_FIELD_NUMBER: _ClassVar[int]
    SUCCESSFUL_VERIFICATIONS_FIELD_NUMBER: _ClassVar[int]
    FAILED_VERIFICATIONS_FIELD_NUMBER: _ClassVar[int]
    total_verifications: float
    successful_verifications: float
    failed_verifications: float
    def __init__(self, total_verifications: _Optional[float] = ..., successful_verifications: _Optional[float] = ..., failed_verifications: _Optional[float] = ...) -> None: ...

class GetApiKeyUsageResponse(_message.Message):
    __slots__ = ("result", "series")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    SERIES_FIELD_NUMBER: _ClassVar[int]
    result: ApiKeyUsage
    series: _struct_pb2.ListValue
    def __init__(self, result: _Optional[_Union[ApiKeyUsage, _Mapping]] = ..., series: _Optional[_Union[_struct_pb2.ListValue, _Mapping]] = ...) -> None: ...

class RotateApiKeyRequest(_message.Message):
    __slots__ = ("key_id", "grace_period_hours", "client_request_id")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    GRACE_PERIOD_HOURS_FIELD_NUMBER: _ClassVar[int]
    CLIENT_REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    grace_period_hours: int
    client_request_id: str
    def __init__(self, key_id: _Optional[str] = ..., grace_period_hours: _Optional[int] = ..., client_request_id: _Optional[str] = ...) -> None: ...

class RotateApiKeyResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: IssuedKey
    def __init__(self, result: _Optional[_Union[IssuedKey, _Mapping]] = ...) -> None: ...

class ImportApiKeysRequest(_message.Message):
    __slots__ = ("keys", "dry_run")
    KEYS_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    keys: _containers.RepeatedCompositeFieldContainer[_key_import_pb2.ImportedRow]
    dry_run: bool
    def __init__(self, keys: _Optional[_Iterable[_Union[_key_import_pb2.ImportedRow, _Mapping]]] = ..., dry_run: bool = ...) -> None: ...

class ImportApiKeysResponse(_message.Message):
    __slots__ = ("results", "created", "exists", "refused")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    EXISTS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[_key_import_pb2.ImportResult]
    created: int
    exists: int
    refused: int
    def __init__(self, results: _Optional[_Iterable[_Union[_key_import_pb2.ImportResult, _Mapping]]] = ..., created: _Optional[int] = ..., exists: _Optional[int] = ..., refused: _Optional[int] = ...) -> None: ...

class CheckOidcRequest(_message.Message):
    __slots__ = ("oidc", "key_id", "token")
    OIDC_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    oidc: _api_key_pb2.OidcConfig
    key_id: str
    token: str
    def __init__(self, oidc: _Optional[_Union[_api_key_pb2.OidcConfig, _Mapping]] = ..., key_id: _Optional[str] = ..., token: _Optional[str] = ...) -> None: ...

class CheckOidcResponse(_message.Message):
    __slots__ = ("steps", "passed")
    STEPS_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    steps: _containers.RepeatedCompositeFieldContainer[CheckOidcStep]
    passed: bool
    def __init__(self, steps: _Optional[_Iterable[_Union[CheckOidcStep, _Mapping]]] = ..., passed: bool = ...) -> None: ...

class CheckOidcStep(_message.Message):
    __slots__ = ("name", "passed", "expected", "found", "detail")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    FOUND_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    name: str
    passed: bool
    expected: str
    found: str
    detail: str
    def __init__(self, name: _Optional[str] = ..., passed: bool = ..., expected: _Optional[str] = ..., found: _Optional[str] = ..., detail: _Optional[str] = ...) -> None: ...
