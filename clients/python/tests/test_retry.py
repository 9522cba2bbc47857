from __future__ import annotations

import time
import uuid
from email.utils import formatdate

import httpx
import pytest

from latchkey import AsyncLatchkey, Latchkey, LatchkeyError, SecretKey, UserToken, v1

from .test_client import message


class Outage(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """A connection on which the first answers are lost: the service has done what was asked."""

    def __init__(self, failures: int, headers: dict[str, str] | None = None) -> None:
        self.requests = 0
        self._failures = failures
        self._headers = headers
        self._sync = httpx.HTTPTransport()
        self._async = httpx.AsyncHTTPTransport()

    def _answer(self, response: httpx.Response) -> httpx.Response:
        self.requests += 1
        return response if self.requests > self._failures else httpx.Response(503, headers=self._headers)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._answer(self._sync.handle_request(request))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return self._answer(await self._async.handle_async_request(request))


def test_reads_are_repeated_after_an_outage_and_messages_stored_once(url: str, secret_key: SecretKey) -> None:
    outage = Outage(2)
    client = Latchkey(url, secret_key, http=httpx.Client(transport=outage))
    sent = message("once")
    sent.conversation_key = "retries"
    client.gateway.send_message(sent)
    assert outage.requests == 3
    assert sent.client_message_id == ""
    outage.requests = 0
    state = client.gateway.get_conversation_state(v1.GetConversationStateRequest(conversation_key="retries"))
    assert outage.requests == 3
    assert [each.role for each in state.messages].count(v1.ROLE_USER) == 1


def test_writes_are_not_repeated_on_a_guess(url: str, dashboard_token: str) -> None:
    outage = Outage(1)
    client = Latchkey(url, UserToken(lambda: dashboard_token), http=httpx.Client(transport=outage))
    with pytest.raises(LatchkeyError) as failed:
        client.api_keys.revoke_api_key(v1.RevokeApiKeyRequest(key_id="key_none"))
    assert failed.value.code == "unavailable"
    assert outage.requests == 1


def test_what_makes_a_secret_is_named_and_fails_if_the_secret_was_lost(url: str, dashboard_token: str) -> None:
    """A secret is handed over once: an attempt that repeats the one whose answer was lost must not look like a success."""
    outage = Outage(1)
    client = Latchkey(url, UserToken(lambda: dashboard_token), http=httpx.Client(transport=outage))
    request = v1.CreateApiKeyRequest(name="once", permissions=["plans:read"])
    with pytest.raises(LatchkeyError) as failed:
        client.api_keys.create_api_key(request)
    assert failed.value.code == "data_loss"
    assert "it made key_" in str(failed.value)
    assert outage.requests == 2
    assert request.client_request_id == ""
    assert all(client.api_keys.create_api_key(request).result.key for _ in range(2))
    outage.requests = 0
    request.client_request_id = uuid.uuid4().hex
    assert client.api_keys.create_api_key(request).result.already_created


def test_retry_after_is_waited_for_unless_it_is_too_long(url: str, secret_key: SecretKey) -> None:
    outage = Outage(1, {"Retry-After": "1"})
    start = time.monotonic()
    Latchkey(url, secret_key, http=httpx.Client(transport=outage)).gateway.list_threads(v1.ListThreadsRequest())
    assert outage.requests == 2
    assert time.monotonic() - start >= 1
    for too_long in ("31", "9" * 400, formatdate(time.time() + 3_600, usegmt=True)):
        outage = Outage(1, {"Retry-After": too_long})
        with pytest.raises(LatchkeyError):
            Latchkey(url, secret_key, http=httpx.Client(transport=outage)).gateway.list_threads(v1.ListThreadsRequest())
        assert outage.requests == 1


@pytest.mark.parametrize("value", ["-1", "1.5", "1e1", "5 s", "2026-11-21", "Sat, 99 Nov 2026 10:00:05 GMT", ""])
def test_a_retry_after_that_is_neither_seconds_nor_a_date_counts_as_absent(
    url: str, secret_key: SecretKey, value: str
) -> None:
    outage = Outage(1, {"Retry-After": value})
    Latchkey(url, secret_key, http=httpx.Client(transport=outage)).gateway.list_threads(v1.ListThreadsRequest())
    assert outage.requests == 2


def test_no_pause_is_longer_than_the_timeout(url: str, secret_key: SecretKey) -> None:
    outage = Outage(9, {"Retry-After": "20"})
    client = Latchkey(url, secret_key, timeout=5, http=httpx.Client(transport=outage))
    with pytest.raises(LatchkeyError, match="unavailable"):
        client.gateway.list_threads(v1.ListThreadsRequest())
    assert outage.requests == 1


def test_each_attempt_has_the_token_of_its_moment(url: str, dashboard_token: str) -> None:
    tokens = iter(["expired", dashboard_token])
    client = Latchkey(url, UserToken(lambda: next(tokens)), http=httpx.Client(transport=Outage(1)))
    client.api_keys.list_api_keys(v1.ListApiKeysRequest())
    assert next(tokens, None) is None


def test_a_service_that_is_away_is_unavailable(secret_key: SecretKey) -> None:
    with Latchkey("http://127.0.0.1:9", secret_key) as client, pytest.raises(LatchkeyError) as failed:
        client.gateway.list_threads(v1.ListThreadsRequest())
    assert failed.value.code == "unavailable"


@pytest.mark.anyio
async def test_the_asynchronous_client_retries_alike_and_ends_by_its_timeout(url: str, secret_key: SecretKey) -> None:
    outage = Outage(2)
    client = AsyncLatchkey(url, secret_key, http=httpx.AsyncClient(transport=outage))
    await client.gateway.list_threads(v1.ListThreadsRequest())
    assert outage.requests == 3
    await client.gateway.send_message(message("waited for"))
    hasty = AsyncLatchkey(url, secret_key, timeout=0.001)
    with pytest.raises(LatchkeyError) as failed:
        await hasty.gateway.list_threads(v1.ListThreadsRequest())
    assert failed.value.code == "deadline_exceeded"


def test_a_call_ends_by_its_timeout(url: str, secret_key: SecretKey) -> None:
    with Latchkey(url, secret_key, timeout=0.001) as hasty, pytest.raises(LatchkeyError) as failed:
        hasty.gateway.list_threads(v1.ListThreadsRequest())
    assert failed.value.code == "deadline_exceeded"
