from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from latchkey._asgi import App, Message, Receive, Scope, Send, client_address, respond, with_verdict
from latchkey._caller import KEY, Caller
from latchkey._claims import is_granted
from latchkey._verdict import Verdict
from latchkey._verification import Headers, Question, Verifier, without_claims

# Of JSON-RPC 2.0.
_PARSE_ERROR = -32_700
_INVALID_REQUEST = -32_600
_INVALID_PARAMS = -32_602
_RESERVED = ("system:", "tenants:")
# Of a stream, and of the end of a session.
_WITHOUT_MESSAGE = ("GET", "HEAD", "DELETE")


class McpGuard:
    """ASGI middleware for an MCP server over streamable HTTP: `guard.mcp({"search": "conversations:read"})(app)`.

    A call of a tool needs the tool's scopes. One of a tool that is not listed is answered as a server answers one of a tool that
    it lacks. Any other message needs a caller who has the `scopes` of all messages.
    """

    def __init__(
        self,
        verifier: Verifier,
        tools: Mapping[str, str | Sequence[str]],
        scopes: str | Sequence[str],
        cost: int,
        message_bytes_max: int,
    ) -> None:
        if not isinstance(tools, Mapping):
            raise ValueError('tools must name the scopes of each tool, as {"search": "conversations:read"}')
        if not isinstance(message_bytes_max, int) or message_bytes_max < 1:
            raise ValueError(f"message_bytes_max must be an integer above 0, not {message_bytes_max!r}")
        self._verifier = verifier
        self._base = verifier.question(scopes, cost)
        self._tools: dict[str, Question] = {}
        for name, needed in tools.items():
            try:
                own = verifier.question(needed, cost)["scopes"]
            except ValueError as error:
                raise ValueError(f"tools[{name!r}]: {error}") from None
            self._tools[name] = {**self._base, "scopes": list(dict.fromkeys([*self._base["scopes"], *own]))}
        self._bytes_max = message_bytes_max

    def tools_of(self, caller: Caller) -> list[str]:
        """The names of the tools that the caller's rights admit, for what the server lists."""
        held = caller.permissions
        return [name for name, needed in self._tools.items() if all(is_granted(held, each) for each in needed["scopes"])]

    def __call__(self, app: App) -> App:
        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                # Lifespans. An MCP server has no WebSockets.
                if scope["type"] == "lifespan":
                    await app(scope, receive, send)
                else:
                    await send({"type": "websocket.close", "code": 1008})
                return
            resource = self._verifier.resource
            metadata = None if resource is None else resource.metadata_answer(scope["method"], scope["path"])
            if metadata is not None:
                await respond(scope, send, metadata)
                return
            await self._decide(app, scope, receive, send)

        return guarded

    async def _decide(self, app: App, scope: Scope, receive: Receive, send: Send) -> None:
        # The caller first, only by the headers: a stranger has nothing read or parsed.
        verdict = await self._verifier.verify(self._base, scope["headers"], client_address(scope))
        if verdict.caller is None:
            await respond(scope, send, verdict)
            return
        question, message, wrong = self._base, None, None
        if scope["method"] not in _WITHOUT_MESSAGE:
            message, wrong = _message(await _read(receive, self._bytes_max))
            if message is not None and message.get("method") == "tools/call":
                question, wrong = self._needed(message)
        if wrong is not None:
            await respond(scope, send, Verdict(wrong.status, {**verdict.headers, **wrong.headers}, wrong.body))
            return
        # The verdict says what the caller may do. Of a call that seems not to be admitted Latchkey says why.
        if not self._admits(verdict.caller, scope["headers"], question["scopes"]):
            verdict = await self._verifier.verify(question, scope["headers"], client_address(scope))
            if verdict.caller is None:
                await respond(scope, send, verdict)
                return
        await _pass(app, scope, receive, send, verdict, message)

    def _admits(self, caller: Caller, headers: Headers, scopes: Sequence[str]) -> bool:
        """Also false where only Latchkey knows: `*` reaches the reserved scopes only in the operator's own tenant."""
        for scope in scopes:
            reserved = scope.startswith(_RESERVED)
            if not is_granted([each for each in caller.permissions if not (reserved and each == "*")], scope):
                return False
        resource = self._verifier.resource
        has_key = any(name.lower() == b"x-api-key" for name, _ in headers)
        return resource is None or has_key or resource.lacked_scope(headers, scopes) is None

    def _needed(self, message: dict[str, Any]) -> tuple[Question, Verdict | None]:
        params = message.get("params")
        name = params.get("name") if isinstance(params, dict) else None
        needed = self._tools.get(name) if isinstance(name, str) else None
        if needed is not None:
            return needed, None
        return self._base, _rpc_error(200, _INVALID_PARAMS, f"Unknown tool: {name}", message.get("id"))


async def _pass(
    app: App, scope: Scope, receive: Receive, send: Send, verdict: Verdict, message: dict[str, Any] | None
) -> None:
    """Calls the app with the message as it was checked."""
    headers = without_claims(scope["headers"])
    body = None if message is None else json.dumps(message).encode()
    if body is not None:
        headers = [(name, value) for name, value in headers if name.lower() != b"content-length"]
        headers.append((b"content-length", str(len(body)).encode()))

    async def receive_checked() -> Message:
        nonlocal body
        if body is None:
            return await receive()
        checked, body = body, None
        return {"type": "http.request", "body": checked, "more_body": False}

    await app({**scope, "headers": headers, KEY: verdict.caller}, receive_checked, with_verdict(send, verdict))


async def _read(receive: Receive, bytes_max: int) -> bytes | None:
    """The body. None: it is longer than that, or its sender is gone."""
    chunks: list[bytes] = []
    length = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        chunk: bytes = message.get("body", b"")
        length += len(chunk)
        if length > bytes_max:
            return None
        # Added up at the end: each addition to bytes would copy them all.
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)


def _message(body: bytes | None) -> tuple[dict[str, Any] | None, Verdict | None]:
    if body is None:
        return None, _rpc_error(413, _INVALID_REQUEST, "The message is too long.", None)
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None, _rpc_error(400, _PARSE_ERROR, "The body is not JSON.", None)
    if isinstance(message, dict):
        return message, None
    # With several calls in it, one request would spend the limit of one.
    problem = "The body must be one JSON-RPC message; batches are not taken."
    return None, _rpc_error(400, _INVALID_REQUEST, problem, None)


def _rpc_error(status: int, code: int, message: str, identifier: object) -> Verdict:
    body = {"jsonrpc": "2.0", "error": {"code": code, "message": message}, "id": identifier}
    return Verdict(status, {"content-type": "application/json"}, json.dumps(body).encode())
