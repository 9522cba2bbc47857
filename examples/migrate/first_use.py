from __future__ import annotations

import json
from collections.abc import Callable

from latchkey import Guard, Latchkey, Verdict, v1


class FirstUse:
    """Decides by Latchkey. A key that it lacks is verified by your own check, once, and imported.

    `client` has the operator's token. `verify` is your own check by bcrypt or argon2, without that of scopes. It returns the row to import, or None for a text that is
    no key of yours, and for a key that has ended.
    """

    def __init__(self, guard: Guard, client: Latchkey, verify: Callable[[str], v1.ImportedRow | None]) -> None:
        self._guard = guard
        self._client = client
        self._verify = verify

    def check(self, key: str, scope: str) -> Verdict:
        verdict = self._guard.check_sync({"x-api-key": key}, scope)
        # Any other denial is final: the table must not bring back a key that was revoked in Latchkey.
        if verdict.caller is not None or json.loads(verdict.body).get("reason") != "api_key_not_found":
            return verdict
        row = self._verify(key)
        if row is None:
            return verdict
        row.key = key
        (result,) = self._client.operator.import_tenant_keys(v1.ImportTenantKeysRequest(keys=[row])).results
        if result.status == "REFUSED":
            raise ValueError(f"The key {row.name!r} was not imported: {result.message}")
        return self._guard.check_sync({"x-api-key": key}, scope)
