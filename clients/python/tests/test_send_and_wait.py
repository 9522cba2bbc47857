from __future__ import annotations

import time

import httpx
import pytest

from latchkey import (
    AsyncLatchkey,
    Latchkey,
    LatchkeyError,
    Reason,
    Retry,
    RunFailedError,
    SecretKey,
    is_denial,
    v1,
)

from .conftest import CreateKey

SENT = v1.SendMessageResponse(run_id="run_1", message_id="msg_1", conversation_key="c")
RUNNING = v1.Run(run_id="run_1", status=v1.RUN_STATUS_RUNNING)
USER = v1.Message(role=v1.ROLE_USER, message_id="msg_1", run_id="run_1")
ASSISTANT = v1.Message(role=v1.ROLE_ASSISTANT, message_id="msg_2", run_id="run_1")


def test_the_reply_is_returned_and_a_message_sent_again_is_the_same(url: str, secret_key: SecretKey) -> None:
    with Latchkey(url, secret_key) as client:
        reply = client.send_and_wait("waiting", ["Hi", "there"], client_message_id="python-1")
        assert reply.text == "You said: Hi\nthere"
        assert reply.message.role == v1.ROLE_ASSISTANT
        again = client.send_and_wait("waiting", ["Hi", "there"], client_message_id="python-1", timeout=60)
    assert (again.run_id, again.message_id) == (reply.run_id, reply.message_id)


@pytest.mark.anyio
async def test_the_asynchronous_client_waits_too(url: str, secret_key: SecretKey) -> None:
    async with AsyncLatchkey(url, secret_key) as client:
        assert (await client.send_and_wait("waiting", "Hi")).text == "You said: Hi"


def test_a_message_that_is_not_accepted_has_no_run(url: str, create_key: CreateKey) -> None:
    with Latchkey(url, SecretKey(create_key("plans:read").key)) as client, pytest.raises(LatchkeyError) as failed:
        client.send_and_wait("waiting", "Hi")
    assert is_denial(failed.value, Reason.INSUFFICIENT_SCOPE)
    assert failed.value.run_id is None


class Service:
    """Accepts a message, and then has one state of the conversation after the other; the last one stays."""

    def __init__(self, *states: v1.GetConversationStateResponse | httpx.Response) -> None:
        self.states = list(states)
        self.asks: list[v1.GetConversationStateRequest] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/SendMessage"):
            return answer(SENT)
        self.asks.append(v1.GetConversationStateRequest.FromString(request.content))
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        return state if isinstance(state, httpx.Response) else answer(state)

    def client(self) -> Latchkey:
        http = httpx.Client(transport=httpx.MockTransport(self))
        return Latchkey("https://api.example.com", SecretKey("sk_x"), http=http, retry=Retry(attempts_max=1))

    def async_client(self) -> AsyncLatchkey:
        http = httpx.AsyncClient(transport=httpx.MockTransport(self))
        return AsyncLatchkey("https://api.example.com", SecretKey("sk_x"), http=http, retry=Retry(attempts_max=1))


def answer(message: v1.SendMessageResponse | v1.GetConversationStateResponse) -> httpx.Response:
    return httpx.Response(200, headers={"Content-Type": "application/proto"}, content=message.SerializeToString())


def state(run: v1.Run, *messages: v1.Message, before: str | None = None) -> v1.GetConversationStateResponse:
    return v1.GetConversationStateResponse(run=run, messages=messages, next_before_message_id=before)


def test_it_waits_through_an_outage_and_reads_back_to_the_message() -> None:
    later = v1.Message(role=v1.ROLE_USER, message_id="msg_9", run_id="run_9")
    service = Service(
        state(RUNNING, USER), httpx.Response(503), state(RUNNING, later, before="msg_9"), state(RUNNING, USER, ASSISTANT)
    )
    assert service.client().send_and_wait("c", "Hi").message.message_id == "msg_2"
    assert [ask.before_message_id for ask in service.asks] == ["", "", "", "msg_9"]
    assert service.asks[0].wait_ms == 30_000


@pytest.mark.parametrize(
    ("run", "reason", "text"),
    [
        (v1.Run(run_id="run_1", status=v1.RUN_STATUS_FAILED, error="model_error"), "model_error", "run_1 failed: model_error"),
        (v1.Run(run_id="run_2", status=v1.RUN_STATUS_RUNNING), "", "run_1 ended without a reply"),
    ],
)
def test_it_ends_where_there_will_be_no_reply(run: v1.Run, reason: str, text: str) -> None:
    with pytest.raises(RunFailedError) as failed:
        Service(state(run, USER)).client().send_and_wait("c", "Hi")
    assert (failed.value.run_id, failed.value.conversation_key, failed.value.reason) == ("run_1", "c", reason)
    assert str(failed.value) == text


def test_it_ends_where_the_message_is_not_to_be_found() -> None:
    with pytest.raises(LatchkeyError) as failed:
        Service(state(RUNNING)).client().send_and_wait("c", "Hi")
    assert (failed.value.code, failed.value.run_id) == ("not_found", "run_1")


def test_it_waits_no_longer_than_it_may() -> None:
    service = Service(state(RUNNING, USER))
    began = time.monotonic()
    with pytest.raises(LatchkeyError) as failed:
        service.client().send_and_wait("c", "Hi", timeout=0.6)
    assert (failed.value.code, failed.value.run_id) == ("deadline_exceeded", "run_1")
    assert time.monotonic() - began < 5
    assert all(ask.wait_ms <= 600 for ask in service.asks)


@pytest.mark.anyio
async def test_the_asynchronous_client_waits_no_longer_either() -> None:
    with pytest.raises(LatchkeyError) as failed:
        await Service(state(RUNNING, USER)).async_client().send_and_wait("c", "Hi", timeout=0.6)
    assert (failed.value.code, failed.value.run_id) == ("deadline_exceeded", "run_1")
