from google.protobuf import struct_pb2 as _struct_pb2
from latchkey.v1 import federation_pb2 as _federation_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateFederationRuleRequest(_message.Message):
    __slots__ = ("name", "issuer", "jwks_url", "jwks", "audience", "claim_rules", "key_id", "scopes", "ttl_seconds")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    JWKS_URL_FIELD_NUMBER: _ClassVar[int]
    JWKS_FIELD_NUMBER: _ClassVar[int]
    AUDIENCE_FIELD_NUMBER: _ClassVar[int]
    CLAIM_RULES_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    TTL_SECONDS_FIELD_NUMBER: _ClassVar[int]
    name: str
    issuer: str
    jwks_url: str
    jwks: _struct_pb2.Struct
    audience: str
    claim_rules: _struct_pb2.ListValue
    key_id: str
    scopes: _containers.RepeatedScalarFieldContainer[str]
    ttl_seconds: int
    def __init__(self, name: _Optional[str] = ..., issuer: _Optional[str] = ..., jwks_url: _Optional[str] = ..., jwks: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., audience: _Optional[str] = ..., claim_rules: _Optional[_Union[_struct_pb2.ListValue, _Mapping]] = ..., key_id: _Optional[str] = ..., scopes: _Optional[_Iterable[str]] = ..., ttl_seconds: _Optional[int] = ...) -> None: ...

class CreateFederationRuleResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _federation_pb2.FederationRule
    def __init__(self, result: _Optional[_Union[_federation_pb2.FederationRule, _Mapping]] = ...) -> None: ...

class ListFederationRulesRequest(_message.Message):
    __slots__ = ("page_token",)
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_token: str
    def __init__(self, page_token: _Optional[str] = ...) -> None: ...

class ListFederationRulesResponse(_message.Message):
    __slots__ = ("rules", "next_page_token")
    RULES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    rules: _containers.RepeatedCompositeFieldContainer[_federation_pb2.FederationRule]
    next_page_token: str
    def __init__(self, rules: _Optional[_Iterable[_Union[_federation_pb2.FederationRule, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetFederationRuleRequest(_message.Message):
    __slots__ = ("rule_id",)
    RULE_ID_FIELD_NUMBER: _ClassVar[int]
    rule_id: str
    def __init__(self, rule_id: _Optional[str] = ...) -> None: ...

class GetFederationRuleResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _federation_pb2.FederationRule
    def __init__(self, result: _Optional[_Union[_federation_pb2.FederationRule, _Mapping]] = ...) -> None: ...

class UpdateFederationRuleRequest(_message.Message):
    __slots__ = ("rule_id", "name", "issuer", "jwks_url", "jwks", "audience", "claim_rules", "key_id", "scopes", "ttl_seconds", "status", "update_mask")
    RULE_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    JWKS_URL_FIELD_NUMBER: _ClassVar[int]
    JWKS_FIELD_NUMBER: _ClassVar[int]
    AUDIENCE_FIELD_NUMBER: _ClassVar[int]
    CLAIM_RULES_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    TTL_SECONDS_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    rule_id: str
    name: str
    issuer: str
    jwks_url: str
    jwks: _struct_pb2.Struct
    audience: str
    claim_rules: _struct_pb2.ListValue
    key_id: str
    scopes: _containers.RepeatedScalarFieldContainer[str]
    ttl_seconds: int
    status: _federation_pb2.FederationRuleStatus
    update_mask: str
    def __init__(self, rule_id: _Optional[str] = ..., name: _Optional[str] = ..., issuer: _Optional[str] = ..., jwks_url: _Optional[str] = ..., jwks: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., audience: _Optional[str] = ..., claim_rules: _Optional[_Union[_struct_pb2.ListValue, _Mapping]] = ..., key_id: _Optional[str] = ..., scopes: _Optional[_Iterable[str]] = ..., ttl_seconds: _Optional[int] = ..., status: _Optional[_Union[_federation_pb2.FederationRuleStatus, str]] = ..., update_mask: _Optional[str] = ...) -> None: ...

class UpdateFederationRuleResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _federation_pb2.FederationRule
    def __init__(self, result: _Optional[_Union[_federation_pb2.FederationRule, _Mapping]] = ...) -> None: ...

class DeleteFederationRuleRequest(_message.Message):
    __slots__ = ("rule_id",)
    RULE_ID_FIELD_NUMBER: _ClassVar[int]
    rule_id: str
    def __init__(self, rule_id: _Optional[str] = ...) -> None: ...

class DeleteFederationRuleResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CheckFederationAssertionRequest(_message.Message):
    __slots__ = ("rule_id", "assertion")
    RULE_ID_FIELD_NUMBER: _ClassVar[int]
    ASSERTION_FIELD_NUMBER: _ClassVar[int]
    rule_id: str
    assertion: str
    def __init__(self, rule_id: _Optional[str] = ..., assertion: _Optional[str] = ...) -> None: ...

class CheckFederationAssertionResponse(_message.Message):
    __slots__ = ("passed", "steps")
    PASSED_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    passed: bool
    steps: _containers.RepeatedCompositeFieldContainer[_federation_pb2.FederationStep]
    def __init__(self, passed: bool = ..., steps: _Optional[_Iterable[_Union[_federation_pb2.FederationStep, _Mapping]]] = ...) -> None: ...
