from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

import anyio
import httpx
from anyio.lowlevel import RunVar
from google.protobuf.json_format import ParseError, Parse

from latchkey._base_url import checked_base_url
from latchkey._version import USER_AGENT
from latchkey.v1 import CALLER_DASHBOARD_USER, CALLER_PUBLISHABLE_KEY, CALLER_SECRET_KEY, VerifyResponse

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

_KEY = "latchkey.caller"
_KINDS = {
    CALLER_DASHBOARD_USER: "dashboard_user",
    CALLER_SECRET_KEY: "secret_key",
    CALLER_PUBLISHABLE_KEY: "publishable_key",
}
# A scope that can be asked for. No wildcard has this form.
_SCOPE = re.compile(r"[a-z][a-z0-9_-]{0,62}:[a-z][a-z0-9_-]{0,62}")
_COST_MAX = 1_000
# What a proxy in front may have learned from Latchkey, and any client can write. WSGI's servers read both alike.
_CLAIM = re.compile(rb"x[-_]auth[-_]", re.IGNORECASE)
_CHECKED_HEADERS = {b"x-api-key", b"authorization", b"x-on-behalf-of", b"origin", b"sec-fetch-site"}
_LIMIT_HEADERS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after")
_DENIAL_HEADERS = (*_LIMIT_HEADERS, "content-type", "www-authenticate", "x-request-id")
# Statuses by which Latchkey denies. Its own faults and those of servers between are no verdict.
_DENIAL_STATUSES = (400, 401, 403, 429)
# Far above any answer of Latchkey's; what exceeds it is some other server's page.
_ANSWER_BYTES_MAX = 65_536
_UNVERIFIED = {
    "code": "unavailable",
    "message": "The credentials could not be checked just now: they are neither accepted nor refused. Retry.",
}


@dataclass(frozen=True)
class Caller:
    """Who is calling, as Latchkey verified it."""

    kind: str
    """`dashboard_user`, `secret_key` or `publishable_key`."""
    tenant_id: str
    key_id: str | None
    """Begins with `key_`; None for a dashboard user."""
    user_id: str | None
    """The token's user, or the one a secret key acts for; None where there is none."""
    permissions: tuple[str, ...]
    """What the caller may do: scopes and wildcards of the API key, or of the dashboard user's roles."""


def caller_of(request: Any) -> Caller:
    """The caller of a request that a guard let pass: of an ASGI scope, or of what has one as `scope`, such as Starlette's
    requests. Raises a `LookupError` where no guard did, so that a forgotten guard shows."""
    scope = getattr(request, "scope", request)
    caller = scope.get(_KEY)
    if not isinstance(caller, Caller):
        raise LookupError("no guard has let this request pass")
    return caller


class LatchkeyGuard:
    """ASGI middleware that keeps requests from an app until Latchkey has admitted them.

    `scopes` are those that a caller must have, such as `"plans:read"`, or several, all of them. `cost` is as how many requests
    of the key's limit each counts. A denied request gets Latchkey's own status, body and limit headers. Where Latchkey gives no
    verdict within `timeout` seconds, the response is 503 and the app does not run; `on_error` gets the reason. `X-Auth-*`
    headers of a request are removed.

    The guard sends Latchkey the address of each request, `Origin` and `Sec-Fetch-Site`, for keys that may be used from some
    places alone: name the guarded service in Latchkey's TRUSTED_PROXIES.
    """

    def __init__(
        self,
        app: App,
        base_url: str,
        *,
        scopes: str | Sequence[str] = (),
        cost: int = 1,
        timeout: float = 2.0,
        insecure_http: bool = False,
        on_error: Callable[[Exception], None] = lambda error: None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._app = app
        self._url = f"{checked_base_url(base_url, insecure_http)}/api/v1/auth/verify"
        self._question = {"scopes": _checked_scopes(scopes), "cost": _checked_cost(cost)}
        self._timeout = timeout
        self._on_error = on_error
        self._given_http = http
        # Connections belong to an event loop, and tests of an app run several.
        self._http: RunVar[httpx.AsyncClient] = RunVar("latchkey.http")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            with anyio.fail_after(self._timeout):
                answer = await self._ask(scope["headers"], scope.get("client"))
            caller = _verdict(answer, scope["headers"])
        except Exception as error:
            self._on_error(error)
            body = json.dumps(_UNVERIFIED).encode()
            await _refuse(scope, send, 503, [(b"content-type", b"application/json")], body)
            return
        if caller is None:
            await _refuse(scope, send, answer.status_code, _picked(answer, _DENIAL_HEADERS), answer.content)
            return
        kept = [(name, value) for name, value in scope["headers"] if not _CLAIM.match(name)]
        limits = _picked(answer, _LIMIT_HEADERS)

        async def send_with_limits(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *limits]}
            await send(message)

        await self._app({**scope, "headers": kept, _KEY: caller}, receive, send_with_limits)

    def _client(self) -> httpx.AsyncClient:
        if self._given_http is not None:
            return self._given_http
        client = self._http.get(None)
        if client is None:
            client = httpx.AsyncClient()
            self._http.set(client)
        return client

    async def _ask(self, headers: Headers, client: Sequence[Any] | None) -> httpx.Response:
        http = self._client()
        request = http.build_request(
            "POST",
            self._url,
            json=self._question,
            headers=[
                (b"user-agent", USER_AGENT.encode()),
                *((name, value) for name, value in headers if name.lower() in _CHECKED_HEADERS),
                *_from(headers, client),
            ],
            timeout=self._timeout,
        )
        answer = await http.send(request, follow_redirects=False, stream=True)
        try:
            body = b""
            async for chunk in answer.aiter_bytes():
                body += chunk
                if len(body) > _ANSWER_BYTES_MAX:
                    raise ValueError("the answer is no verdict: it is too long")
            return httpx.Response(answer.status_code, headers=_plain(answer.headers), content=body)
        finally:
            await answer.aclose()


def _plain(headers: httpx.Headers) -> Headers:
    """Of a body that is decoded."""
    return [(name, value) for name, value in headers.raw if name.lower() not in (b"content-encoding", b"content-length")]


def _verdict(answer: httpx.Response, headers: Headers) -> Caller | None:
    """The caller, or None if Latchkey denied the request. Raises for whatever is no decision of Latchkey's."""
    status = answer.status_code
    # Of credentials, only X-On-Behalf-Of gets 400. All else is the guard's own question, such as an unknown scope.
    if status == 400 and not any(name.lower() == b"x-on-behalf-of" for name, _ in headers):
        raise ValueError(f"the guard's question is wrong: {answer.text}")
    if status == 200:
        return _caller(answer.content)
    try:
        body = json.loads(answer.content)
    except ValueError:
        body = None
    if isinstance(body, dict):
        reason = body.get("denial_reason")
        if isinstance(reason, str) if reason is not None else "code" in body and status in _DENIAL_STATUSES:
            return None
    raise ValueError(f"the answer is no verdict: its status is {status}; is base_url that of a Latchkey service?")


def _caller(body: bytes) -> Caller:
    try:
        verified = Parse(body, VerifyResponse(), ignore_unknown_fields=True)
    except ParseError:
        raise ValueError("the answer is no verdict; is base_url that of a Latchkey service?") from None
    kind = _KINDS.get(verified.caller)
    if kind is None or not verified.tenant_id:
        raise ValueError("the answer is no verdict: it names no caller that is known here")
    return Caller(
        kind=kind,
        tenant_id=verified.tenant_id,
        key_id=verified.key_id or None,
        user_id=verified.user_id or None,
        permissions=tuple(verified.permissions),
    )


def _from(headers: Headers, client: Sequence[Any] | None) -> Headers:
    """The address of the connection after those that proxies have written, as a proxy adds it. Nothing is added for an unknown
    one: a client could have written what would then be last."""
    if client is None or not client[0]:
        return []
    address = str(client[0]).partition("%")[0]
    chain = [(name, value) for name, value in headers if name.lower() in (b"x-forwarded-for", b"forwarded")]
    added: Headers = [(b"x-forwarded-for", address.encode())]
    if any(name.lower() == b"forwarded" for name, _ in chain):
        # A proxy that reads this one alone would else see a chain that lacks its end.
        node = f'"[{address}]"' if ":" in address else address
        added.append((b"forwarded", f"for={node}".encode()))
    return [*chain, *added]


def _picked(answer: httpx.Response, names: Iterable[str]) -> Headers:
    return [(name.encode(), value.encode()) for name in names if (value := answer.headers.get(name)) is not None]


async def _refuse(scope: Scope, send: Send, status: int, headers: Headers, body: bytes) -> None:
    if scope["type"] == "websocket":
        # Servers make 403 of it, before the connection is a WebSocket.
        await send({"type": "websocket.close", "code": 1008})
        return
    sized = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": sized})
    await send({"type": "http.response.body", "body": body})


def _checked_scopes(scopes: str | Sequence[str]) -> list[str]:
    given = [scopes] if isinstance(scopes, str) else list(scopes)
    for scope in given:
        if not isinstance(scope, str) or not _SCOPE.fullmatch(scope):
            raise ValueError(f'scopes: {scope!r} must be one "domain:action", such as "plans:read"')
    return given


def _checked_cost(cost: int) -> int:
    if not isinstance(cost, int) or not 1 <= cost <= _COST_MAX:
        raise ValueError(f"cost must be an integer from 1 to {_COST_MAX}, not {cost!r}")
    return cost
