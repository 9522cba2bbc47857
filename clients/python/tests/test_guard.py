from __future__ import annotations

import dataclasses
import json
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from latchkey import Guard, Latchkey, LatchkeyGuard, caller_of, v1

from .conftest import CreateKey


async def plans(request: Request) -> JSONResponse:
    caller = caller_of(request)
    claims = [name for name in request.headers if name.startswith(("x-auth-", "x_auth_"))]
    return JSONResponse({"kind": caller.kind, "tenant": caller.tenant_id, "key": caller.key_id, "claims": claims})


def guarded(url: str, **options: Any) -> TestClient:
    """An app with one guarded route."""
    guard = Middleware(LatchkeyGuard, url, **options)
    return TestClient(Starlette(routes=[Route("/plans", plans, middleware=[guard])]))


def test_a_caller_with_the_scopes_passes(url: str, create_key: CreateKey) -> None:
    key = create_key("plans:*")
    headers = {"X-API-Key": key.key, "X-Auth-Tenant-Id": "other", "X_Auth_Tenant_Id": "other"}
    response = guarded(url, scopes=["plans:read", "plans:write"]).get("/plans", headers=headers)
    assert response.status_code == 200
    body = response.json()
    assert (body["kind"], body["key"], body["claims"]) == ("secret_key", key.key_id, [])
    assert body["tenant"] not in ("", "other")
    assert response.headers["X-RateLimit-Limit"]
    assert response.headers["X-Request-Id"].startswith("req_")


async def numbered(_: Request) -> JSONResponse:
    return JSONResponse({}, headers={"X-Request-Id": "own"})


def test_an_answers_own_request_id_stays(url: str, create_key: CreateKey) -> None:
    app = Guard(url).middleware()(Starlette(routes=[Route("/", numbered)]))
    answer = TestClient(app).get("/", headers={"X-API-Key": create_key("plans:*").key})
    assert answer.headers.get_list("X-Request-Id") == ["own"]
    assert answer.headers["X-RateLimit-Limit"]


def test_a_denial_is_relayed(url: str, create_key: CreateKey) -> None:
    app = guarded(url, scopes="plans:read")
    response = app.get("/plans")
    assert response.status_code == 401
    assert response.json()["denial_reason"] == "missing_credentials"
    assert response.headers["WWW-Authenticate"]
    assert response.headers["X-Request-Id"]
    key = create_key("billing:read").key
    response = app.get("/plans", headers={"X-API-Key": key})
    assert (response.status_code, response.json()["denial_reason"]) == (403, "insufficient_scope")
    response = app.get("/plans", headers=[("X-API-Key", key), ("X-API-Key", key)])
    assert (response.status_code, response.json()["denial_reason"]) == (401, "api_key_invalid")


def test_all_that_verify_answers_is_handed_over() -> None:
    answer = {
        "tenant_id": "ten_1",
        "key_id": "key_1",
        "user_id": "user_1",
        "permissions": ["plans:read"],
        "acting_for": "user_1",
        "token_id": "tok_1",
        "external_id": "customer_1",
        "metadata": {"plan": "pro", "seats": 5.0},
    }

    async def whole(request: Request) -> JSONResponse:
        return JSONResponse(dataclasses.asdict(caller_of(request)))

    http = httpx.AsyncClient(
        transport=httpx.MockTransport(lambda _: httpx.Response(200, json={"caller": "CALLER_SECRET_KEY", **answer}))
    )
    guard = Middleware(LatchkeyGuard, "https://keys.example", http=http)
    app = TestClient(Starlette(routes=[Route("/whole", whole, middleware=[guard])]))
    assert app.get("/whole").json() == {"kind": "secret_key", **answer}


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("/docs/errors#api_key_revoked", "Revoked; make a new one."),
        (
            "https://keys.example/docs/errors#api_key_revoked",
            "Revoked; make a new one. See https://keys.example/docs/errors#api_key_revoked",
        ),
    ],
)
def test_only_an_absolute_link_is_relayed(link: str, message: str) -> None:
    denial = {"code": "unauthenticated", "message": f"Revoked; make a new one. See {link}", "denial_reason": "api_key_revoked"}
    http = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: httpx.Response(401, json=denial)))
    response = guarded("https://keys.example", http=http).get("/plans")
    assert (response.status_code, response.json()["message"]) == (401, message)


def test_the_cost_is_spent_and_the_limit_relayed(url: str, create_key: CreateKey) -> None:
    key = create_key("plans:read", limit=v1.RateLimit(requests_per_minute=10, burst_size=10)).key
    app = guarded(url, scopes="plans:read", cost=10)
    assert app.get("/plans", headers={"X-API-Key": key}).status_code == 200
    response = app.get("/plans", headers={"X-API-Key": key})
    assert (response.status_code, response.json()["denial_reason"]) == (429, "rate_limited")
    assert int(response.headers["Retry-After"]) > 0


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (200, {}, "<h1>It works!</h1>"),
        (200, {}, json.dumps({"caller": "CALLER_OPERATOR", "tenant_id": "t"})),
        (200, {}, "x" * 70_000),
        (307, {"Location": "/login"}, ""),
        (200, {}, '"ok"'),
        (200, {}, "[]"),
        (200, {}, "null"),
        (200, {}, '{"caller":"bob"}'),
        (400, {}, "<h1>HTTP to an HTTPS port</h1>"),
        (401, {}, '{"code":"NO_TOKEN","message":"no"}'),
        (401, {}, '{"code":["unauthenticated"]}'),
        (404, {}, '{"code":"not_found"}'),
        (502, {}, "{}"),
    ],
)
def test_what_is_no_verdict_is_503(status: int, headers: dict[str, str], body: str) -> None:
    elsewhere = httpx.MockTransport(lambda _: httpx.Response(status, headers=headers, text=body))
    errors: list[Exception] = []
    app = guarded("https://elsewhere.example", http=httpx.AsyncClient(transport=elsewhere), on_error=errors.append)
    response = app.get("/plans", headers={"X-API-Key": "sk_x"})
    assert response.status_code == 503
    assert (response.json()["code"], response.json()["reason"]) == ("unavailable", "verifier_error")
    [error] = errors
    assert "is base_url that of a Latchkey service?" in str(error)


def test_a_service_that_is_away_and_a_scope_that_it_does_not_have_are_503(url: str, create_key: CreateKey) -> None:
    key = create_key("plans:*").key
    for base_url, scope in (("http://127.0.0.1:9", "plans:read"), (url, "plannings:read")):
        errors: list[Exception] = []
        app = guarded(base_url, scopes=scope, own_scopes=["plannings:read"], on_error=errors.append)
        assert app.get("/plans", headers={"X-API-Key": key}).status_code == 503
        assert len(errors) == 1


def test_a_closed_port_is_reported_with_its_address_and_cause() -> None:
    errors: list[Exception] = []
    assert guarded("http://127.0.0.1:9", on_error=errors.append).get("/plans").status_code == 503
    assert [type(error) for error in errors] == [ConnectionError]
    assert "could not be reached at 127.0.0.1:9: ConnectionRefusedError" in str(errors[0])


def test_a_websocket_without_credentials_is_closed(url: str) -> None:
    async def unreachable(scope: object, receive: object, send: object) -> None:
        raise AssertionError("the app ran")

    with pytest.raises(WebSocketDisconnect), TestClient(LatchkeyGuard(unreachable, url)).websocket_connect("/"):
        pass


@pytest.mark.parametrize(
    "options",
    [
        {"scopes": "plans:*"},
        {"scopes": ["plans"]},
        {"scopes": ["plans:read", "plan:read"]},
        {"own_scopes": "reports:read"},
        {"own_scopes": ["reports:*"]},
        {"timeout": 0},
        {"cost": 0},
        {"cost": 1_001},
    ],
)
def test_what_is_no_scope_or_cost_is_rejected_at_once(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        LatchkeyGuard(plans, "https://api.example.com", **options)  # type: ignore[arg-type]


def test_a_forgotten_guard_shows() -> None:
    with pytest.raises(LookupError):
        TestClient(Starlette(routes=[Route("/plans", plans)])).get("/plans")


def test_a_misspelt_scope_gets_the_one_that_was_meant() -> None:
    guard = Guard("https://api.example.com", own_scopes=["reports:read"])
    for scope, message in {
        "plan:read": '"plan:read" is not a known scope; did you mean "plans:read"\\? If not, name the scopes',
        "reports:raed": 'did you mean "reports:read"',
        "qqqqqqqqq:zz": '"qqqqqqqqq:zz" is not a known scope; name the scopes of .* in own_scopes',
    }.items():
        with pytest.raises(ValueError, match=message):
            guard.middleware(scope)
    guard.middleware(["reports:read", "plans:read"])


def test_the_guard_knows_every_scope_of_the_service(dashboard: Latchkey) -> None:
    names = [scope.name for scope in dashboard.scopes.list_scopes(v1.ListScopesRequest()).scopes]
    assert names
    Guard("https://api.example.com").middleware(names)


@pytest.mark.parametrize("url", ["api.example.com", "https://", "https://api.example.com:99999", "http://api.example.com"])
def test_a_wrong_url_ends_the_start(url: str) -> None:
    # Without a request, and although Starlette makes its middleware with the first one only.
    with pytest.raises(ValueError, match="base_url"):
        Starlette().add_middleware(Guard(url).middleware("plans:read"))


def test_the_middleware_of_a_guard_is_one_for_starlettes_apps(url: str, create_key: CreateKey) -> None:
    app = Starlette(routes=[Route("/plans", plans)])
    app.add_middleware(Guard(url).middleware("plans:read"))
    key = create_key("plans:read")
    assert TestClient(app).get("/plans", headers={"X-API-Key": key.key}).json()["key"] == key.key_id
    assert TestClient(app).get("/plans").status_code == 401


def test_the_first_failure_is_logged_and_no_other(caplog: pytest.LogCaptureFixture) -> None:
    elsewhere = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: httpx.Response(404, text="<h1>Not Found</h1>")))
    app = guarded("https://elsewhere.example", http=elsewhere)
    for _ in range(3):
        assert app.get("/plans", headers={"X-API-Key": "sk_private"}).status_code == 503
    [record] = [record for record in caplog.records if record.name == "latchkey"]
    assert "is base_url that of a Latchkey service?" in record.getMessage()
    assert "on_error" in record.getMessage()
    assert "private" not in record.getMessage()
