from __future__ import annotations

import re

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from latchkey import Latchkey, LatchkeyError, LatchkeyGuard, SecretKey, v1


def test_calls_and_guards_name_the_client_and_its_version() -> None:
    named: list[list[str]] = []

    def service(request: httpx.Request) -> httpx.Response:
        named.append(request.headers.get_list("User-Agent"))
        return httpx.Response(404)

    transport = httpx.MockTransport(service)
    client = Latchkey("https://api.example.com", SecretKey("sk_x"), http=httpx.Client(transport=transport))
    with pytest.raises(LatchkeyError):
        client.gateway.list_threads(v1.ListThreadsRequest())
    guard = Middleware(LatchkeyGuard, "https://api.example.com", http=httpx.AsyncClient(transport=transport))
    TestClient(Starlette(middleware=[guard])).get("/", headers={"User-Agent": "a browser"})
    assert len(named) == 2
    for names in named:
        assert len(names) == 1
        assert re.fullmatch(r"latchkey-python/\d+\.\d+\.\d+", names[0])
