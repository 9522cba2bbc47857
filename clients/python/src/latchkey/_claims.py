from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

_BEARER = re.compile(rb"bearer[ \t]+([^\s,]+)", re.IGNORECASE)


def claims_of(authorizations: Sequence[bytes]) -> dict[str, Any] | None:
    """What a bearer token says of itself. It is not verified here: Latchkey does that. None: it cannot be read."""
    match = _BEARER.fullmatch(authorizations[0].strip()) if len(authorizations) == 1 else None
    if match is None or match[1].count(b".") != 2:
        return None
    payload = match[1].split(b".")[1]
    try:
        claims = json.loads(base64.b64decode(payload + b"=" * (-len(payload) % 4), altchars=b"-_", validate=True))
    except (ValueError, RecursionError):
        return None
    return claims if isinstance(claims, dict) else None


def texts_of(claim: object) -> list[str]:
    """Of a claim that is a text or a list."""
    return [one for one in (claim if isinstance(claim, list) else [claim]) if isinstance(one, str)]


def is_granted(held: Iterable[str], scope: str) -> bool:
    """Whether one of the scopes and wildcards grants a scope, as Latchkey decides."""
    return any(one in ("*", scope) or (one.endswith(":*") and scope.startswith(one[:-1])) for one in held)
