"""Keeps secrets out of what `repr`, `str` and `print` show of a message."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message

from latchkey import v1

_REDACTED = "[redacted]"


def redact_secrets() -> None:
    """Of all messages that have a member with `debug_redact`, or a message that has one. JSON and the members keep them."""
    for value in vars(v1).values():
        if isinstance(value, type) and issubclass(value, Message) and _has_secret(value.DESCRIPTOR, ()):
            _redact(value)


def _redact(kind: type[Message]) -> None:
    original = kind.__repr__

    def redacted(self: Message) -> str:
        shown = type(self)()
        shown.CopyFrom(self)
        _hide(shown)
        return original(shown)

    setattr(kind, "__repr__", redacted)
    setattr(kind, "__str__", redacted)


def _hide(message: Message) -> None:
    for field, value in message.ListFields():
        if field.GetOptions().debug_redact:
            setattr(message, field.name, _REDACTED)
        elif _is_message(field):
            for part in [value] if isinstance(value, Message) else value:
                _hide(part)


def _has_secret(descriptor: Any, seen: tuple[str, ...]) -> bool:
    if descriptor.full_name in seen:
        return False
    within = (*seen, descriptor.full_name)
    return any(
        field.GetOptions().debug_redact or (_is_message(field) and _has_secret(field.message_type, within))
        for field in descriptor.fields
    )


def _is_message(field: Any) -> bool:
    return field.message_type is not None and not field.message_type.GetOptions().map_entry
