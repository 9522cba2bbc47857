from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from latchkey._caller import Caller

_UNVERIFIED = {
    "code": "unavailable",
    "message": "The credentials could not be checked just now: they are neither accepted nor refused. Retry.",
    "reason": "verifier_error",
}


@dataclass(frozen=True)
class Verdict:
    """What was decided about a request."""

    status: int
    """200 for a request that may pass; otherwise the status to answer."""
    headers: dict[str, str]
    """By their names in lower case, for the answer to the request: its key's limit, `x-request-id`, by which Latchkey knows the
    decision, and what a refusal has besides."""
    body: bytes
    """To answer a refused request with."""
    caller: Caller | None = None
    """None: the request is refused."""

    @property
    def sized_headers(self) -> dict[str, str]:
        """Those of a refusal, with the length of its body."""
        return {**self.headers, "content-length": str(len(self.body))}

    def answer_headers(self, own: Iterable[str]) -> list[tuple[str, str]]:
        """The headers for an answer that has some of its own. Its `X-Request-Id` stays: the service's log has that one."""
        has_id = "x-request-id" in (name.lower() for name in own)
        return [(name, value) for name, value in self.headers.items() if not (has_id and name == "x-request-id")]


def unverified() -> Verdict:
    """The answer to a caller whose credentials were not checked."""
    return Verdict(503, {"content-type": "application/json"}, json.dumps(_UNVERIFIED).encode())
