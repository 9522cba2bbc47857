from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
import pytest
from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message

from latchkey import Federation, Latchkey, LatchkeyError, PublishableKey, Reason, Retry, SecretKey, UserToken, denial_of, v1


WORKLOAD = Federation(rule="fed_" + "0" * 32, get_assertion=lambda: "eyJ")


def test_secrets_are_never_printed() -> None:
    key = SecretKey("sk_private")
    for value in (key, PublishableKey("pk_private", lambda: "private"), Latchkey("https://api.example.com", key)):
        assert "private" not in f"{value!r} {value} {[value]}"
    with pytest.raises(ValueError, match="key must be") as failed:
        SecretKey("sk_private\0")
    assert "private" not in str(failed.value)


def test_a_message_with_a_secret_is_printed_without_it() -> None:
    key = v1.IssuedKey(key_id="key_1", key="sk_private")
    created, rotated = v1.CreateApiKeyResponse(result=key), v1.RotateApiKeyResponse(result=key)
    invitation = v1.CreateInvitationResponse(token="private")
    report = v1.ReportLeakedKeysRequest(reports=[v1.LeakReport(key="sk_private")])
    derived = v1.DeriveTokenResponse(result=v1.DerivedToken(token="eyJ_private", token_id="tok_1"))
    webhook = v1.CreateWebhookResponse(secret="whsec_private")
    again = v1.RotateWebhookSecretResponse(secret="whsec_private")
    workload = v1.CheckFederationAssertionRequest(assertion="eyJ_private")
    for message in (key, created, rotated, invitation, report, derived, webhook, again, workload):
        for text in (repr(message), str(message), f"{[message]} {message}"):
            assert "[redacted]" in text
            assert "private" not in text
    assert 'key_id: "key_1"' in repr(created)
    # It is there to be passed on.
    assert created.result.key == "sk_private"
    assert "sk_private" in MessageToJson(created)
    assert v1.IssuedKey.FromString(key.SerializeToString()) == key
    assert "redacted" not in repr(v1.IssuedKey(key_id="key_1"))


def test_every_member_that_is_a_secret_is_redacted() -> None:
    kinds = [kind for kind in vars(v1).values() if isinstance(kind, type) and issubclass(kind, Message)]
    secret = [(kind, field.name) for kind in kinds for field in kind.DESCRIPTOR.fields if field.GetOptions().debug_redact]
    assert len(secret) > 8
    for kind, name in secret:
        assert repr(kind(**{name: "private"})) == f'{name}: "[redacted]"\n'


@pytest.mark.parametrize(
    ("status", "code", "body"),
    [
        (200, "unknown", "<h1>It works!</h1>"),
        (404, "unimplemented", "<h1>Not Found</h1>"),
        (404, "unimplemented", '{"message":"Not Found"}'),
        (404, "unimplemented", '{"code":"NOT_FOUND","message":"no"}'),
        (400, "internal", "<h1>HTTP to an HTTPS port</h1>"),
        (401, "unauthenticated", '{"error":"no"}'),
        (302, "unknown", ""),
        (500, "unknown", ""),
    ],
)
@pytest.mark.parametrize("credentials", [SecretKey("sk_x"), WORKLOAD])
def test_another_host_than_latchkeys_gets_a_question(
    status: int, code: str, body: str, credentials: SecretKey | Federation
) -> None:
    headers = {"Location": "https://login.example.com/"} if status == 302 else {}
    http = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(status, headers=headers, text=body)))
    with pytest.raises(LatchkeyError, match="is base_url that of a Latchkey service") as failed:
        Latchkey("https://elsewhere.example", credentials, http=http).gateway.list_threads(v1.ListThreadsRequest())
    assert failed.value.code == code


@pytest.mark.parametrize(
    ("named", "mistake"),
    [
        ("https://", lambda: Latchkey("http://api.example.com", SecretKey("sk_x"))),
        ("base_url", lambda: Latchkey("api.example.com", SecretKey("sk_x"))),
        ("base_url", lambda: Latchkey("https://api.example.com:99999", SecretKey("sk_x"))),
        ("base_url", lambda: Latchkey("https://api.example.com:port", SecretKey("sk_x"))),
        ("base_url", lambda: Latchkey("https://api .example.com", SecretKey("sk_x"))),
        ("base_url", lambda: Latchkey("https://api\n.example.com/\x00", SecretKey("sk_x"))),
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
