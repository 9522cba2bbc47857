import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class InvitationStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    INVITATION_STATUS_UNSPECIFIED: _ClassVar[InvitationStatus]
    INVITATION_STATUS_PENDING: _ClassVar[InvitationStatus]
    INVITATION_STATUS_ACCEPTED: _ClassVar[InvitationStatus]
    INVITATION_STATUS_REVOKED: _ClassVar[InvitationStatus]
    INVITATION_STATUS_EXPIRED: _ClassVar[InvitationStatus]
    INVITATION_STATUS_ENDED: _ClassVar[InvitationStatus]
INVITATION_STATUS_UNSPECIFIED: InvitationStatus
INVITATION_STATUS_PENDING: InvitationStatus
INVITATION_STATUS_ACCEPTED: InvitationStatus
INVITATION_STATUS_REVOKED: InvitationStatus
INVITATION_STATUS_EXPIRED: InvitationStatus
INVITATION_STATUS_ENDED: InvitationStatus

class Organization(_message.Message):
    __slots__ = ("org_id", "tenant_id", "name", "created_at")
    ORG_ID_FIELD_NUMBER: _ClassVar[int]
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    org_id: str
    tenant_id: str
    name: str
    created_at: _timestamp_pb2.Timestamp
    def __init__(self, org_id: _Optional[str] = ..., tenant_id: _Optional[str] = ..., name: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Membership(_message.Message):
    __slots__ = ("org_id", "tenant_id", "name", "role", "current")
    ORG_ID_FIELD_NUMBER: _ClassVar[int]
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CURRENT_FIELD_NUMBER: _ClassVar[int]
    org_id: str
    tenant_id: str
    name: str
    role: str
    current: bool
    def __init__(self, org_id: _Optional[str] = ..., tenant_id: _Optional[str] = ..., name: _Optional[str] = ..., role: _Optional[str] = ..., current: bool = ...) -> None: ...

class Member(_message.Message):
    __slots__ = ("user_id", "issuer", "role", "email", "created_at")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    EMAIL_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    issuer: str
    role: str
    email: str
    created_at: _timestamp_pb2.Timestamp
    def __init__(self, user_id: _Optional[str] = ..., issuer: _Optional[str] = ..., role: _Optional[str] = ..., email: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class InvitationMaker(_message.Message):
    __slots__ = ("user_id", "issuer")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    issuer: str
    def __init__(self, user_id: _Optional[str] = ..., issuer: _Optional[str] = ...) -> None: ...

class Invitation(_message.Message):
    __slots__ = ("invitation_id", "email", "role", "status", "created_at", "expires_at", "accepted_at", "created_by")
    INVITATION_ID_FIELD_NUMBER: _ClassVar[int]
    EMAIL_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_AT_FIELD_NUMBER: _ClassVar[int]
    CREATED_BY_FIELD_NUMBER: _ClassVar[int]
    invitation_id: str
    email: str
    role: str
    status: InvitationStatus
    created_at: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    accepted_at: _timestamp_pb2.Timestamp
    created_by: InvitationMaker
    def __init__(self, invitation_id: _Optional[str] = ..., email: _Optional[str] = ..., role: _Optional[str] = ..., status: _Optional[_Union[InvitationStatus, str]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., accepted_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., created_by: _Optional[_Union[InvitationMaker, _Mapping]] = ...) -> None: ...

class InvitationOffer(_message.Message):
    __slots__ = ("organization_name", "role", "invited_by_email", "expires_at")
    ORGANIZATION_NAME_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    INVITED_BY_EMAIL_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    organization_name: str
    role: str
    invited_by_email: str
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, organization_name: _Optional[str] = ..., role: _Optional[str] = ..., invited_by_email: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
