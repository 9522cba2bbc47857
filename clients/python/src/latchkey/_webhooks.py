from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Literal, TypeVar

from google.protobuf import json_format
from google.protobuf.message import Message

from latchkey.v1 import ApiKey, KeyPolicy, Run

WebhookEventType = Literal[
    "api_key.created",
    "api_key.updated",
    "api_key.rotated",
    "api_key.disabled",
    "api_key.enabled",
    "api_key.revoked",
    "api_key.leaked",
    "api_key.expiring",
    "api_key.expired",
    "api_key.unused",
    "api_key.rate_limited",
    "key_policy.updated",
    "org.member.added",
    "org.member.role_changed",
    "org.member.removed",
    "org.invitation.created",
    "org.invitation.accepted",
    "tenant.suspended",
    "tenant.resumed",
    "user.erased",
    "run.completed",
    "run.failed",
    "webhook.test",
]
"""What happened. A later service may send types that are not listed here: ignore them."""

WebhookProblem = Literal[
    "header_missing",
    "header_malformed",
    "timestamp_too_old",
    "timestamp_too_new",
    "signature_mismatch",
    "body_malformed",
]

# The least that Standard Webhooks allows.
_SIGNING_KEY_BYTES_MIN = 24
# Latchkey sends two signatures at most. A longer header would have us decode and compare what no sender of webhooks sends.
_SIGNATURE_CHARS_MAX = 4_096
_SECONDS = re.compile(r"[0-9]{1,12}")
_M = TypeVar("_M", bound=Message)


class WebhookVerificationError(Exception):
    """A request is not an event of this webhook: answer 400, and do nothing else with it."""

    def __init__(self, problem: WebhookProblem, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.problem: WebhookProblem = problem
        self.field = field
        """The header at fault, or `body`."""


@dataclass(frozen=True)
class WebhookEvent:
    """What a webhook was sent."""

    id: str
    """The header `webhook-id`: the same on every attempt, so store it to drop repetitions."""
    type: WebhookEventType
    timestamp: datetime
    """When it happened."""
    data: Mapping[str, Any]
    """All members of `data`, as JSON has them."""

    @property
    def tenant_id(self) -> str:
        """Empty for `webhook.test`."""
        return str(self.data.get("tenant_id", ""))

    @property
    def sequence(self) -> int:
        """Grows from each event of a record to the next: of two events of a key, the one with the higher number is later.

        0 for `webhook.test`.
        """
        return int(self.data.get("sequence", 0))

    def api_key(self) -> ApiKey:
        """The key of an event whose type begins with `api_key.`, as it was when the event was prepared.

        A key that was removed since has only its id.
        """
        return self._read("api_key.", ApiKey())

    def key_policy(self) -> KeyPolicy:
        """The policy of `key_policy.updated`."""
        return self._read("key_policy.", KeyPolicy())

    def run(self) -> Run:
        """The run of `run.completed` and `run.failed`, without any text of its conversation."""
        return self._read("run.", Run())

    def _read(self, prefix: str, message: _M) -> _M:
        if not self.type.startswith(prefix):
            raise ValueError(f"the event is of type {self.type}, and not of {prefix}*")
        return json_format.ParseDict(dict(self.data), message, ignore_unknown_fields=True)


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance_seconds: float = 300,
    now: datetime | None = None,
) -> WebhookEvent:
    """Checks the signature of a webhook (Standard Webhooks 1.0) and returns its event.

    `body` is the body as it came, before anything parsed it; `headers` may be in any case; `secret` is the webhook's,
    `whsec_...`, or several while you change from one to the next. `tolerance_seconds` is how far the time of the attempt may be
    from `now`, against replays; `now` is the present unless it is given, and has a time zone.

    Raises `WebhookVerificationError`, which says what was wrong with the request, and `ValueError` or `TypeError` for arguments
    that cannot work.
    """
    raw = _bytes_of(body)
    keys = _signing_keys(secret)
    if not tolerance_seconds >= 0:
        raise ValueError("tolerance_seconds: must be 0 or more")
    found = {name.lower(): value for name, value in headers.items()}
    event_id = _header(found, "webhook-id")
    timestamp = _header(found, "webhook-timestamp")
    signatures = _signatures(_header(found, "webhook-signature"))
    _check_time(timestamp, tolerance_seconds, now or datetime.now(timezone.utc))
    signed = f"{event_id}.{timestamp}.".encode() + raw
    expected = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    # In constant time.
    if not any(hmac.compare_digest(each, signature) for each in expected for signature in signatures):
        raise WebhookVerificationError(
            "signature_mismatch", "webhook-signature", "no signature is of this secret and body"
        )
    return _event(event_id, raw)


def _bytes_of(body: bytes | str) -> bytes:
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    raise TypeError("body: must be the raw body, text or bytes; the signature is of that, and not of a parsed one")


def _signing_keys(secret: str | Sequence[str]) -> list[bytes]:
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets:
        raise ValueError("secret: is missing")
    keys = [_from_base64(each[6:] if each.startswith("whsec_") else each) or b"" for each in secrets]
    if any(len(key) < _SIGNING_KEY_BYTES_MIN for key in keys):
        raise ValueError("secret: is not a webhook's secret: whsec_ and Base64")
    return keys


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name, "")
    if not value:
        raise WebhookVerificationError("header_missing", name, "is missing")
    return value


def _signatures(header: str) -> list[bytes]:
    """Those of the scheme that we know: others may stand beside it."""
    if len(header) > _SIGNATURE_CHARS_MAX:
        raise WebhookVerificationError(
            "header_malformed", "webhook-signature", f"is longer than {_SIGNATURE_CHARS_MAX} characters"
        )
    found = [_from_base64(each[3:]) for each in header.split(" ") if each.startswith("v1,")]
    signatures = [each for each in found if each]
    if not signatures:
        raise WebhookVerificationError("header_malformed", "webhook-signature", "has no v1 signature")
    return signatures


def _check_time(timestamp: str, tolerance_seconds: float, now: datetime) -> None:
    name = "webhook-timestamp"
    if _SECONDS.fullmatch(timestamp) is None:
        raise WebhookVerificationError("header_malformed", name, "is not a number of seconds")
    age = now.timestamp() - int(timestamp)
    if age > tolerance_seconds:
        raise WebhookVerificationError("timestamp_too_old", name, f"is more than {tolerance_seconds} s ago")
    if -age > tolerance_seconds:
        raise WebhookVerificationError("timestamp_too_new", name, f"is more than {tolerance_seconds} s ahead")


def _event(event_id: str, body: bytes) -> WebhookEvent:
    try:
        parsed = json.loads(body)
        kind, data = parsed["type"], parsed["data"]
        # Python 3.10 reads no Z.
        at = datetime.fromisoformat(parsed["timestamp"].replace("Z", "+00:00"))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise WebhookVerificationError(
            "body_malformed", "body", "is not an event with type, timestamp and data"
        ) from None
    if not (isinstance(kind, str) and kind and isinstance(data, dict)):
        raise WebhookVerificationError("body_malformed", "body", "is not an event with type, timestamp and data")
    return WebhookEvent(event_id, kind, at, data)  # type: ignore[arg-type]


def _from_base64(text: str) -> bytes | None:
    standard = text.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
