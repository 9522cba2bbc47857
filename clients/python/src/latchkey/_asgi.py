from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from latchkey._verdict import Verdict

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def client_address(scope: Scope) -> str | None:
    """The address of a request's connection. None: the server does not say."""
    client = scope.get("client")
    return str(client[0]) if client and client[0] else None


async def respond(scope: Scope, send: Send, answer: Verdict) -> None:
    if scope["type"] == "websocket":
        # Servers make 403 of it, before the connection is a WebSocket.
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = _encoded(answer.sized_headers.items())
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})


def with_verdict(send: Send, verdict: Verdict) -> Send:
    """Adds the headers of a verdict to what an app sends."""

    async def send_with_verdict(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = list(message.get("headers", ()))
            added = verdict.answer_headers(name.decode("latin-1") for name, _ in own)
            message = {**message, "headers": [*own, *_encoded(added)]}
        await send(message)

    return send_with_verdict


def _encoded(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers]
