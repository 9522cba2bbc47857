from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from datetime import datetime, timezone
from enum import Enum
from typing import Any

import httpx
from google.protobuf.message import DecodeError

from latchkey._retry_after import retry_after_seconds
from latchkey.v1 import Denial as DenialDetail, DenialReason


class Reason(str, Enum):
    """Why a call was denied, as `denial_reason` in JSON. docs/errors.md has the cause and the remedy of each."""

    MISSING_CREDENTIALS = "missing_credentials"
    API_KEY_NOT_FOUND = "api_key_not_found"
    API_KEY_EXPIRED = "api_key_expired"
    API_KEY_DISABLED = "api_key_disabled"
    API_KEY_REVOKED = "api_key_revoked"
    API_KEY_INVALID = "api_key_invalid"
    INSUFFICIENT_SCOPE = "insufficient_scope"
    RATE_LIMITED = "rate_limited"
    PUBLISHABLE_KEY_REQUIRES_JWT = "publishable_key_requires_jwt"
    TOKEN_REVOKED = "token_revoked"
    JWT_EXPIRED = "jwt_expired"
    JWT_MALFORMED = "jwt_malformed"
    JWT_INVALID_SIGNATURE = "jwt_invalid_signature"
    JWT_INVALID_ISSUER = "jwt_invalid_issuer"
    JWT_INVALID_AUDIENCE = "jwt_invalid_audience"
    USER_ID_CLAIM_NOT_FOUND = "user_id_claim_not_found"
    TENANT_REQUIRED = "tenant_required"
    VERIFIER_ERROR = "verifier_error"
    MISCONFIGURED_PUBLISHABLE_KEY = "misconfigured_publishable_key"
    OIDC_NOT_CONFIGURED = "oidc_not_configured"
    TENANT_SUSPENDED = "tenant_suspended"
    ORIGIN_NOT_ALLOWED = "origin_not_allowed"
    UNKNOWN = "unknown"
    """A reason that is younger than this client."""


@dataclass(frozen=True)
class RateLimit:
    """The constraint that a call ran into."""

    limit: int
    """Maximum number of requests that it admits."""
    remaining: int
    """Requests it still admits."""
    reset_at: datetime
    """When it resets, to the second."""
    per_user: bool
    """Whether it is that of the request's user under the key; else it is the key's own."""


@dataclass(frozen=True)
class Denial:
    """What the service said about a denied call."""

    reason: Reason
    message: str
    """What to do, for people. Do not parse it."""
    rate_limit: RateLimit | None
    """With `rate_limited` only."""
    retry_after_seconds: float | None
    """Seconds until a retry is admitted (`rate_limited`) or can succeed (`verifier_error`)."""


class LatchkeyError(Exception):
    """A call failed. `code` is Connect's, such as `not_found`; `denial` is set if the caller was denied.

    `reason` says why, such as `key_not_found`; of a denial, it is the text of its reason. It is None if the error is not
    from the service. docs/errors.md lists all reasons; handle an unknown one by its `code`. `field` is the member of the
    request at fault, as JSON spells it, such as `permissions[2]`; None if it is not a single member. `run_id` is that of a message
    which `send_and_wait` had sent before it failed.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        reason: str | None = None,
        field: str | None = None,
        denial: Denial | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.reason = reason
        self.field = field
        self.denial = denial
        self.retry_after_seconds = retry_after_seconds
        self.run_id: str | None = None


def denial_of(error: BaseException) -> Denial | None:
    """The denial that a call failed with; None for every other error."""
    return error.denial if isinstance(error, LatchkeyError) else None


def is_denial(error: BaseException, *reasons: Reason) -> bool:
    """Whether a call was denied for one of these reasons; for any reason, if none is given."""
    denial = denial_of(error)
    return denial is not None and (not reasons or denial.reason in reasons)


# Of the service's errors. Other APIs have codes of their own, such as NOT_FOUND.
CODES = {
    "aborted",
    "already_exists",
    "canceled",
    "data_loss",
    "deadline_exceeded",
    "failed_precondition",
    "internal",
    "invalid_argument",
    "not_found",
    "out_of_range",
    "permission_denied",
    "resource_exhausted",
    "unauthenticated",
    "unavailable",
    "unimplemented",
    "unknown",
}
# What Connect takes a status for that comes without a code: a proxy's, mostly.
_CODES_OF_STATUSES = {
    400: "internal",
    401: "unauthenticated",
    403: "permission_denied",
    404: "unimplemented",
    429: "unavailable",
    502: "unavailable",
    503: "unavailable",
    504: "unavailable",
}
# Answers of a proxy in front of Latchkey, while the service is away or the caller too quick.
_STATUSES_OF_PROXIES = (429, 502, 503, 504)


def error_of(response: httpx.Response) -> LatchkeyError:
    """The error of an unsuccessful response."""
    after = retry_after_seconds(response.headers.get("Retry-After"), datetime.now(timezone.utc))
    if response.is_redirect:
        target = response.next_request.url if response.next_request is not None else None
        # Without the path, where a login page's ticket may be.
        origin = f" to {target.scheme}://{target.netloc.decode()}" if target is not None else ""
        message = f"the answer is a redirect ({response.status_code}{origin}), and none is followed"
        return LatchkeyError("unknown", f"{message}: is base_url that of a Latchkey service?")
    body = _json_object(response)
    code = body.get("code")
    if not isinstance(code, str) or code not in CODES:
        status = response.status_code
        fallback = _CODES_OF_STATUSES.get(status, "unknown")
        message = f"{response.request.url.host} answered with status {status} and none of Latchkey's errors"
        if status not in _STATUSES_OF_PROXIES:
            message += "; is base_url that of a Latchkey service?"
        return LatchkeyError(fallback, message, retry_after_seconds=after)
    message = str(body.get("message", ""))
    denial = _denial(body.get("details"), message, after)
    return LatchkeyError(
        code,
        message,
        reason=_text(body.get("reason")),
        field=_text(body.get("field")),
        denial=denial,
        retry_after_seconds=after,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _json_object(response: httpx.Response) -> dict[str, Any]:
    try:
        body = json.loads(response.content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _denial(details: object, message: str, after: float | None) -> Denial | None:
    for detail in details if isinstance(details, list) else []:
        if not isinstance(detail, dict) or detail.get("type") != "latchkey.v1.Denial":
            continue
        value = str(detail.get("value"))
        try:
            parsed = DenialDetail.FromString(base64.b64decode(value + "=" * (-len(value) % 4)))
        except (binascii.Error, DecodeError):
            continue
        limit = parsed.rate_limit
        return Denial(
            reason=_reason(parsed.reason),
            message=message,
            rate_limit=RateLimit(
                limit=limit.limit,
                remaining=limit.remaining,
                reset_at=limit.reset_at.ToDatetime(timezone.utc),
                per_user=limit.scope == "user",
            )
            if parsed.HasField("rate_limit")
            else None,
            retry_after_seconds=after,
        )
    return None


def _reason(number: int) -> Reason:
    try:
        return Reason(DenialReason.Name(number).removeprefix("DENIAL_REASON_").lower())
    except ValueError:
        return Reason.UNKNOWN
