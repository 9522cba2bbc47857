from __future__ import annotations

from collections.abc import Callable, Sequence

import httpx

from latchkey import _wsgi
from latchkey._asgi import App, Receive, Scope, Send, client_address, respond, with_verdict
from latchkey._caller import KEY
from latchkey._verdict import Verdict
from latchkey._verification import OnError, Question, RequestHeaders, Verifier, pairs_of, without_claims


class Guard:
    """Keeps requests from an app until Latchkey has admitted them. Make it once, where your app is made.

    A wrong `base_url` and a scope that Latchkey does not have raise a `ValueError` at once, and so end the start of your service.
    `own_scopes` are the platform's own, those of Latchkey's SCOPES_FILE.

    A denied request gets Latchkey's own status, body and limit headers. Where Latchkey gives no verdict within `timeout` seconds,
    the response is 503 and the app does not run; `on_error` gets the reason. Without it, the first reason goes to the logger
    `latchkey`, and no later one. `X-Auth-*` headers of a request are removed.

    The guard sends Latchkey the address of each request, `Origin` and `Sec-Fetch-Site`, for keys that may be used only from some
    places: name the guarded service in Latchkey's TRUSTED_PROXIES.
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
        sync_http: httpx.Client | None = None,
    ) -> None:
        self._verifier = Verifier(base_url, own_scopes, timeout, insecure_http, on_error, http, sync_http)

    async def check(
        self,
        headers: RequestHeaders,
        scopes: str | Sequence[str] = (),
        *,
        cost: int = 1,
        client_address: str | None = None,
    ) -> Verdict:
        """Decides on one request, for a framework that has no guard here, by its headers: a mapping, or pairs, in which two values
        stay two. Answer a refused request, whose verdict has no `caller`, with the verdict's status, headers and body; add the headers
        of an admitted one to its answer. Drop `X-Auth-*` headers of the request if anything reads them.

        `client_address` is that of the request's connection. Raises a `ValueError` for a scope that Latchkey does not have.
        """
        return await self._verifier.verify(self._verifier.question(scopes, cost), pairs_of(headers), client_address)

    def check_sync(
        self,
        headers: RequestHeaders,
        scopes: str | Sequence[str] = (),
        *,
        cost: int = 1,
        client_address: str | None = None,
    ) -> Verdict:
        """`check` without `await`."""
        return self._verifier.verify_sync(self._verifier.question(scopes, cost), pairs_of(headers), client_address)

    def middleware(self, scopes: str | Sequence[str] = (), *, cost: int = 1) -> Callable[[App], App]:
        """ASGI middleware: `app.add_middleware(guard.middleware("plans:read"))`, or `guard.middleware("plans:read")(app)`.

        `scopes` are those that a caller must have, one or several, all of them. `cost` is as how many requests of the key's limit
        each counts.
        """
        question = self._verifier.question(scopes, cost)
        return lambda app: _Guarded(app, self._verifier, question)

    def wsgi(self, scopes: str | Sequence[str] = (), *, cost: int = 1) -> Callable[[_wsgi.App], _wsgi.App]:
        """`middleware` for WSGI: `app.wsgi_app = guard.wsgi("plans:read")(app.wsgi_app)` in Flask."""
        question = self._verifier.question(scopes, cost)
        return lambda app: _wsgi.guarded(app, self._verifier, question)


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
        verdict = await self._verifier.verify(self._question, scope["headers"], client_address(scope))
        if verdict.caller is None:
            await respond(scope, send, verdict)
            return
        admitted = {**scope, "headers": without_claims(scope["headers"]), KEY: verdict.caller}
        await self._app(admitted, receive, with_verdict(send, verdict))
