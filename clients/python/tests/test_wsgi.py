from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import httpx
import pytest

from latchkey import Guard, caller_of, v1

from .conftest import CreateKey


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


def plans(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    own = [("X-Request-Id", "own")] if environ["PATH_INFO"] == "/own" else []
    start_response("200 OK", [("Content-Type", "application/json"), *own])
    caller = caller_of(environ)
    claims = [name for name in environ if name.startswith("HTTP_X_AUTH")]
    length = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(length).decode()
    return [json.dumps({"key": caller.key_id, "kind": caller.kind, "claims": claims, "body": body}).encode()]


@contextmanager
def served(guard: Guard, scopes: str | list[str] = "plans:read", cost: int = 1) -> Iterator[httpx.Client]:
    """The app behind the guard, on a server of the standard library."""
    with make_server("127.0.0.1", 0, guard.wsgi(scopes, cost=cost)(plans), Server, Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with httpx.Client(base_url=f"http://127.0.0.1:{server.server_port}") as client:
            yield client
        server.shutdown()


def test_a_wsgi_app_gets_its_caller_and_no_claims(url: str, create_key: CreateKey) -> None:
    key = create_key("plans:*")
    headers = {"X-API-Key": key.key, "X-Auth-Tenant-Id": "other", "X_Auth_Tenant_Id": "other"}
    with served(Guard(url), ["plans:read", "plans:write"]) as client:
        answer = client.post("/plans", headers=headers, content="text")
        assert answer.json() == {"key": key.key_id, "kind": "secret_key", "claims": [], "body": "text"}
        assert answer.headers["X-RateLimit-Limit"]
        assert answer.headers["X-Request-Id"].startswith("req_")
        assert client.get("/own", headers=headers).headers.get_list("X-Request-Id") == ["own"]


def test_a_refusal_is_relayed(url: str, create_key: CreateKey) -> None:
    with served(Guard(url)) as client:
        answer = client.get("/plans")
        assert (answer.status_code, answer.reason_phrase) == (401, "Unauthorized")
        assert answer.json()["denial_reason"] == "missing_credentials"
        assert answer.headers["WWW-Authenticate"]
        key = create_key("plans:*").key
        twice = [("X-API-Key", key), ("X-API-Key", key)]
        assert client.get("/plans", headers=twice).json()["denial_reason"] == "api_key_invalid"
        forbidden = client.get("/plans", headers={"X-API-Key": create_key("billing:read").key})
        assert (forbidden.status_code, forbidden.json()["denial_reason"]) == (403, "insufficient_scope")


def test_the_cost_is_spent(url: str, create_key: CreateKey) -> None:
    key = create_key("plans:*", limit=v1.RateLimit(requests_per_minute=10, burst_size=10)).key
    with served(Guard(url), cost=10) as client:
        assert client.get("/plans", headers={"X-API-Key": key}).status_code == 200
        answer = client.get("/plans", headers={"X-API-Key": key})
        assert (answer.status_code, int(answer.headers["Retry-After"]) > 0) == (429, True)


def test_a_service_that_is_away_or_slow_is_503() -> None:
    errors: list[Exception] = []
    with served(Guard("http://127.0.0.1:9", on_error=errors.append)) as client:
        assert client.get("/plans").status_code == 503
    assert "could not be reached at 127.0.0.1:9: ConnectionRefusedError" in str(errors[0])
    drips = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, stream=Drips())))
    with served(Guard("https://keys.example", timeout=0.05, on_error=errors.append, sync_http=drips)) as client:
        assert client.get("/plans").status_code == 503
    assert isinstance(errors[1], TimeoutError)


class Drips(httpx.SyncByteStream):
    """Without an end, and so until the guard gives up."""

    def __iter__(self) -> Iterator[bytes]:
        pause = threading.Event()
        while not pause.wait(0.01):
            yield b" "


def test_a_misspelt_scope_ends_the_start() -> None:
    with pytest.raises(ValueError, match="plans:read"):
        Guard("https://api.example.com").wsgi("plan:read")
