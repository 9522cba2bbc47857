from __future__ import annotations

import base64
import json
from typing import Any

import httpx
import pytest
from fastapi import Depends, FastAPI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from latchkey import Guard, LatchkeyGuard, Resource, caller_of
from latchkey.fastapi import relay_refusals, require

from .conftest import CreateKey

# The audience of the tokens of LATCHKEY_PUBLISHABLE_KEY.
URL = "https://mcp.example.com/mcp"
PATH = "/.well-known/oauth-protected-resource/mcp"
METADATA = f"https://mcp.example.com{PATH}"
RESOURCE = Resource(URL, ["https://idp.example.com"])


async def handle(request: Request) -> JSONResponse:
    return JSONResponse({"kind": caller_of(request).kind})


def guarded(guard: Guard, scopes: str | list[str] = "conversations:read") -> TestClient:
    return TestClient(guard.middleware(scopes)(Starlette(routes=[Route("/mcp", handle)])))


def unsigned(claims: object) -> str:
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"Bearer e30.{payload}.c2ln"


def test_the_metadata_is_for_anyone_and_nothing_else_is(url: str) -> None:
    guard = Guard(url, resource=Resource(URL, ["https://idp.example.com"], scopes=["conversations:read"]))
    served = FastAPI()
    served.add_middleware(guard.metadata)
    served.get("/mcp", dependencies=[Depends(require(guard))])(lambda: None)
    relay_refusals(served)
    for app in (
        guarded(guard),
        TestClient(LatchkeyGuard(Starlette(), url, resource=Resource(URL, ["https://idp.example.com"], ["conversations:read"]))),
        TestClient(guard.mcp({})(Starlette())),
        TestClient(served),
    ):
        answer = app.get(PATH)
        assert (answer.status_code, answer.json()) == (
            200,
            {
                "resource": URL,
                "authorization_servers": ["https://idp.example.com"],
                "scopes_supported": ["conversations:read"],
                "bearer_methods_supported": ["header"],
            },
        )
        assert answer.headers["Content-Type"] == "application/json"
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert app.head(PATH).status_code == 200
        assert app.options(PATH).status_code == 204
        assert app.post(PATH).status_code == 405
        assert app.get(f"{PATH}/more").status_code != 200
    assert f'resource_metadata="{METADATA}"' in TestClient(served).get("/mcp").headers["WWW-Authenticate"]


def test_challenges_name_the_metadata_and_all_scopes(url: str, create_key: CreateKey) -> None:
    app = guarded(Guard(url, resource=RESOURCE), ["conversations:read", "plans:read"])
    answer = app.get("/mcp")
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (
        401,
        f'Bearer realm="latchkey", scope="conversations:read plans:read", resource_metadata="{METADATA}"',
    )
    answer = app.get("/mcp", headers={"X-API-Key": create_key("plans:read").key})
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (
        403,
        f'Bearer error="insufficient_scope", scope="conversations:read plans:read", resource_metadata="{METADATA}"',
    )
    assert app.get("/mcp", headers={"X-API-Key": create_key("*").key}).json() == {"kind": "secret_key"}


def test_a_token_must_be_for_the_resource(url: str, publishable_key: str, user_token: str, dashboard_token: str) -> None:
    headers = {"X-API-Key": publishable_key, "Authorization": f"Bearer {user_token}"}
    for resource in (RESOURCE, Resource("https://MCP.example.com:443/mcp", ["https://idp.example.com"])):
        assert guarded(Guard(url, resource=resource)).get("/mcp", headers=headers).json() == {"kind": "publishable_key"}
    for other in ("https://mcp.example.com", f"{URL}/", f"{URL}/more", "https://other.example.com/mcp"):
        guard = Guard(url, resource=Resource(other, ["https://idp.example.com"]))
        answer = guarded(guard).get("/mcp", headers=headers)
        assert (answer.status_code, answer.json()["reason"]) == (401, "jwt_invalid_audience")
        assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]
        assert "resource_metadata=" in answer.headers["WWW-Authenticate"]
    app = guarded(Guard(url, resource=RESOURCE))
    assert app.get("/mcp", headers={"Authorization": f"Bearer {dashboard_token}"}).json()["reason"] == "jwt_invalid_audience"
    assert app.get("/mcp", headers={"Authorization": "Bearer abc"}).json()["reason"] == "jwt_malformed"
    # For the resource, with a signature that is none.
    assert app.get("/mcp", headers={"Authorization": unsigned({"aud": URL})}).status_code == 401


def admitting(resource: Resource, kind: str = "CALLER_DASHBOARD_USER") -> TestClient:
    """Behind a stand-in that admits everyone, so that only what the guard itself checks is left."""
    verified = {"caller": kind, "tenant_id": "ten_1", "user_id": "u"}
    http = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: httpx.Response(200, json=verified)))
    return guarded(Guard("https://latchkey.example", resource=resource, http=http))


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        ({"scope": "openid conversations:read"}, 200),
        ({"scp": ["conversations:*"]}, 200),
        ({"scope": "openid"}, 403),
        ({}, 403),
    ],
)
def test_a_token_has_the_scopes_that_its_issuer_grants(claims: dict[str, Any], status: int) -> None:
    headers = {"Authorization": unsigned({"aud": ["x", URL], **claims})}
    resource = Resource(URL, ["https://idp.example.com"], ["conversations:read"])
    answer = admitting(resource).get("/mcp", headers=headers)
    assert answer.status_code == status
    if status == 403:
        assert answer.json()["reason"] == "insufficient_scope"
        assert 'scope="conversations:read' in answer.headers["WWW-Authenticate"]
    assert admitting(RESOURCE).get("/mcp", headers=headers).status_code == 200


def test_a_challenge_keeps_the_scopes_that_the_token_has() -> None:
    headers = {"Authorization": unsigned({"aud": URL, "scope": 'openid a"b \u00e9', "scp": ["plans:read", "x\r\ny"]})}
    resource = Resource(URL, ["https://idp.example.com"], ["conversations:read"])
    challenge = admitting(resource).get("/mcp", headers=headers).headers["WWW-Authenticate"]
    assert 'scope="conversations:read openid plans:read", resource_metadata' in challenge


def test_an_empty_path_is_the_root_of_a_resource() -> None:
    for resource, audience in (("https://mcp.example.com", "https://mcp.example.com/"), ("https://mcp.example.com/",) * 2):
        for url, aud in ((resource, audience), (audience, resource)):
            headers = {"Authorization": unsigned({"aud": aud})}
            assert admitting(Resource(url, ["https://idp.example.com"])).get("/mcp", headers=headers).status_code == 200


def test_what_was_not_looked_at_is_never_admitted() -> None:
    for headers in ({"Authorization": "Bearer opaque"}, {}, {"X-API-Key": "sk_x"}):
        assert admitting(RESOURCE).get("/mcp", headers=headers).status_code == 401


@pytest.mark.parametrize(
    ("resource", "problem"),
    [
        (Resource("mcp.example.com", ["https://a"]), "resource.url must be a URL"),
        (Resource("ftp://mcp.example.com", ["https://a"]), "resource.url must be a URL"),
        (Resource("https://a:b@mcp.example.com", ["https://a"]), "resource.url must be a URL"),
        (Resource("http://mcp.example.com", ["https://a"]), "resource.url must begin with https://"),
        (Resource(f"{URL}?x", ["https://a"]), "resource.url must be without query"),
        (Resource(URL, []), "resource.authorization_servers must list"),
        (Resource(URL, "https://a"), "resource.authorization_servers must list"),
        (Resource(URL, ["idp"]), r"resource.authorization_servers\[0\] must be a URL"),
        (Resource(URL, ["https://a"], ["plans:reed"]), "did you mean"),
    ],
)
def test_a_wrong_resource_ends_the_start(resource: Resource, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Guard("https://api.example.com", resource=resource)


def test_a_guard_without_a_resource_has_no_metadata() -> None:
    with pytest.raises(ValueError, match="no resource"):
        Guard("https://api.example.com").metadata(Starlette())
