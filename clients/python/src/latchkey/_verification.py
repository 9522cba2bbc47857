from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

import anyio
import httpx
from anyio.lowlevel import RunVar
from google.protobuf.json_format import MessageToDict, ParseError, Parse

from latchkey._base_url import checked_base_url
from latchkey._caller import Caller
from latchkey._error import CODES
from latchkey._scopes import all_scopes, checked_scopes
from latchkey._verdict import Verdict, unverified
from latchkey._version import USER_AGENT
from latchkey.v1 import CALLER_DASHBOARD_USER, CALLER_PUBLISHABLE_KEY, CALLER_SECRET_KEY, VerifyResponse

Headers = list[tuple[bytes, bytes]]
OnError = Callable[[Exception], None]
Question = dict[str, Any]
Text = Union[str, bytes]
RequestHeaders = Union[Mapping[str, str], Iterable[tuple[Text, Text]]]

_KINDS = {
    CALLER_DASHBOARD_USER: "dashboard_user",
    CALLER_SECRET_KEY: "secret_key",
    CALLER_PUBLISHABLE_KEY: "publishable_key",
}
_COST_MAX = 1_000
# Headers that a proxy in front may have from Latchkey, and that any client can write. WSGI's servers read both alike.
_CLAIM = re.compile(rb"x[-_]auth[-_]", re.IGNORECASE)
# At the end of a message. It leads nowhere on the host of the guarded service.
_RELATIVE_LINK = re.compile(rb' See /docs/errors#\w+(?=")')
_CHECKED_HEADERS = {b"x-api-key", b"authorization", b"x-on-behalf-of", b"origin", b"sec-fetch-site"}
# By the id of its request, Latchkey's requests/explain finds the decision.
_ANSWER_HEADERS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after", "x-request-id")
_DENIAL_HEADERS = (*_ANSWER_HEADERS, "content-type", "www-authenticate")
# Statuses by which Latchkey denies. Its own faults and those of servers between are not a verdict.
_DENIAL_STATUSES = (400, 401, 403, 429)
# Far above any answer of Latchkey's; what exceeds it is some other server's page.
_ANSWER_BYTES_MAX = 65_536
_ADVICE = "is base_url that of a Latchkey service?"


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
        sync_http: httpx.Client | None = None,
    ) -> None:
        self._url = f"{checked_base_url(base_url, insecure_http)}/api/v1/auth/verify"
        self._known = all_scopes(own_scopes)
        if not timeout > 0:
            raise ValueError("timeout must be above 0, in seconds")
        self._timeout = timeout
        self._on_error = _log_first() if on_error is None else on_error
        self._given_http = http
        self._sync_http = sync_http
        # Connections belong to an event loop, and tests of an app run several.
        self._http: RunVar[httpx.AsyncClient] = RunVar("latchkey.http")

    def question(self, scopes: str | Sequence[str], cost: int) -> Question:
        return {"scopes": checked_scopes(scopes, self._known), "cost": _checked_cost(cost)}

    async def verify(self, question: Question, headers: Headers, address: str | None) -> Verdict:
        """An answer that is not a decision of Latchkey's is a refusal with 503."""
        try:
            with anyio.fail_after(self._timeout):
                return _decided(await self._ask(question, headers, address), headers)
        except Exception as error:
            return self._undecided(error)

    def verify_sync(self, question: Question, headers: Headers, address: str | None) -> Verdict:
        """As `verify`. A silence may last as long as the timeout, and the whole answer then a little longer."""
        try:
            return _decided(self._ask_sync(question, headers, address), headers)
        except Exception as error:
            return self._undecided(error)

    def _undecided(self, error: Exception) -> Verdict:
        self._on_error(error)
        return unverified()

    def _client(self) -> httpx.AsyncClient:
        if self._given_http is not None:
            return self._given_http
        client = self._http.get(None)
        if client is None:
            client = httpx.AsyncClient()
            self._http.set(client)
        return client

    async def _ask(self, question: Question, headers: Headers, address: str | None) -> httpx.Response:
        http = self._client()
        request = self._request(http, question, headers, address)
        try:
            answer = await http.send(request, follow_redirects=False, stream=True)
        except httpx.TransportError as error:
            raise _unreached(request, error) from error
        try:
            body = _Body()
            async for chunk in answer.aiter_bytes():
                body.add(chunk)
            return body.of(answer)
        finally:
            await answer.aclose()

    def _ask_sync(self, question: Question, headers: Headers, address: str | None) -> httpx.Response:
        http = self._sync_http
        if http is None:
            http = self._sync_http = httpx.Client()
        deadline = time.monotonic() + self._timeout
        request = self._request(http, question, headers, address)
        try:
            answer = http.send(request, follow_redirects=False, stream=True)
        except httpx.TransportError as error:
            raise _unreached(request, error) from error
        try:
            body = _Body()
            for chunk in answer.iter_bytes():
                body.add(chunk)
                if time.monotonic() > deadline:
                    raise TimeoutError(f"Latchkey did not answer within {self._timeout} s")
            return body.of(answer)
        finally:
            answer.close()

    def _request(
        self, http: httpx.AsyncClient | httpx.Client, question: Question, headers: Headers, address: str | None
    ) -> httpx.Request:
        return http.build_request(
            "POST",
            self._url,
            # An empty list is refused, as what is left of a variable that is not set; none is asked for by leaving it out.
            json=question if question["scopes"] else {"cost": question["cost"]},
            headers=[
                (b"user-agent", USER_AGENT.encode()),
                *((name, value) for name, value in headers if name.lower() in _CHECKED_HEADERS),
                *_from(headers, address),
            ],
            timeout=self._timeout,
        )


class _Body:
    """Of an answer, as far as one of Latchkey's can be."""

    def __init__(self) -> None:
        self._bytes = b""

    def add(self, chunk: bytes) -> None:
        self._bytes += chunk
        if len(self._bytes) > _ANSWER_BYTES_MAX:
            raise ValueError(f"the answer is not a verdict: it is too long; {_ADVICE}")

    def of(self, answer: httpx.Response) -> httpx.Response:
        return httpx.Response(answer.status_code, headers=_plain(answer.headers), content=self._bytes)


def pairs_of(headers: RequestHeaders) -> Headers:
    """Headers as servers have them. Raises a `ValueError` for a text that no header can have."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    return [(_encoded(name), _encoded(value)) for name, value in pairs]


def _encoded(text: Text) -> bytes:
    # As the frameworks decode them.
    return text.encode("latin-1") if isinstance(text, str) else text


def _unreached(request: httpx.Request, error: httpx.TransportError) -> ConnectionError:
    return ConnectionError(f"Latchkey could not be reached at {request.url.netloc.decode()}: {_cause(error)}")


def _cause(error: BaseException) -> str:
    """What the system said. httpx says only that all attempts failed."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return f"{type(error).__name__}: {error}"


def without_claims(headers: Headers) -> Headers:
    return [(name, value) for name, value in headers if not _CLAIM.match(name)]


def _log_first() -> OnError:
    """Without a line in a log, a guard that can admit no caller, as with a wrong URL, would be a riddle."""
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


def _decided(answer: httpx.Response, headers: Headers) -> Verdict:
    """Raises for every answer that is not a decision of Latchkey's."""
    status = answer.status_code
    if status == 200:
        return Verdict(200, _picked(answer, _ANSWER_HEADERS), b"", _caller(answer.content))
    if not _is_denial(status, answer.content):
        raise ValueError(f"the answer is not a verdict: its status is {status}; {_ADVICE}")
    # Of credentials, only X-On-Behalf-Of gets 400. All else is the guard's own question, such as an unknown scope.
    if status == 400 and not any(name.lower() == b"x-on-behalf-of" for name, _ in headers):
        raise ValueError(f"the guard's question is wrong: {answer.text}")
    return Verdict(status, _picked(answer, _DENIAL_HEADERS), _RELATIVE_LINK.sub(b"", answer.content))


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
        raise ValueError(f"the answer is not a verdict; {_ADVICE}") from None
    kind = _KINDS.get(verified.caller)
    if kind is None or not verified.tenant_id:
        raise ValueError(f"the answer is not a verdict: it names no caller that is known here; {_ADVICE}")
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


def _from(headers: Headers, of: str | None) -> Headers:
    """The address of the connection after those that proxies have written, as a proxy adds it. Nothing is added for an unknown
    one: a client could have written what would then be last."""
    if not of:
        return []
    address = of.partition("%")[0]
    chain = [(name, value) for name, value in headers if name.lower() in (b"x-forwarded-for", b"forwarded")]
    added: Headers = [(b"x-forwarded-for", address.encode())]
    if any(name.lower() == b"forwarded" for name, _ in chain):
        # A proxy that reads this one alone would else see a chain that lacks its end.
        node = f'"[{address}]"' if ":" in address else address
        added.append((b"forwarded", f"for={node}".encode()))
    return [*chain, *added]


def _picked(answer: httpx.Response, names: Iterable[str]) -> dict[str, str]:
    return {name: value for name in names if (value := answer.headers.get(name)) is not None}


def _checked_cost(cost: int) -> int:
    if not isinstance(cost, int) or not 1 <= cost <= _COST_MAX:
        raise ValueError(f"cost must be an integer from 1 to {_COST_MAX}, not {cost!r}")
    return cost
