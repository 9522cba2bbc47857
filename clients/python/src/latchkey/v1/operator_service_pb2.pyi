import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from latchkey.v1 import api_key_pb2 as _api_key_pb2
from latchkey.v1 import api_key_service_pb2 as _api_key_service_pb2
from latchkey.v1 import audit_pb2 as _audit_pb2
from latchkey.v1 import key_format_pb2 as _key_format_pb2
from latchkey.v1 import key_import_pb2 as _key_import_pb2
from latchkey.v1 import pagination_pb2 as _pagination_pb2
from latchkey.v1 import request_pb2 as _request_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FindKeysRequest(_message.Message):
    __slots__ = ("key_id", "key_prefix", "key", "page", "per_page", "page_token")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_PREFIX_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    PER_PAGE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    key_prefix: str
    key: str
    page: int
    per_page: int
    page_token: str
    def __init__(self, key_id: _Optional[str] = ..., key_prefix: _Optional[str] = ..., key: _Optional[str] = ..., page: _Optional[int] = ..., per_page: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class FindKeysResponse(_message.Message):
    __slots__ = ("keys", "pagination", "next_page_token")
    KEYS_FIELD_NUMBER: _ClassVar[int]
    PAGINATION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    keys: _containers.RepeatedCompositeFieldContainer[_api_key_pb2.ApiKey]
    pagination: _pagination_pb2.Pagination
    next_page_token: str
    def __init__(self, keys: _Optional[_Iterable[_Union[_api_key_pb2.ApiKey, _Mapping]]] = ..., pagination: _Optional[_Union[_pagination_pb2.Pagination, _Mapping]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class CreateTenantKeyRequest(_message.Message):
    __slots__ = ("tenant_id", "name", "description", "key_type", "permissions", "rate_limit", "expires_at", "publishable_config", "metadata", "external_id", "allowed_ips", "allowed_origins", "allow_browser", "client_request_id", "secret_hash", "key_prefix")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
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
    tenant_id: str
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
    def __init__(self, tenant_id: _Optional[str] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., key_type: _Optional[_Union[_api_key_pb2.KeyType, str]] = ..., permissions: _Optional[_Iterable[str]] = ..., rate_limit: _Optional[_Union[_api_key_pb2.RateLimit, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., publishable_config: _Optional[_Union[_api_key_pb2.PublishableConfig, _Mapping]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., external_id: _Optional[str] = ..., allowed_ips: _Optional[_Iterable[str]] = ..., allowed_origins: _Optional[_Iterable[str]] = ..., allow_browser: bool = ..., client_request_id: _Optional[str] = ..., secret_hash: _Optional[str] = ..., key_prefix: _Optional[str] = ...) -> None: ...

class CreateTenantKeyResponse(_message.Message):
    __slots__ = ("result", "warning")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    WARNING_FIELD_NUMBER: _ClassVar[int]
    result: _api_key_service_pb2.IssuedKey
    warning: str
    def __init__(self, result: _Optional[_Union[_api_key_service_pb2.IssuedKey, _Mapping]] = ..., warning: _Optional[str] = ...) -> None: ...

class ListTenantKeysRequest(_message.Message):
    __slots__ = ("tenant_id", "page", "per_page", "status", "external_id", "name_prefix", "key_prefix", "key_type", "scope", "sort", "last_used_before", "expires_before", "leaked", "search", "page_token", "imported", "key_format")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
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
    tenant_id: str
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
    def __init__(self, tenant_id: _Optional[str] = ..., page: _Optional[int] = ..., per_page: _Optional[int] = ..., status: _Optional[_Union[_api_key_pb2.KeyStatus, str]] = ..., external_id: _Optional[str] = ..., name_prefix: _Optional[str] = ..., key_prefix: _Optional[str] = ..., key_type: _Optional[_Union[_api_key_pb2.KeyType, str]] = ..., scope: _Optional[str] = ..., sort: _Optional[str] = ..., last_used_before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expires_before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., leaked: bool = ..., search: _Optional[str] = ..., page_token: _Optional[str] = ..., imported: bool = ..., key_format: _Optional[str] = ...) -> None: ...

class ListTenantKeysResponse(_message.Message):
    __slots__ = ("keys", "pagination", "next_page_token")
    KEYS_FIELD_NUMBER: _ClassVar[int]
    PAGINATION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    keys: _containers.RepeatedCompositeFieldContainer[_api_key_pb2.ApiKey]
    pagination: _pagination_pb2.Pagination
    next_page_token: str
    def __init__(self, keys: _Optional[_Iterable[_Union[_api_key_pb2.ApiKey, _Mapping]]] = ..., pagination: _Optional[_Union[_pagination_pb2.Pagination, _Mapping]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetTenantKeyRequest(_message.Message):
    __slots__ = ("tenant_id", "key_id")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    key_id: str
    def __init__(self, tenant_id: _Optional[str] = ..., key_id: _Optional[str] = ...) -> None: ...

class GetTenantKeyResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _api_key_pb2.ApiKey
    def __init__(self, result: _Optional[_Union[_api_key_pb2.ApiKey, _Mapping]] = ...) -> None: ...

class UpdateTenantKeyRequest(_message.Message):
    __slots__ = ("tenant_id", "key_id", "name", "description", "permissions", "rate_limit", "expires_at", "update_mask", "metadata", "external_id", "allowed_ips", "allowed_origins", "allow_browser")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
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
    tenant_id: str
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
    def __init__(self, tenant_id: _Optional[str] = ..., key_id: _Optional[str] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., permissions: _Optional[_Iterable[str]] = ..., rate_limit: _Optional[_Union[_api_key_pb2.RateLimit, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_mask: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., external_id: _Optional[str] = ..., allowed_ips: _Optional[_Iterable[str]] = ..., allowed_origins: _Optional[_Iterable[str]] = ..., allow_browser: bool = ...) -> None: ...

class UpdateTenantKeyResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _api_key_pb2.ApiKey
    def __init__(self, result: _Optional[_Union[_api_key_pb2.ApiKey, _Mapping]] = ...) -> None: ...

class RotateTenantKeyRequest(_message.Message):
    __slots__ = ("tenant_id", "key_id", "grace_period_hours", "client_request_id")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    GRACE_PERIOD_HOURS_FIELD_NUMBER: _ClassVar[int]
    CLIENT_REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    key_id: str
    grace_period_hours: int
    client_request_id: str
    def __init__(self, tenant_id: _Optional[str] = ..., key_id: _Optional[str] = ..., grace_period_hours: _Optional[int] = ..., client_request_id: _Optional[str] = ...) -> None: ...

class RotateTenantKeyResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _api_key_service_pb2.IssuedKey
    def __init__(self, result: _Optional[_Union[_api_key_service_pb2.IssuedKey, _Mapping]] = ...) -> None: ...

class GetTenantKeyUsageRequest(_message.Message):
    __slots__ = ("tenant_id", "key_id", "to", "step")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    key_id: str
    to: _timestamp_pb2.Timestamp
    step: str
    def __init__(self, tenant_id: _Optional[str] = ..., key_id: _Optional[str] = ..., to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., step: _Optional[str] = ..., **kwargs) -> None: ...

class GetTenantKeyUsageResponse(_message.Message):
    __slots__ = ("result", "series")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    SERIES_FIELD_NUMBER: _ClassVar[int]
    result: _api_key_service_pb2.ApiKeyUsage
    series: _struct_pb2.ListValue
    def __init__(self, result: _Optional[_Union[_api_key_service_pb2.ApiKeyUsage, _Mapping]] = ..., series: _Optional[_Union[_struct_pb2.ListValue, _Mapping]] = ...) -> None: ...

class DisableKeyRequest(_message.Message):
    __slots__ = ("key_id",)
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    def __init__(self, key_id: _Optional[str] = ...) -> None: ...

class DisableKeyResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _api_key_pb2.ApiKey
    def __init__(self, result: _Optional[_Union[_api_key_pb2.ApiKey, _Mapping]] = ...) -> None: ...

class EnableKeyRequest(_message.Message):
    __slots__ = ("key_id",)
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    def __init__(self, key_id: _Optional[str] = ...) -> None: ...

class EnableKeyResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _api_key_pb2.ApiKey
    def __init__(self, result: _Optional[_Union[_api_key_pb2.ApiKey, _Mapping]] = ...) -> None: ...

class RevokeKeyRequest(_message.Message):
    __slots__ = ("key_id",)
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    def __init__(self, key_id: _Optional[str] = ...) -> None: ...

class RevokeKeyResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _api_key_pb2.ApiKey
    def __init__(self, result: _Optional[_Union[_api_key_pb2.ApiKey, _Mapping]] = ...) -> None: ...

class ImportTenantKeysRequest(_message.Message):
    __slots__ = ("keys", "dry_run")
    KEYS_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    keys: _containers.RepeatedCompositeFieldContainer[_key_import_pb2.ImportedRow]
    dry_run: bool
    def __init__(self, keys: _Optional[_Iterable[_Union[_key_import_pb2.ImportedRow, _Mapping]]] = ..., dry_run: bool = ...) -> None: ...

class ImportTenantKeysResponse(_message.Message):
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

class ExportKeysRequest(_message.Message):
    __slots__ = ("per_page", "page_token")
    PER_PAGE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    per_page: int
    page_token: str
    def __init__(self, per_page: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ExportKeysResponse(_message.Message):
    __slots__ = ("keys", "next_page_token")
    KEYS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    keys: _containers.RepeatedCompositeFieldContainer[_key_import_pb2.ExportedKey]
    next_page_token: str
    def __init__(self, keys: _Optional[_Iterable[_Union[_key_import_pb2.ExportedKey, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class CreateKeyFormatRequest(_message.Message):
    __slots__ = ("key_format", "prefix", "length_min", "length_max", "alphabet", "case", "algorithm", "pepper", "hashed_part", "separator", "bearer", "tenants")
    KEY_FORMAT_FIELD_NUMBER: _ClassVar[int]
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    LENGTH_MIN_FIELD_NUMBER: _ClassVar[int]
    LENGTH_MAX_FIELD_NUMBER: _ClassVar[int]
    ALPHABET_FIELD_NUMBER: _ClassVar[int]
    CASE_FIELD_NUMBER: _ClassVar[int]
    ALGORITHM_FIELD_NUMBER: _ClassVar[int]
    PEPPER_FIELD_NUMBER: _ClassVar[int]
    HASHED_PART_FIELD_NUMBER: _ClassVar[int]
    SEPARATOR_FIELD_NUMBER: _ClassVar[int]
    BEARER_FIELD_NUMBER: _ClassVar[int]
    TENANTS_FIELD_NUMBER: _ClassVar[int]
    key_format: str
    prefix: str
    length_min: int
    length_max: int
    alphabet: str
    case: str
    algorithm: str
    pepper: str
    hashed_part: str
    separator: str
    bearer: bool
    tenants: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, key_format: _Optional[str] = ..., prefix: _Optional[str] = ..., length_min: _Optional[int] = ..., length_max: _Optional[int] = ..., alphabet: _Optional[str] = ..., case: _Optional[str] = ..., algorithm: _Optional[str] = ..., pepper: _Optional[str] = ..., hashed_part: _Optional[str] = ..., separator: _Optional[str] = ..., bearer: bool = ..., tenants: _Optional[_Iterable[str]] = ...) -> None: ...

class CreateKeyFormatResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _key_format_pb2.KeyFormat
    def __init__(self, result: _Optional[_Union[_key_format_pb2.KeyFormat, _Mapping]] = ...) -> None: ...

class ListKeyFormatsRequest(_message.Message):
    __slots__ = ("page_token",)
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_token: str
    def __init__(self, page_token: _Optional[str] = ...) -> None: ...

class ListKeyFormatsResponse(_message.Message):
    __slots__ = ("formats", "next_page_token")
    FORMATS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    formats: _containers.RepeatedCompositeFieldContainer[_key_format_pb2.KeyFormat]
    next_page_token: str
    def __init__(self, formats: _Optional[_Iterable[_Union[_key_format_pb2.KeyFormat, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DeleteKeyFormatRequest(_message.Message):
    __slots__ = ("key_format",)
    KEY_FORMAT_FIELD_NUMBER: _ClassVar[int]
    key_format: str
    def __init__(self, key_format: _Optional[str] = ...) -> None: ...

class DeleteKeyFormatResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Tenant(_message.Message):
    __slots__ = ("tenant_id", "name", "key_count", "suspended_at", "suspension_reason")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    KEY_COUNT_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_AT_FIELD_NUMBER: _ClassVar[int]
    SUSPENSION_REASON_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    name: str
    key_count: int
    suspended_at: _timestamp_pb2.Timestamp
    suspension_reason: str
    def __init__(self, tenant_id: _Optional[str] = ..., name: _Optional[str] = ..., key_count: _Optional[int] = ..., suspended_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., suspension_reason: _Optional[str] = ...) -> None: ...

class ListTenantsRequest(_message.Message):
    __slots__ = ("page", "per_page", "only_suspended", "page_token")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    PER_PAGE_FIELD_NUMBER: _ClassVar[int]
    ONLY_SUSPENDED_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page: int
    per_page: int
    only_suspended: bool
    page_token: str
    def __init__(self, page: _Optional[int] = ..., per_page: _Optional[int] = ..., only_suspended: bool = ..., page_token: _Optional[str] = ...) -> None: ...

class ListTenantsResponse(_message.Message):
    __slots__ = ("tenants", "pagination", "next_page_token")
    TENANTS_FIELD_NUMBER: _ClassVar[int]
    PAGINATION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tenants: _containers.RepeatedCompositeFieldContainer[Tenant]
    pagination: _pagination_pb2.Pagination
    next_page_token: str
    def __init__(self, tenants: _Optional[_Iterable[_Union[Tenant, _Mapping]]] = ..., pagination: _Optional[_Union[_pagination_pb2.Pagination, _Mapping]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetTenantRequest(_message.Message):
    __slots__ = ("tenant_id",)
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    def __init__(self, tenant_id: _Optional[str] = ...) -> None: ...

class GetTenantResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: Tenant
    def __init__(self, result: _Optional[_Union[Tenant, _Mapping]] = ...) -> None: ...

class SuspendTenantRequest(_message.Message):
    __slots__ = ("tenant_id", "reason")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    reason: str
    def __init__(self, tenant_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class SuspendTenantResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: Tenant
    def __init__(self, result: _Optional[_Union[Tenant, _Mapping]] = ...) -> None: ...

class ResumeTenantRequest(_message.Message):
    __slots__ = ("tenant_id",)
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    def __init__(self, tenant_id: _Optional[str] = ...) -> None: ...

class ResumeTenantResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: Tenant
    def __init__(self, result: _Optional[_Union[Tenant, _Mapping]] = ...) -> None: ...

class EraseUserRequest(_message.Message):
    __slots__ = ("tenant_id", "user_id", "issuer")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    user_id: str
    issuer: str
    def __init__(self, tenant_id: _Optional[str] = ..., user_id: _Optional[str] = ..., issuer: _Optional[str] = ...) -> None: ...

class EraseUserResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: Erasure
    def __init__(self, result: _Optional[_Union[Erasure, _Mapping]] = ...) -> None: ...

class EraseTenantRequest(_message.Message):
    __slots__ = ("tenant_id",)
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    def __init__(self, tenant_id: _Optional[str] = ...) -> None: ...

class EraseTenantResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: Erasure
    def __init__(self, result: _Optional[_Union[Erasure, _Mapping]] = ...) -> None: ...

class Erasure(_message.Message):
    __slots__ = ("erasure_id", "tenant_id", "user_id", "finished", "removed")
    ERASURE_ID_FIELD_NUMBER: _ClassVar[int]
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    erasure_id: str
    tenant_id: str
    user_id: str
    finished: bool
    removed: ErasedRecords
    def __init__(self, erasure_id: _Optional[str] = ..., tenant_id: _Optional[str] = ..., user_id: _Optional[str] = ..., finished: bool = ..., removed: _Optional[_Union[ErasedRecords, _Mapping]] = ...) -> None: ...

class ErasedRecords(_message.Message):
    __slots__ = ("conversations", "runs", "messages", "client_message_ids", "members", "invitations", "client_org_ids", "org_names", "keys", "key_actors", "key_usage", "requests", "webhooks", "webhook_events", "access_tokens", "federation_rules")
    CONVERSATIONS_FIELD_NUMBER: _ClassVar[int]
    RUNS_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    CLIENT_MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    INVITATIONS_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ORG_IDS_FIELD_NUMBER: _ClassVar[int]
    ORG_NAMES_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    KEY_ACTORS_FIELD_NUMBER: _ClassVar[int]
    KEY_USAGE_FIELD_NUMBER: _ClassVar[int]
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    WEBHOOKS_FIELD_NUMBER: _ClassVar[int]
    WEBHOOK_EVENTS_FIELD_NUMBER: _ClassVar[int]
    ACCESS_TOKENS_FIELD_NUMBER: _ClassVar[int]
    FEDERATION_RULES_FIELD_NUMBER: _ClassVar[int]
    conversations: float
    runs: float
    messages: float
    client_message_ids: float
    members: float
    invitations: float
    client_org_ids: float
    org_names: float
    keys: float
    key_actors: float
    key_usage: float
    requests: float
    webhooks: float
    webhook_events: float
    access_tokens: float
    federation_rules: float
    def __init__(self, conversations: _Optional[float] = ..., runs: _Optional[float] = ..., messages: _Optional[float] = ..., client_message_ids: _Optional[float] = ..., members: _Optional[float] = ..., invitations: _Optional[float] = ..., client_org_ids: _Optional[float] = ..., org_names: _Optional[float] = ..., keys: _Optional[float] = ..., key_actors: _Optional[float] = ..., key_usage: _Optional[float] = ..., requests: _Optional[float] = ..., webhooks: _Optional[float] = ..., webhook_events: _Optional[float] = ..., access_tokens: _Optional[float] = ..., federation_rules: _Optional[float] = ...) -> None: ...

class ListTenantsEventsRequest(_message.Message):
    __slots__ = ("tenant_id", "page_token", "per_page", "to", "actor_id", "action", "target_id", "request_id")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PER_PAGE_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    page_token: str
    per_page: int
    to: _timestamp_pb2.Timestamp
    actor_id: str
    action: str
    target_id: str
    request_id: str
    def __init__(self, tenant_id: _Optional[str] = ..., page_token: _Optional[str] = ..., per_page: _Optional[int] = ..., to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., actor_id: _Optional[str] = ..., action: _Optional[str] = ..., target_id: _Optional[str] = ..., request_id: _Optional[str] = ..., **kwargs) -> None: ...

class ListTenantsEventsResponse(_message.Message):
    __slots__ = ("events", "next_page_token")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[_audit_pb2.AuditEvent]
    next_page_token: str
    def __init__(self, events: _Optional[_Iterable[_Union[_audit_pb2.AuditEvent, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ExplainAnyRequestRequest(_message.Message):
    __slots__ = ("request_id",)
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    def __init__(self, request_id: _Optional[str] = ...) -> None: ...

class ExplainAnyRequestResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _request_pb2.RequestExplanation
    def __init__(self, result: _Optional[_Union[_request_pb2.RequestExplanation, _Mapping]] = ...) -> None: ...
