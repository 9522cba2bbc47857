from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from latchkey import Latchkey, LatchkeyError, PublishableKey, Reason, Retry, SecretKey, UserToken, denial_of, v1


def test_secrets_are_never_printed() -> None:
    key = SecretKey("sk_private")
    for value in (key, PublishableKey("pk_private", lambda: "private"), Latchkey("https://api.example.com", key)):
        assert "private" not in f"{value!r} {value} {[value]}"
    with pytest.raises(ValueError, match="key must be") as failed:
        SecretKey("sk_private\0")
    assert "private" not in str(failed.value)


@pytest.mark.parametrize(
    ("named", "mistake"),
    [
        ("https://", lambda: Latchkey("http://api.example.com", SecretKey("sk_x"))),
        ("base_url", lambda: Latchkey("api.example.com", SecretKey("sk_x"))),
        ("user name", lambda: Latchkey("https://user:secret@api.example.com", SecretKey("sk_x"))),
        ("/api/v1", lambda: Latchkey("https://api.example.com/api/v1/", SecretKey("sk_x"))),
        ("timeout", lambda: Latchkey("https://api.example.com", SecretKey("sk_x"), timeout=0)),
        ("attempts_max", lambda: Retry(attempts_max=0)),
        ("sk_", lambda: SecretKey("pk_x")),
        ("pk_", lambda: PublishableKey("sk_x", lambda: "x")),
        ("on_behalf_of", lambda: SecretKey("sk_x", on_behalf_of="a,b")),
    ],
)
def test_arguments_with_which_no_call_could_succeed_are_rejected(named: str, mistake: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=named) as failed:
        mistake()
    assert "user:secret" not in str(failed.value)


def test_loopback_and_private_networks_need_no_https() -> None:
    for url in ("http://localhost:1", "http://127.0.0.1:1/", "http://[::1]:1"):
        Latchkey(url, SecretKey("sk_x")).close()
    Latchkey("http://latchkey:8080", SecretKey("sk_x"), insecure_http=True).close()


def test_what_are_no_credentials_is_rejected() -> None:
    anything: Any = "sk_x"
    with pytest.raises(TypeError, match="credentials"):
        Latchkey("https://api.example.com", anything)
    with pytest.raises(TypeError, match="get_token"):
        UserToken(anything)


@pytest.mark.parametrize("token", ["", "Bearer x", "a\nb"])
def test_what_is_no_token_fails_the_call(url: str, token: str) -> None:
    with Latchkey(url, UserToken(lambda: token)) as client, pytest.raises(LatchkeyError) as failed:
        client.api_keys.list_api_keys(v1.ListApiKeysRequest())
    assert failed.value.code == "unauthenticated"
    assert denial_of(failed.value) is None


def test_a_redirect_gets_no_credentials() -> None:
    paths: list[str] = []

    class Redirect(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            paths.append(self.path)
            self.send_response(307)
            self.send_header("Location", "/login?ticket=1")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Redirect)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with Latchkey(f"http://127.0.0.1:{server.server_port}", SecretKey("sk_x")) as client:
            with pytest.raises(LatchkeyError, match=rf"redirect \(307 to http://127.0.0.1:{server.server_port}\)") as failed:
                client.gateway.list_threads(v1.ListThreadsRequest())
    finally:
        server.shutdown()
        server.server_close()
    assert failed.value.code == "unknown"
    assert paths == ["/latchkey.v1.GatewayService/ListThreads"]


def test_the_reasons_are_those_of_the_protos() -> None:
    names = {name.removeprefix("DENIAL_REASON_").lower() for name in v1.DenialReason.keys()} - {"unspecified"}
    assert {reason.value for reason in Reason} - {"unknown"} == names
