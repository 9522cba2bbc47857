from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
    """The token's user, or the one a secret key acts for; None without a user."""
    permissions: tuple[str, ...]
    """What the caller may do: scopes and wildcards of the API key, or of the dashboard user's roles."""
    acting_for: str | None = None
    """The user a secret key acts for, by `X-On-Behalf-Of` or by a token with that user; None if it does not."""
    token_id: str | None = None
    """Begins with `tok_`, if a token that stands for the secret key was sent; None otherwise."""
    external_id: str | None = None
    """The tenant's own identifier for what the key belongs to; None if the key has none."""
    metadata: Mapping[str, Any] | None = field(default=None, hash=False)
    """What the tenant keeps with the key; None if that is nothing."""


def caller_of(request: Any) -> Caller:
    """The caller of a request that a guard let pass: of an ASGI scope or a WSGI environment, or of what has one as `scope` or
    `environ`, such as Starlette's and Flask's requests. Raises a `LookupError` where no guard did, so that a forgotten guard shows."""
    scope = getattr(request, "scope", None) or getattr(request, "environ", request)
    caller = scope.get(KEY)
    if not isinstance(caller, Caller):
        raise LookupError("no guard has let this request pass")
    return caller
