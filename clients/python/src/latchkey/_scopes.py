from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

# The scopes of every Latchkey. A test compares them with those of the service.
BUILT_IN_SCOPES = (
    "conversations:read",
    "conversations:write",
    "plans:read",
    "plans:write",
    "users:read",
    "users:impersonate",
    "billing:read",
    "billing:write",
    "invoices:read",
    "invoices:write",
    "api_keys:read",
    "api_keys:write",
    "webhooks:read",
    "webhooks:write",
    "tenants:read",
    "tenants:write",
    "system:read",
    "system:write",
    "org:read",
    "org:write",
    "audit:read",
    "usage:read",
    "api_keys:admin",
)
# A scope that can be asked for, as Latchkey accepts it in its SCOPES_FILE. No wildcard has this form.
_SCOPE = re.compile(r"[a-z][a-z0-9_-]{0,62}:[a-z][a-z0-9_-]{0,62}")


def all_scopes(own_scopes: Sequence[str]) -> tuple[str, ...]:
    """All scopes that can be asked for. Raises a `ValueError` for own ones that no SCOPES_FILE could have."""
    if isinstance(own_scopes, str):
        raise ValueError('own_scopes must be a list of the scopes in SCOPES_FILE, such as ["reports:read"]')
    for scope in own_scopes:
        if not isinstance(scope, str) or not _SCOPE.fullmatch(scope):
            raise ValueError(f'own_scopes: {scope!r} must be one "domain:action", such as "reports:read"')
    return (*BUILT_IN_SCOPES, *own_scopes)


def checked_scopes(scopes: str | Sequence[str], known: Sequence[str]) -> list[str]:
    """The scopes as a list. Raises a `ValueError` for one that Latchkey does not have: every request would be refused."""
    given = [scopes] if isinstance(scopes, str) else list(scopes)
    for scope in given:
        if not isinstance(scope, str) or not _SCOPE.fullmatch(scope):
            raise ValueError(f'scopes: {scope!r} must be one "domain:action", such as "plans:read"')
        if scope not in known:
            # Only its own name means the scope that sets the rules for others.
            near = difflib.get_close_matches(scope, [one for one in known if not one.endswith(":admin")], 1, 0.75)
            hint = f'; did you mean "{near[0]}"? If not,' if near else ";"
            raise ValueError(
                f'scopes: "{scope}" is not a known scope{hint} name the scopes of Latchkey\'s SCOPES_FILE in own_scopes'
            )
    return given
