import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class KeyFormat(_message.Message):
    __slots__ = ("key_format", "prefix", "length_min", "length_max", "alphabet", "case", "algorithm", "pepper", "hashed_part", "separator", "bearer", "tenants", "created_at", "problem")
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
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
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
    created_at: _timestamp_pb2.Timestamp
    problem: str
    def __init__(self, key_format: _Optional[str] = ..., prefix: _Optional[str] = ..., length_min: _Optional[int] = ..., length_max: _Optional[int] = ..., alphabet: _Optional[str] = ..., case: _Optional[str] = ..., algorithm: _Optional[str] = ..., pepper: _Optional[str] = ..., hashed_part: _Optional[str] = ..., separator: _Optional[str] = ..., bearer: bool = ..., tenants: _Optional[_Iterable[str]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., problem: _Optional[str] = ...) -> None: ...
