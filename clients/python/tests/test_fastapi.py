from __future__ import annotations

from typing import Annotated

import httpx
import pytest
from fastapi import Depends, FastAPI, Header
from fastapi.testclient import TestClient

from latchkey import Caller, Guard, caller_of, v1
from latchkey.fastapi import relay_refusals, require
from starlette.requests import Request

from .conftest import CreateKey


def served(guard: Guard, *, relay: bool = True) -> TestClient:
    app = FastAPI()
    may_read = require(guard, "plans:read")
    may_write = require(guard, ["plans:read", "plans:write"], cost=4)

    async def plans(
        request: Request,
        caller: Annotated[Caller, Depends(may_read)],
        x_auth_tenant_id: Annotated[str | None, Header()] = None,
    ) -> dict[str, object]:
        claims = [name for name in request.headers if name.startswith(("x-auth-", "x_auth_"))]
        same = caller_of(request) is caller
        return {"key": caller.key_id, "same": same, "claims": claims, "header": x_auth_tenant_id}

    async def create(plan: dict[str, int]) -> dict[str, int]:
        return plan

    # The types are texts here, and those of this function are not to be found by their names.
    plans.__annotations__ = {"request": Request, "caller": Annotated[Caller, Depends(may_read)]} | {
        "x_auth_tenant_id": Annotated[str | None, Header()]
    }
    app.get("/plans")(plans)
    app.post("/plans", dependencies=[Depends(may_write)])(create)
    if relay:
        relay_refusals(app)
    return TestClient(app)


def test_a_route_gets_its_caller_and_no_claims(url: str, create_key: CreateKey) -> None:
    key = create_key("plans:*")
    headers = {"X-API-Key": key.key, "X-Auth-Tenant-Id": "other", "X_Auth_Tenant_Id": "other"}
    response = served(Guard(url)).get("/plans", headers=headers)
    assert response.json() == {"key": key.key_id, "same": True, "claims": [], "header": None}
    assert response.headers["X-RateLimit-Limit"]
    assert response.headers["X-Request-Id"].startswith("req_")


def test_a_refusal_is_relayed_before_the_body_is_read(url: str, create_key: CreateKey) -> None:
    app = served(Guard(url))
    response = app.post("/plans", content="no json")
    assert (response.status_code, response.json()["denial_reason"]) == (401, "missing_credentials")
    assert response.headers["WWW-Authenticate"]
    response = app.post("/plans", json={"n": 1}, headers={"X-API-Key": create_key("plans:read").key})
    assert (response.status_code, response.json()["denial_reason"]) == (403, "insufficient_scope")


def test_the_cost_is_spent(url: str, create_key: CreateKey) -> None:
    key = create_key("plans:*", limit=v1.RateLimit(requests_per_minute=10, burst_size=10)).key
    response = served(Guard(url)).post("/plans", json={"n": 1}, headers={"X-API-Key": key})
    assert (response.json(), response.headers["X-RateLimit-Remaining"]) == ({"n": 1}, "6")


def test_without_relay_the_refusal_is_the_detail(url: str) -> None:
    response = served(Guard(url), relay=False).get("/plans")
    assert (response.status_code, response.json()["detail"]["denial_reason"]) == (401, "missing_credentials")


def test_what_is_no_verdict_is_503() -> None:
    away = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: httpx.Response(404)))
    errors: list[Exception] = []
    app = served(Guard("https://elsewhere.example", http=away, on_error=errors.append))
    assert (app.get("/plans").status_code, len(errors)) == (503, 1)


def test_a_misspelt_scope_ends_the_start() -> None:
    with pytest.raises(ValueError, match="plans:read"):
        require(Guard("https://api.example.com"), "plan:read")
