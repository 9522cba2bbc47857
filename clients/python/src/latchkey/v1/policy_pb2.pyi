from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class Caller(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CALLER_UNSPECIFIED: _ClassVar[Caller]
    CALLER_DASHBOARD_USER: _ClassVar[Caller]
    CALLER_SECRET_KEY: _ClassVar[Caller]
    CALLER_PUBLISHABLE_KEY: _ClassVar[Caller]
    CALLER_OPERATOR: _ClassVar[Caller]
    CALLER_ANYONE: _ClassVar[Caller]
CALLER_UNSPECIFIED: Caller
CALLER_DASHBOARD_USER: Caller
CALLER_SECRET_KEY: Caller
CALLER_PUBLISHABLE_KEY: Caller
CALLER_OPERATOR: Caller
CALLER_ANYONE: Caller
