from __future__ import annotations

from dataclasses import dataclass
from typing import Any

KEY = "latchkey.caller"


@dataclass(frozen=True)
class Caller:
    """Who is calling, as Latchkey verified it."""

    kind: str
    """`dashboard_user`, `secret_key` or `publishable_key`."""
    tenant_id: str
    key_id: str | None
    """Begins with `key_`; None for a dashboard user."""
    user_id: str | None
    """The token's user, or the one a secret key acts for; None where there is none."""
    permissions: tuple[str, ...]
    """What the caller may do: scopes and wildcards of the API key, or of the dashboard user's roles."""


def caller_of(request: Any) -> Caller:
    """The caller of a request that a guard let pass: of an ASGI scope, or of what has one as `scope`, such as Starlette's
    requests. Raises a `LookupError` where no guard did, so that a forgotten guard shows."""
    scope = getattr(request, "scope", request)
    caller = scope.get(KEY)
    if not isinstance(caller, Caller):
        raise LookupError("no guard has let this request pass")
    return caller
