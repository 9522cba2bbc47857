from __future__ import annotations

import random
from dataclasses import dataclass

from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.message import Message

from latchkey._error import LatchkeyError, Reason, is_denial

_BACKOFF_SECONDS = 0.25
_BACKOFF_SECONDS_MAX = 8.0
# A call that has one of these is done once, however often it is sent.
_OWN_IDS = ("client_message_id", "client_org_id", "client_request_id")


@dataclass(frozen=True)
class Retry:
    """How calls that fail for a passing reason are made again.

    - `rate_limited`, any call, after `Retry-After`: the limit is checked before anything is done;
    - no answer, 503 or `verifier_error`, after `Retry-After` where it is sent: reads, and what has an id of the caller's or, where
      a secret is made, of the client's. Such a call makes one key, whose value may be lost with an answer.
    """

    attempts_max: int = 3
    """Most attempts at one call, the first one included; 1 never repeats."""
    pause_seconds_max: float = 30.0
    """Longest pause between two attempts. An error with a longer `Retry-After` is raised at once."""

    def __post_init__(self) -> None:
        if self.attempts_max < 1:
            raise ValueError("attempts_max must be at least 1")
        if self.pause_seconds_max < 0:
            raise ValueError("pause_seconds_max must be at least 0")

    def _pause_before(self, error: LatchkeyError, attempt: int, path: str, request: Message) -> float | None:
        """Seconds until the next attempt; None if there must be none."""
        if attempt >= self.attempts_max:
            return None
        asked = error.retry_after_seconds
        if is_denial(error, Reason.RATE_LIMITED):
            # Without Retry-After the call's cost is above the limit: no retry is admitted.
            return asked if asked is not None and asked <= self.pause_seconds_max else None
        if not _is_passing(error) or not _is_repeatable(path, request):
            return None
        if asked is not None:
            return asked if asked <= self.pause_seconds_max else None
        ceiling = min(_BACKOFF_SECONDS * 2.0 ** (attempt - 1), _BACKOFF_SECONDS_MAX, self.pause_seconds_max)
        return ceiling * random.uniform(0.5, 1)


def _is_passing(error: LatchkeyError) -> bool:
    """Whether the service, or what it needs, is away."""
    return error.code == "unavailable" or is_denial(error, Reason.VERIFIER_ERROR)


def _is_repeatable(path: str, request: Message) -> bool:
    return _is_read(path, request) or any(getattr(request, name, "") for name in _OWN_IDS)


def _is_read(path: str, request: Message) -> bool:
    """An RPC that does not say so in its proto is never repeated on a guess."""
    method = request.DESCRIPTOR.file.pool.FindMethodByName(path.removeprefix("/").replace("/", "."))
    return method.GetOptions().idempotency_level == MethodOptions.NO_SIDE_EFFECTS
