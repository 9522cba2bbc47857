from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import anyio
import httpx
from anyio.lowlevel import RunVar
from google.protobuf.json_format import MessageToDict, ParseError, Parse

from latchkey._base_url import checked_base_url
from latchkey._caller import Caller
from latchkey._error import CODES
from latchkey._resource import CheckedResource, Refusal, Resource, insufficient_scope, wrong_audience
from latchkey._scopes import all_scopes, checked_scopes
from latchkey._version import USER_AGENT
from latchkey.v1 import CALLER_DASHBOARD_USER, CALLER_PUBLISHABLE_KEY, CALLER_SECRET_KEY, VerifyResponse

Headers = list[tuple[bytes, bytes]]
OnError = Callable[[Exception], None]
Question = dict[str, Any]

_KINDS = {
    CALLER_DASHBOARD_USER: "dashboard_user",
    CALLER_SECRET_KEY: "secret_key",
    CALLER_PUBLISHABLE_KEY: "publishable_key",
}
_COST_MAX = 1_000
# What a proxy in front may have learned from Latchkey, and any client can write. WSGI's servers read both alike.
_CLAIM = re.compile(rb"x[-_]auth[-_]", re.IGNORECASE)
# At the end of a message. It leads nowhere on the host of the guarded service.
_RELATIVE_LINK = re.compile(rb' See /docs/errors#\w+(?=")')
_CHECKED_HEADERS = {b"x-api-key", b"authorization", b"x-on-behalf-of", b"origin", b"sec-fetch-site"}
_LIMIT_HEADERS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after")
_DENIAL_HEADERS = (*_LIMIT_HEADERS, "content-type", "www-authenticate", "x-request-id")
# Statuses by which Latchkey denies. Its own faults and those of servers between are no verdict.
_DENIAL_STATUSES = (400, 401, 403, 429)
# Far above any answer of Latchkey's; what exceeds it is some other server's page.
_ANSWER_BYTES_MAX = 65_536
_ADVICE = "is base_url that of a Latchkey service?"
_UNVERIFIED = {
    "code": "unavailable",
    "message": "The credentials could not be checked just now: they are neither accepted nor refused. Retry.",
    "reason": "verifier_error",
}


@dataclass(frozen=True)
class Verdict:
    """What Latchkey decided about a request: its caller and the limit's headers, or the answer to give in place of the app's."""

    caller: Caller | None
    status: int
    headers: Headers
    body: bytes

    @property
    def refusal(self) -> Refusal:
        return Refusal(self.status, self.headers, self.body)


class Verifier:
    """Asks Latchkey about requests. Raises a `ValueError` at once for arguments with which none could be admitted."""

    def __init__(
        self,
        base_url: str,
        own_scopes: Sequence[str],
        timeout: float,
        insecure_http: bool,
        on_error: OnError | None,
        http: httpx.AsyncClient | None,
        resource: Resource | None = None,
    ) -> None:
        self._url = f"{checked_base_url(base_url, insecure_http)}/api/v1/auth/verify"
        self._known = all_scopes(own_scopes)
        self.resource = None if resource is None else CheckedResource(resource, insecure_http, self._known)
        if not timeout > 0:
            raise ValueError("timeout must be above 0, in seconds")
        self._timeout = timeout
        self._on_error = _log_first() if on_error is None else on_error
        self._given_http = http
        # Connections belong to an event loop, and tests of an app run several.
        self._http: RunVar[httpx.AsyncClient] = RunVar("latchkey.http")

    def question(self, scopes: str | Sequence[str], cost: int) -> Question:
        return {"scopes": checked_scopes(scopes, self._known), "cost": _checked_cost(cost)}

    async def verify(self, question: Question, headers: Headers, client: Sequence[Any] | None) -> Verdict:
        """Whatever is no decision of Latchkey's is a refusal with 503. For a resource, a token must be for it and have its scopes,
        and challenges say where its metadata is."""
        resource = self.resource
        if resource is None:
            return await self._decide(question, headers, client)
        scopes: list[str] = question["scopes"]
        use = resource.token_use(headers)
        # Latchkey would accept any audience of its configuration. The request spends nothing.
        if use == "for_other":
            return _refused(resource.challenged(wrong_audience(), scopes, headers))
        verdict = await self._decide(question, headers, client)
        if verdict.caller is None:
            return _refused(resource.challenged(verdict.refusal, scopes, headers))
        # Admitted by a token that only Latchkey can read, or that was not looked at.
        if use == "unknown" or (use == "none" and verdict.caller.kind != "secret_key"):
            return _refused(resource.challenged(wrong_audience(), scopes, headers))
        lacked = resource.lacked_scope(headers, scopes) if use == "for_resource" else None
        if lacked is None:
            return verdict
        message = f"This token was not granted the scope {lacked}; have the client ask the user for it."
        return _refused(resource.challenged(insufficient_scope(message), scopes, headers))

    async def _decide(self, question: Question, headers: Headers, client: Sequence[Any] | None) -> Verdict:
        try:
            with anyio.fail_after(self._timeout):
                answer = await self._ask(question, headers, client)
            caller = _verdict(answer, headers)
        except Exception as error:
            self._on_error(error)
            return Verdict(None, 503, [(b"content-type", b"application/json")], json.dumps(_UNVERIFIED).encode())
        picked = _picked(answer, _DENIAL_HEADERS if caller is None else _LIMIT_HEADERS)
        return Verdict(caller, answer.status_code, picked, _RELATIVE_LINK.sub(b"", answer.content))

    def _client(self) -> httpx.AsyncClient:
        if self._given_http is not None:
            return self._given_http
        client = self._http.get(None)
        if client is None:
            client = httpx.AsyncClient()
            self._http.set(client)
        return client

    async def _ask(
        self, question: Question, headers: Headers, client: Sequence[Any] | None
    ) -> httpx.Response:
        http = self._client()
        request = http.build_request(
            "POST",
            self._url,
            # An empty list is refused, as what is left of a variable that is not set; none is asked for by leaving it out.
            json=question if question["scopes"] else {"cost": question["cost"]},
            headers=[
                (b"user-agent", USER_AGENT.encode()),
                *((name, value) for name, value in headers if name.lower() in _CHECKED_HEADERS),
                *_from(headers, client),
            ],
            timeout=self._timeout,
        )
        try:
            answer = await http.send(request, follow_redirects=False, stream=True)
        except httpx.TransportError as error:
            raise ConnectionError(f"Latchkey could not be reached at {request.url.netloc.decode()}: {_cause(error)}") from error
        try:
            body = b""
            async for chunk in answer.aiter_bytes():
                body += chunk
                if len(body) > _ANSWER_BYTES_MAX:
                    raise ValueError(f"the answer is no verdict: it is too long; {_ADVICE}")
            return httpx.Response(answer.status_code, headers=_plain(answer.headers), content=body)
        finally:
            await answer.aclose()


def _cause(error: BaseException) -> str:
    """What the system said. httpx says only that all attempts failed."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return f"{type(error).__name__}: {error}"


def _refused(refusal: Refusal) -> Verdict:
    return Verdict(None, refusal.status, refusal.headers, refusal.body)


def without_claims(headers: Headers) -> Headers:
    return [(name, value) for name, value in headers if not _CLAIM.match(name)]


def _log_first() -> OnError:
    """Without a line in a log, a guard that can admit nobody, as with a wrong URL, would be a riddle."""
    logger = logging.getLogger("latchkey")
    logged = False

    def log(error: Exception) -> None:
        nonlocal logged
        if not logged:
            logged = True
            logger.error(
                "credentials could not be checked: %s: %s. Only the first reason is logged; give on_error.",
                type(error).__name__,
                error,
            )

    return log


def _plain(headers: httpx.Headers) -> Headers:
    """Of a body that is decoded."""
    return [(name, value) for name, value in headers.raw if name.lower() not in (b"content-encoding", b"content-length")]


def _verdict(answer: httpx.Response, headers: Headers) -> Caller | None:
    """The caller, or None if Latchkey denied the request. Raises for whatever is no decision of Latchkey's."""
    status = answer.status_code
    if status == 200:
        return _caller(answer.content)
    if not _is_denial(status, answer.content):
        raise ValueError(f"the answer is no verdict: its status is {status}; {_ADVICE}")
    # Of credentials, only X-On-Behalf-Of gets 400. All else is the guard's own question, such as an unknown scope.
    if status == 400 and not any(name.lower() == b"x-on-behalf-of" for name, _ in headers):
        raise ValueError(f"the guard's question is wrong: {answer.text}")
    return None


def _is_denial(status: int, content: bytes) -> bool:
    try:
        body = json.loads(content)
    except ValueError:
        return False
    if not isinstance(body, dict):
        return False
    reason, code = body.get("denial_reason"), body.get("code")
    if reason is not None:
        return isinstance(reason, str)
    return status in _DENIAL_STATUSES and isinstance(code, str) and code in CODES


def _caller(body: bytes) -> Caller:
    try:
        verified = Parse(body, VerifyResponse(), ignore_unknown_fields=True)
    except ParseError:
        raise ValueError(f"the answer is no verdict; {_ADVICE}") from None
    kind = _KINDS.get(verified.caller)
    if kind is None or not verified.tenant_id:
        raise ValueError(f"the answer is no verdict: it names no caller that is known here; {_ADVICE}")
    return Caller(
        kind=kind,
        tenant_id=verified.tenant_id,
        key_id=verified.key_id or None,
        user_id=verified.user_id or None,
        permissions=tuple(verified.permissions),
        acting_for=verified.acting_for or None,
        token_id=verified.token_id or None,
        external_id=verified.external_id or None,
        metadata=MessageToDict(verified.metadata) if verified.HasField("metadata") else None,
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


def _checked_cost(cost: int) -> int:
    if not isinstance(cost, int) or not 1 <= cost <= _COST_MAX:
        raise ValueError(f"cost must be an integer from 1 to {_COST_MAX}, not {cost!r}")
    return cost
