from __future__ import annotations

import re
import threading
import time
from collections.abc import Sequence
from typing import Any

import anyio
import httpx

from latchkey._credentials import AsyncTokenSource, TokenSource, _bearer, _Credentials
from latchkey._error import LatchkeyError, error_of
from latchkey._version import USER_AGENT

_RULE = re.compile(r"fed_[0-9a-f]{32}")
# A visible text without spaces.
_SCOPE = re.compile(r"[\x21-\x7e]+")
_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
_JWT = "urn:ietf:params:oauth:token-type:jwt"
# Part of a token's life after which a call renews it.
_RENEW_AT = 2 / 3
# A token that is as near to its end may arrive too late.
_MARGIN_SECONDS = 5.0
# Longest time for one exchange.
_EXCHANGE_SECONDS = 60.0
# Pause after an exchange that failed; it doubles up to the most.
_PAUSE_SECONDS = 1.0
_PAUSE_SECONDS_MAX = 60.0
_CODES = {
    "invalid_grant": "unauthenticated",
    "invalid_scope": "permission_denied",
    "temporarily_unavailable": "unavailable",
}


class Federation(_Credentials):
    """A workload without any stored secret, such as a CI job or a pod, by the token that its own platform gives it.

    `rule` is the tenant's rule for the workload, `fed_...`. `get_assertion` returns the workload's token; it is called before
    each exchange, and must return one that was not exchanged before. `scopes` are those of the tokens, among the rule's; by
    default they are all of them.

    One exchange serves all calls of the client, which holds the token only in memory. The first call after two thirds of its
    life renews it, while others use the one from before, as all do while the exchange fails and it is still valid.
    """

    def __init__(self, *, rule: str, get_assertion: TokenSource, scopes: Sequence[str] | None = None) -> None:
        super().__init__({})
        _check(rule, get_assertion, scopes)
        self._rule, self._get_assertion, self._scopes = rule, get_assertion, scopes

    def _at(self, base_url: str, http: httpx.Client) -> SyncExchanged:
        return SyncExchanged(_Tokens(base_url, self._rule, self._scopes), self._get_assertion, http)


class AsyncFederation(_Credentials):
    """`Federation` for `AsyncLatchkey`, with a function whose token is awaited."""

    def __init__(self, *, rule: str, get_assertion: AsyncTokenSource, scopes: Sequence[str] | None = None) -> None:
        super().__init__({})
        _check(rule, get_assertion, scopes)
        self._rule, self._get_assertion, self._scopes = rule, get_assertion, scopes

    def _at(self, base_url: str, http: httpx.AsyncClient) -> AsyncExchanged:
        return AsyncExchanged(_Tokens(base_url, self._rule, self._scopes), self._get_assertion, http)


class _Tokens:
    """The tokens of one client: the one that it holds, and when it exchanges another."""

    def __init__(self, base_url: str, rule: str, scopes: Sequence[str] | None) -> None:
        self.url = f"{base_url}/oauth/token"
        self._rule = rule
        self._scopes = scopes
        self._token: str | None = None
        self._renew_at = self._end_at = self._paused_until = 0.0
        self._failures = 0
        self.exchanges = 0
        self.failure: Exception | None = None

    def usable(self, now: float) -> str | None:
        return self._token if now < self._end_at - _MARGIN_SECONDS else None

    def is_due(self, now: float) -> bool:
        return now >= self._renew_at and now >= self._paused_until

    def form(self, given: object) -> dict[str, str]:
        assertion = given.strip() if isinstance(given, str) else ""
        if not assertion:
            raise LatchkeyError("unauthenticated", "get_assertion returned no token")
        form = {"grant_type": _EXCHANGE, "client_id": self._rule, "subject_token": assertion, "subject_token_type": _JWT}
        return form if self._scopes is None else {**form, "scope": " ".join(self._scopes)}

    def keep(self, answer: httpx.Response, started: float) -> None:
        members = _members(answer)
        if answer.status_code != 200:
            raise _refusal(answer, members)
        token, seconds = members.get("access_token"), members.get("expires_in")
        if not isinstance(token, str) or not isinstance(seconds, int):
            host = answer.request.url.host
            problem = f"{host} answered the exchange without a token; is base_url that of a Latchkey service?"
            raise LatchkeyError("unknown", problem)
        # Counted from before the exchange: the answer may have taken a while.
        self._token, self._renew_at, self._end_at = token, started + seconds * _RENEW_AT, started + seconds
        self._failures, self._paused_until, self.failure = 0, 0.0, None
        self.exchanges += 1

    def failed(self, error: Exception, now: float) -> Exception:
        self._paused_until = now + min(_PAUSE_SECONDS * 2 ** min(self._failures, 6), _PAUSE_SECONDS_MAX)
        self._failures += 1
        self.exchanges += 1
        if isinstance(error, httpx.TransportError):
            # Not its own words, which may repeat what was to be sent.
            error = LatchkeyError("unavailable", f"no token could be exchanged ({type(error).__name__})")
        self.failure = error
        return error

    def drop(self, headers: dict[str, str]) -> None:
        if self._token is not None and headers.get("Authorization") == f"Bearer {self._token}":
            self._token = None

    def since(self, exchanges: int) -> str | None:
        """The token of an exchange that another call has made meanwhile. Raises what that failed with."""
        if self.exchanges == exchanges:
            return None
        if self.failure is not None:
            raise self.failure
        return self._token


class SyncExchanged(_Credentials):
    def __init__(self, tokens: _Tokens, get_assertion: TokenSource, http: httpx.Client) -> None:
        super().__init__({})
        self._tokens, self._get_assertion, self._http = tokens, get_assertion, http
        self._lock = threading.Lock()
        self._now = time.monotonic

    def _sync_headers(self) -> dict[str, str]:
        return {"Authorization": _bearer(self._token())}

    def _drop(self, headers: dict[str, str]) -> None:
        self._tokens.drop(headers)

    def _token(self) -> str:
        tokens, now, exchanges = self._tokens, self._now(), self._tokens.exchanges
        held = tokens.usable(now)
        if held is None:
            with self._lock:
                return tokens.since(exchanges) or self._exchange()
        # A call that finds another one at it does not wait.
        if tokens.is_due(now) and self._lock.acquire(blocking=False):
            try:
                return tokens.since(exchanges) or self._exchange()
            except Exception:
                return held
            finally:
                self._lock.release()
        return held

    def _exchange(self) -> str:
        started = self._now()
        try:
            form = self._tokens.form(self._get_assertion())
            self._tokens.keep(self._http.send(_built(self._http, self._tokens.url, form), follow_redirects=False), started)
        except Exception as error:
            raise self._tokens.failed(error, self._now()) from None
        return self._tokens.usable(started) or ""


class AsyncExchanged(_Credentials):
    def __init__(self, tokens: _Tokens, get_assertion: AsyncTokenSource, http: httpx.AsyncClient) -> None:
        super().__init__({})
        self._tokens, self._get_assertion, self._http = tokens, get_assertion, http
        self._lock = anyio.Lock()
        self._now = time.monotonic

    async def _async_headers(self) -> dict[str, str]:
        return {"Authorization": _bearer(await self._token())}

    def _drop(self, headers: dict[str, str]) -> None:
        self._tokens.drop(headers)

    async def _token(self) -> str:
        tokens, now, exchanges = self._tokens, self._now(), self._tokens.exchanges
        held = tokens.usable(now)
        if held is None:
            async with self._lock:
                return tokens.since(exchanges) or await self._exchange()
        # A call that finds another one at it does not wait.
        if tokens.is_due(now) and not self._lock.locked():
            async with self._lock:
                try:
                    return tokens.since(exchanges) or await self._exchange()
                except Exception:
                    return held
        return held

    async def _exchange(self) -> str:
        started = self._now()
        try:
            form = self._tokens.form(await self._get_assertion())
            built = _built(self._http, self._tokens.url, form)
            self._tokens.keep(await self._http.send(built, follow_redirects=False), started)
        except Exception as error:
            raise self._tokens.failed(error, self._now()) from None
        return self._tokens.usable(started) or ""


def _check(rule: object, get_assertion: object, scopes: Sequence[str] | None) -> None:
    if not isinstance(rule, str) or not _RULE.fullmatch(rule):
        raise ValueError("rule must be the id of a federation rule, fed_...")
    if not callable(get_assertion):
        raise TypeError("get_assertion must be a function that returns the workload's own token")
    # The exchange reads an empty scope as none, and gives all that the rule has.
    if scopes is not None and (isinstance(scopes, str) or not scopes or not all(map(_SCOPE.fullmatch, scopes))):
        raise ValueError("scopes must be a list of scopes; leave it out for all of the rule's")


def _built(http: httpx.Client | httpx.AsyncClient, url: str, form: dict[str, str]) -> httpx.Request:
    return http.build_request("POST", url, data=form, headers={"User-Agent": USER_AGENT}, timeout=_EXCHANGE_SECONDS)


def _members(answer: httpx.Response) -> dict[str, Any]:
    try:
        members = answer.json()
    except ValueError:
        return {}
    return members if isinstance(members, dict) else {}


def _refusal(answer: httpx.Response, members: dict[str, Any]) -> LatchkeyError:
    error, description = members.get("error"), members.get("error_description")
    if not isinstance(error, str) or not isinstance(description, str):
        other = error_of(answer)
        problem = f"the workload's token was not exchanged: {other.message}"
        return LatchkeyError(other.code, problem, reason=other.reason, retry_after_seconds=other.retry_after_seconds)
    code = _CODES.get(error, "unavailable" if answer.status_code >= 500 else "invalid_argument")
    return LatchkeyError(code, f"the workload's token was not exchanged: {error}: {description}")
