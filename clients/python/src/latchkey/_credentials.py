from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from latchkey._error import LatchkeyError

# Characters of a key or a token. An error about any other would repeat the value.
_SECRET = re.compile(r"[\x21-\x7e]+")
# No controls, halves of surrogate pairs or commas. The service is stricter.
_USER_ID = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff,]{1,256}")

TokenSource = Callable[[], str]
AsyncTokenSource = Callable[[], Awaitable[str]]


class _Credentials:
    """Those of one caller. `repr` prints no secret of them."""

    def __init__(self, headers: dict[str, str]) -> None:
        self._headers = headers

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"

    def _sync_headers(self) -> dict[str, str]:
        return self._headers

    async def _async_headers(self) -> dict[str, str]:
        return self._sync_headers()


class SecretKey(_Credentials):
    """A customer's backend, for its tenant. Never put a secret key in an app, whose users can read it.

    With `on_behalf_of` it acts for one user, 1 to 256 printable characters; the key needs `users:impersonate`.
    """

    def __init__(self, key: str, *, on_behalf_of: str | None = None) -> None:
        headers = {"X-API-Key": _checked_key(key, "sk_")}
        if on_behalf_of is not None:
            user_id = on_behalf_of.strip()
            if not _USER_ID.fullmatch(user_id):
                raise ValueError("on_behalf_of must be one user id: 1 to 256 printable characters, without a comma")
            headers["X-On-Behalf-Of"] = user_id
        super().__init__(headers)


class UserToken(_Credentials):
    """A dashboard user; with the operator's token the operator of the service; or with a derived token a job or an agent
    that has less than a key.

    `get_token` returns the current token, without "Bearer ". It is called before every attempt of every call: let it
    cache and refresh the token.
    """

    def __init__(self, get_token: TokenSource) -> None:
        super().__init__({})
        _check_source(get_token)
        self._get_token = get_token

    def _sync_headers(self) -> dict[str, str]:
        return {**self._headers, "Authorization": _bearer(self._get_token())}


class PublishableKey(UserToken):
    """A client app: the publishable key, which is public, together with the token of the app's own user."""

    def __init__(self, key: str, get_token: TokenSource) -> None:
        super().__init__(get_token)
        self._headers = {"X-API-Key": _checked_key(key, "pk_")}


class AsyncUserToken(_Credentials):
    """`UserToken` for `AsyncLatchkey`, with a function whose token is awaited."""

    def __init__(self, get_token: AsyncTokenSource) -> None:
        super().__init__({})
        _check_source(get_token)
        self._get_token = get_token

    async def _async_headers(self) -> dict[str, str]:
        return {**self._headers, "Authorization": _bearer(await self._get_token())}


class AsyncPublishableKey(AsyncUserToken):
    """`PublishableKey` for `AsyncLatchkey`, with a function whose token is awaited."""

    def __init__(self, key: str, get_token: AsyncTokenSource) -> None:
        super().__init__(get_token)
        self._headers = {"X-API-Key": _checked_key(key, "pk_")}


SyncCredentials = SecretKey | PublishableKey | UserToken
AsyncCredentials = SecretKey | PublishableKey | UserToken | AsyncPublishableKey | AsyncUserToken


def _checked_key(given: str, prefix: str) -> str:
    key = given.strip() if isinstance(given, str) else ""
    if not _SECRET.fullmatch(key) or not key.startswith(prefix):
        raise ValueError(f"key must be one whole API key that begins with {prefix}")
    return key


def _check_source(get_token: object) -> None:
    if not callable(get_token):
        raise TypeError("get_token must be a function that returns the user's token")


def _bearer(given: object) -> str:
    token = given.strip() if isinstance(given, str) else ""
    if not _SECRET.fullmatch(token):
        raise LatchkeyError(
            "unauthenticated", 'get_token must return only the token, without "Bearer ", spaces or line ends'
        )
    return f"Bearer {token}"
