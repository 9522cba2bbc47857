from __future__ import annotations

import copy
import time
import uuid
from typing import Protocol, TypeVar

import anyio
import httpx
from google.protobuf.message import DecodeError, Message

from latchkey._credentials import _Credentials
from latchkey._error import LatchkeyError, Reason, error_of, is_denial
from latchkey._federation import AsyncExchanged, SyncExchanged
from latchkey._retry import Retry
from latchkey._version import USER_AGENT

_NAMES = ("client_message_id", "client_request_id")

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)


class Call(Protocol):
    """Makes one call, with its retries."""

    def __call__(self, path: str, request: Message, response: type[Response]) -> Response: ...


class AsyncCall(Protocol):
    """Makes one call, with its retries."""

    async def __call__(self, path: str, request: Message, response: type[Response]) -> Response: ...


class SyncCaller:
    def __init__(
        self, base_url: str, credentials: _Credentials, http: httpx.Client, timeout: float, retry: Retry
    ) -> None:
        self._base_url = base_url
        self._credentials = credentials
        self._http = http
        self._timeout = timeout
        self._retry = retry

    def __call__(self, path: str, request: Message, response: type[Response]) -> Response:
        own = named(request)
        attempts = _Attempts(path, own, self._timeout, self._retry)
        while True:
            headers: dict[str, str] = {}
            try:
                headers = self._credentials._sync_headers()
                built = _build(self._http, self._base_url, attempts, headers)
                answer = _parsed(self._http.send(built, follow_redirects=False), response)
                return answer if own is request else _with_secret(answer)
            except (httpx.TransportError, LatchkeyError) as error:
                if attempts.has_other_token(error, self._credentials, headers):
                    continue
                time.sleep(attempts.pause_after(error))


class AsyncCaller:
    def __init__(
        self, base_url: str, credentials: _Credentials, http: httpx.AsyncClient, timeout: float, retry: Retry
    ) -> None:
        self._base_url = base_url
        self._credentials = credentials
        self._http = http
        self._timeout = timeout
        self._retry = retry

    async def __call__(self, path: str, request: Message, response: type[Response]) -> Response:
        own = named(request)
        attempts = _Attempts(path, own, self._timeout, self._retry)
        try:
            with anyio.fail_after(self._timeout):
                while True:
                    headers: dict[str, str] = {}
                    try:
                        headers = await self._credentials._async_headers()
                        built = _build(self._http, self._base_url, attempts, headers)
                        answer = _parsed(await self._http.send(built, follow_redirects=False), response)
                        return answer if own is request else _with_secret(answer)
                    except (httpx.TransportError, LatchkeyError) as error:
                        if attempts.has_other_token(error, self._credentials, headers):
                            continue
                        pause = attempts.pause_after(error)
                    await anyio.sleep(pause)
        except TimeoutError as error:
            raise LatchkeyError("deadline_exceeded", "the call took longer than its timeout") from error


class _Attempts:
    """The attempts at one call: what is sent, until when, and how often."""

    def __init__(self, path: str, request: Message, timeout: float, retry: Retry) -> None:
        self.path = path
        self.request = request
        self._deadline = time.monotonic() + timeout
        self._retry = retry
        self._attempt = 0
        self._replaced = False

    def remaining(self) -> float:
        remaining = self._deadline - time.monotonic()
        if remaining <= 0:
            raise LatchkeyError("deadline_exceeded", "the call took longer than its timeout")
        return remaining

    def has_other_token(self, error: Exception, credentials: _Credentials, headers: dict[str, str]) -> bool:
        """Whether to call again, once, since the token was one of the client's own and has ended."""
        if self._replaced or not isinstance(credentials, (SyncExchanged, AsyncExchanged)):
            return False
        self._replaced = is_denial(error, Reason.JWT_EXPIRED, Reason.TOKEN_REVOKED)
        if self._replaced:
            credentials._drop(headers)
        return self._replaced

    def pause_after(self, failure: httpx.TransportError | LatchkeyError) -> float:
        """Seconds until the next attempt. Raises the error if there must be none."""
        error = failure if isinstance(failure, LatchkeyError) else _unreached(failure)
        self._attempt += 1
        pause = self._retry._pause_before(error, self._attempt, self.path, self.request)
        if pause is None or time.monotonic() + pause >= self._deadline:
            raise error from (None if error is failure else failure)
        return pause


def named(request: Request) -> Request:
    """The request, with an id of its own if it is a message or makes a secret and has none, so that a retry is the same call.

    It is a copy: an id left in the caller's object would make the same text, sent again on purpose, a repetition.
    """
    name = next((each for each in _NAMES if each in request.DESCRIPTOR.fields_by_name), None)
    if name is None or getattr(request, name):
        return request
    own = copy.deepcopy(request)
    setattr(own, name, uuid.uuid4().hex)
    return own


def _with_secret(answer: Response) -> Response:
    """The answer to a call that the client has named. Raises if it is that of an earlier attempt, whose own answer was lost with
    the secret: an empty one could be stored in its place.
    """
    made = getattr(answer, "result", answer)
    if not any(getattr(each, "already_created", False) for each in (answer, made)):
        return answer
    name = next(each.name for each in made.DESCRIPTOR.fields if each.name.endswith("_id"))
    raise LatchkeyError(
        "data_loss",
        "the answer of an earlier attempt, which held the secret, was lost: "
        f"it made {getattr(made, name)}; revoke or rotate that, and call again",
    )


def _build(
    http: httpx.Client | httpx.AsyncClient, base_url: str, attempts: _Attempts, credentials: dict[str, str]
) -> httpx.Request:
    headers = {
        "Content-Type": "application/proto",
        "Connect-Protocol-Version": "1",
        "User-Agent": USER_AGENT,
        **credentials,
    }
    return http.build_request(
        "POST",
        base_url + attempts.path,
        content=attempts.request.SerializeToString(),
        # A user id may have any letters.
        headers=[(name.encode(), value.encode()) for name, value in headers.items()],
        timeout=attempts.remaining(),
    )


def _parsed(answer: httpx.Response, response: type[Response]) -> Response:
    if answer.status_code != 200:
        raise error_of(answer)
    try:
        if answer.headers.get("Content-Type") == "application/proto":
            return response.FromString(answer.content)
    except DecodeError:
        pass
    host = answer.request.url.host
    raise LatchkeyError("unknown", f"{host} did not answer as Latchkey; is base_url that of a Latchkey service?")


def _unreached(failure: httpx.TransportError) -> LatchkeyError:
    if isinstance(failure, httpx.TimeoutException):
        return LatchkeyError("deadline_exceeded", "the call took longer than its timeout")
    return LatchkeyError("unavailable", f"Latchkey could not be reached ({type(failure).__name__})")
