from latchkey.v1 import org_pb2 as _org_pb2
from latchkey.v1 import pagination_pb2 as _pagination_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateOrgRequest(_message.Message):
    __slots__ = ("name", "client_org_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ORG_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    client_org_id: str
    def __init__(self, name: _Optional[str] = ..., client_org_id: _Optional[str] = ...) -> None: ...

class CreateOrgResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _org_pb2.Organization
    def __init__(self, result: _Optional[_Union[_org_pb2.Organization, _Mapping]] = ...) -> None: ...

class ListOrgsRequest(_message.Message):
    __slots__ = ("page", "per_page", "page_token")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    PER_PAGE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page: int
    per_page: int
    page_token: str
    def __init__(self, page: _Optional[int] = ..., per_page: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListOrgsResponse(_message.Message):
    __slots__ = ("orgs", "pagination", "next_page_token")
    ORGS_FIELD_NUMBER: _ClassVar[int]
    PAGINATION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    orgs: _containers.RepeatedCompositeFieldContainer[_org_pb2.Membership]
    pagination: _pagination_pb2.Pagination
    next_page_token: str
    def __init__(self, orgs: _Optional[_Iterable[_Union[_org_pb2.Membership, _Mapping]]] = ..., pagination: _Optional[_Union[_pagination_pb2.Pagination, _Mapping]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetOrgRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetOrgResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _org_pb2.Organization
    def __init__(self, result: _Optional[_Union[_org_pb2.Organization, _Mapping]] = ...) -> None: ...

class UpdateOrgRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class UpdateOrgResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _org_pb2.Organization
    def __init__(self, result: _Optional[_Union[_org_pb2.Organization, _Mapping]] = ...) -> None: ...

class SwitchOrgRequest(_message.Message):
    __slots__ = ("org_id",)
    ORG_ID_FIELD_NUMBER: _ClassVar[int]
    org_id: str
    def __init__(self, org_id: _Optional[str] = ...) -> None: ...

class SwitchOrgResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _org_pb2.Membership
    def __init__(self, result: _Optional[_Union[_org_pb2.Membership, _Mapping]] = ...) -> None: ...

class ListMembersRequest(_message.Message):
    __slots__ = ("page", "per_page", "page_token")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    PER_PAGE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page: int
    per_page: int
    page_token: str
    def __init__(self, page: _Optional[int] = ..., per_page: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListMembersResponse(_message.Message):
    __slots__ = ("members", "pagination", "next_page_token")
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    PAGINATION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    members: _containers.RepeatedCompositeFieldContainer[_org_pb2.Member]
    pagination: _pagination_pb2.Pagination
    next_page_token: str
    def __init__(self, members: _Optional[_Iterable[_Union[_org_pb2.Member, _Mapping]]] = ..., pagination: _Optional[_Union[_pagination_pb2.Pagination, _Mapping]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class SetMemberRoleRequest(_message.Message):
    __slots__ = ("user_id", "issuer", "role")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    issuer: str
    role: str
    def __init__(self, user_id: _Optional[str] = ..., issuer: _Optional[str] = ..., role: _Optional[str] = ...) -> None: ...

class SetMemberRoleResponse(_message.Message):
    __slots__ = ("result", "warning")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    WARNING_FIELD_NUMBER: _ClassVar[int]
    result: _org_pb2.Member
    warning: str
    def __init__(self, result: _Optional[_Union[_org_pb2.Member, _Mapping]] = ..., warning: _Optional[str] = ...) -> None: ...

class RemoveMemberRequest(_message.Message):
    __slots__ = ("user_id", "issuer")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    issuer: str
    def __init__(self, user_id: _Optional[str] = ..., issuer: _Optional[str] = ...) -> None: ...

class RemoveMemberResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _org_pb2.Member
    def __init__(self, result: _Optional[_Union[_org_pb2.Member, _Mapping]] = ...) -> None: ...

class CreateInvitationRequest(_message.Message):
    __slots__ = ("email", "role", "client_request_id")
    EMAIL_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CLIENT_REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    email: str
    role: str
    client_request_id: str
    def __init__(self, email: _Optional[str] = ..., role: _Optional[str] = ..., client_request_id: _Optional[str] = ...) -> None: ...

class CreateInvitationResponse(_message.Message):
    __slots__ = ("result", "token", "already_created")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    ALREADY_CREATED_FIELD_NUMBER: _ClassVar[int]
    result: _org_pb2.Invitation
    token: str
    already_created: bool
    def __init__(self, result: _Optional[_Union[_org_pb2.Invitation, _Mapping]] = ..., token: _Optional[str] = ..., already_created: bool = ...) -> None: ...

class ListInvitationsRequest(_message.Message):
    __slots__ = ("page", "per_page", "page_token")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    PER_PAGE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page: int
    per_page: int
    page_token: str
    def __init__(self, page: _Optional[int] = ..., per_page: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListInvitationsResponse(_message.Message):
    __slots__ = ("invitations", "pagination", "next_page_token")
    INVITATIONS_FIELD_NUMBER: _ClassVar[int]
    PAGINATION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    invitations: _containers.RepeatedCompositeFieldContainer[_org_pb2.Invitation]
    pagination: _pagination_pb2.Pagination
    next_page_token: str
    def __init__(self, invitations: _Optional[_Iterable[_Union[_org_pb2.Invitation, _Mapping]]] = ..., pagination: _Optional[_Union[_pagination_pb2.Pagination, _Mapping]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RevokeInvitationRequest(_message.Message):
    __slots__ = ("invitation_id",)
    INVITATION_ID_FIELD_NUMBER: _ClassVar[int]
    invitation_id: str
    def __init__(self, invitation_id: _Optional[str] = ...) -> None: ...

class RevokeInvitationResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _org_pb2.Invitation
    def __init__(self, result: _Optional[_Union[_org_pb2.Invitation, _Mapping]] = ...) -> None: ...

class PreviewInvitationRequest(_message.Message):
    __slots__ = ("token",)
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    token: str
    def __init__(self, token: _Optional[str] = ...) -> None: ...

class PreviewInvitationResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _org_pb2.InvitationOffer
    def __init__(self, result: _Optional[_Union[_org_pb2.InvitationOffer, _Mapping]] = ...) -> None: ...

class AcceptInvitationRequest(_message.Message):
    __slots__ = ("token",)
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    token: str
    def __init__(self, token: _Optional[str] = ...) -> None: ...

class AcceptInvitationResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _org_pb2.Organization
    def __init__(self, result: _Optional[_Union[_org_pb2.Organization, _Mapping]] = ...) -> None: ...
