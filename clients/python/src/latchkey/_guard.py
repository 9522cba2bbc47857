from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import httpx

from latchkey import _wsgi
from latchkey._asgi import App, Receive, Scope, Send, client_address, respond, with_verdict
from latchkey._caller import KEY
from latchkey._mcp import McpGuard
from latchkey._resource import Resource
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

    With a `resource`, the middleware serves its metadata to anyone, challenges name that, and a token must be for the resource.
    """

    def __init__(
        self,
        base_url: str,
        *,
        own_scopes: Sequence[str] = (),
        resource: Resource | None = None,
        timeout: float = 2.0,
        insecure_http: bool = False,
        on_error: OnError | None = None,
        http: httpx.AsyncClient | None = None,
        sync_http: httpx.Client | None = None,
    ) -> None:
        self._verifier = Verifier(base_url, own_scopes, timeout, insecure_http, on_error, http, sync_http, resource)

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

    def mcp(
        self,
        tools: Mapping[str, str | Sequence[str]],
        *,
        scopes: str | Sequence[str] = (),
        cost: int = 1,
        message_bytes_max: int = 262_144,
    ) -> McpGuard:
        """ASGI middleware for an MCP server over streamable HTTP, by the scopes of each of its tools.

        `scopes` are those that every message needs. A message of more than `message_bytes_max` bytes is answered 413; none is
        read before its caller is admitted. Raises a `ValueError` at once for a scope that Latchkey does not have.
        """
        return McpGuard(self._verifier, tools, scopes, cost, message_bytes_max)

    def metadata(self, app: App) -> App:
        """ASGI middleware that serves the metadata of the `resource` (RFC 9728), where `middleware` gets no request for it, as with
        guards of single routes: `app.add_middleware(guard.metadata)`. Raises a `ValueError` for a guard without a resource."""
        resource = self._verifier.resource
        if resource is None:
            raise ValueError("the guard has no resource whose metadata it could serve")

        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            answer = resource.metadata_answer(scope["method"], scope["path"]) if scope["type"] == "http" else None
            if answer is None:
                await app(scope, receive, send)
            else:
                await respond(scope, send, answer)

        return serve


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
        resource: Resource | None = None,
        timeout: float = 2.0,
        insecure_http: bool = False,
        on_error: OnError | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        guard = Guard(
            base_url,
            own_scopes=own_scopes,
            resource=resource,
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
        resource = self._verifier.resource
        if resource is not None and scope["type"] == "http":
            metadata = resource.metadata_answer(scope["method"], scope["path"])
            if metadata is not None:
                await respond(scope, send, metadata)
                return
        verdict = await self._verifier.verify(self._question, scope["headers"], client_address(scope))
        if verdict.caller is None:
            await respond(scope, send, verdict)
            return
        admitted = {**scope, "headers": without_claims(scope["headers"]), KEY: verdict.caller}
        await self._app(admitted, receive, with_verdict(send, verdict))
