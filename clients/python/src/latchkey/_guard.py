from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any

import httpx

from latchkey._caller import KEY
from latchkey._verification import OnError, Question, Verdict, Verifier, without_claims

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Guard:
    """What keeps requests from an app until Latchkey has admitted them. Make it once, where your app is made.

    A wrong `base_url` and a scope that Latchkey does not have raise a `ValueError` at once, and so end the start of your service.
    `own_scopes` are the platform's own, those of Latchkey's SCOPES_FILE.

    A denied request gets Latchkey's own status, body and limit headers. Where Latchkey gives no verdict within `timeout` seconds,
    the response is 503 and the app does not run; `on_error` gets the reason. Without it, the first reason goes to the logger
    `latchkey`, and no later one. `X-Auth-*` headers of a request are removed.

    The guard sends Latchkey the address of each request, `Origin` and `Sec-Fetch-Site`, for keys that may be used from some
    places alone: name the guarded service in Latchkey's TRUSTED_PROXIES.
    """

    def __init__(
        self,
        base_url: str,
        *,
        own_scopes: Sequence[str] = (),
        timeout: float = 2.0,
        insecure_http: bool = False,
        on_error: OnError | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._verifier = Verifier(base_url, own_scopes, timeout, insecure_http, on_error, http)

    def middleware(self, scopes: str | Sequence[str] = (), *, cost: int = 1) -> Callable[[App], App]:
        """ASGI middleware: `app.add_middleware(guard.middleware("plans:read"))`, or `guard.middleware("plans:read")(app)`.

        `scopes` are those that a caller must have, one or several, all of them. `cost` is as how many requests of the key's limit
        each counts.
        """
        question = self._verifier.question(scopes, cost)
        return lambda app: _Guarded(app, self._verifier, question)


class LatchkeyGuard:
    """`Guard` as middleware of its own: `LatchkeyGuard(app, base_url, scopes="plans:read")`.

    `app.add_middleware` of Starlette and FastAPI makes it at the first request only, and its errors with it: there, use
    `Guard.middleware`.
    """

    def __init__(
        self,
        app: App,
        base_url: str,
        *,
        scopes: str | Sequence[str] = (),
        cost: int = 1,
        own_scopes: Sequence[str] = (),
        timeout: float = 2.0,
        insecure_http: bool = False,
        on_error: OnError | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        guard = Guard(
            base_url,
            own_scopes=own_scopes,
            timeout=timeout,
            insecure_http=insecure_http,
            on_error=on_error,
            http=http,
        )
        self._guarded = guard.middleware(scopes, cost=cost)(app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._guarded(scope, receive, send)


class _Guarded:
    def __init__(self, app: App, verifier: Verifier, question: Question) -> None:
        self._app = app
        self._verifier = verifier
        self._question = question

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        verdict = await self._verifier.verify(self._question, scope["headers"], scope.get("client"))
        if verdict.caller is None:
            await _refuse(scope, send, verdict)
            return

        async def send_with_limits(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *verdict.headers]}
            await send(message)

        kept = without_claims(scope["headers"])
        await self._app({**scope, "headers": kept, KEY: verdict.caller}, receive, send_with_limits)


async def _refuse(scope: Scope, send: Send, verdict: Verdict) -> None:
    if scope["type"] == "websocket":
        # Servers make 403 of it, before the connection is a WebSocket.
        await send({"type": "websocket.close", "code": 1008})
        return
    sized = [*verdict.headers, (b"content-length", str(len(verdict.body)).encode())]
    await send({"type": "http.response.start", "status": verdict.status, "headers": sized})
    await send({"type": "http.response.body", "body": verdict.body})
