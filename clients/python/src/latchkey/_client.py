from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

import httpx

from latchkey import _calls as calls
from latchkey._base_url import checked_base_url
from latchkey._call import AsyncCaller, SyncCaller
from latchkey._credentials import AsyncCredentials, PublishableKey, SecretKey, SyncCredentials, UserToken, _Credentials
from latchkey._federation import AsyncFederation, Federation
from latchkey._retry import Retry
from latchkey._send_and_wait import ANSWER_SECONDS, Reply, request_of, wait, wait_async

_TIMEOUT_SECONDS = 60.0


class Latchkey:
    """One caller of Latchkey: `Latchkey("https://api.example.com", SecretKey("sk_..."))`.

    Calls raise `LatchkeyError`. `timeout` is the longest time for one call with all its attempts, in seconds. `base_url` must
    begin with https://, but on this machine; `insecure_http=True` is for private networks. `http` makes the requests; clients
    for several users can share one, which is then yours to close. No redirect is followed.
    """

    def __init__(
        self,
        base_url: str,
        credentials: SyncCredentials | Federation,
        *,
        timeout: float = _TIMEOUT_SECONDS,
        retry: Retry = Retry(),
        insecure_http: bool = False,
        http: httpx.Client | None = None,
    ) -> None:
        if not isinstance(credentials, (SecretKey, PublishableKey, UserToken, Federation)):
            raise TypeError("credentials must be a SecretKey, a PublishableKey, a UserToken or a Federation")
        base = checked_base_url(base_url, insecure_http)
        _check_timeout(timeout)
        self._http = httpx.Client() if http is None else http
        self._owns_http = http is None
        own = credentials._at(base, self._http) if isinstance(credentials, Federation) else credentials
        call = SyncCaller(base, own, self._http, timeout, retry)
        self.api_keys = calls.ApiKeyService(call)
        self.audit = calls.AuditService(call)
        self.auth = calls.AuthService(call)
        self.federation = calls.FederationService(call)
        self.gateway = calls.GatewayService(call)
        self.key_policies = calls.KeyPolicyService(call)
        self.leaks = calls.LeakService(call)
        self.orgs = calls.OrgService(call)
        self.requests = calls.RequestService(call)
        self.scopes = calls.ScopeService(call)
        self.tokens = calls.TokenService(call)
        self.usage = calls.UsageService(call)
        self.webhooks = calls.WebhookService(call)
        self.operator = calls.OperatorService(call)
        self._states = calls.GatewayService(SyncCaller(base, own, self._http, ANSWER_SECONDS, retry))

    def send_and_wait(
        self,
        conversation_key: str,
        text: str | Sequence[str],
        *,
        client_message_id: str = "",
        timeout: float | None = None,
    ) -> Reply:
        """Sends a message and waits for its reply, however late it comes, outages included.

        Raises `RunFailedError` if there will be no reply, and `LatchkeyError` if a call fails: with code `deadline_exceeded`
        when no reply came within `timeout` seconds. Once it was accepted, the message gets its reply whether or not a caller
        waits; `run_id` of the error is its run. With a `client_message_id` of your own, a message that is sent again is the
        same message.
        """
        sent = self.gateway.send_message(request_of(conversation_key, text, client_message_id))
        return wait(self._states, sent, timeout)

    def close(self) -> None:
        """Closes the connections."""
        if self._owns_http:
            self._http.close()

    def __enter__(self) -> Latchkey:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class AsyncLatchkey:
    """`Latchkey` whose calls are awaited, for asyncio and trio. Tokens may come from a function that is awaited, too."""

    def __init__(
        self,
        base_url: str,
        credentials: AsyncCredentials | AsyncFederation,
        *,
        timeout: float = _TIMEOUT_SECONDS,
        retry: Retry = Retry(),
        insecure_http: bool = False,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        if not isinstance(credentials, _Credentials) or isinstance(credentials, Federation):
            raise TypeError("credentials must be a SecretKey, a PublishableKey, a UserToken or an AsyncFederation")
        base = checked_base_url(base_url, insecure_http)
        _check_timeout(timeout)
        self._http = httpx.AsyncClient() if http is None else http
        self._owns_http = http is None
        own = credentials._at(base, self._http) if isinstance(credentials, AsyncFederation) else credentials
        call = AsyncCaller(base, own, self._http, timeout, retry)
        self.api_keys = calls.AsyncApiKeyService(call)
        self.audit = calls.AsyncAuditService(call)
        self.auth = calls.AsyncAuthService(call)
        self.federation = calls.AsyncFederationService(call)
        self.gateway = calls.AsyncGatewayService(call)
        self.key_policies = calls.AsyncKeyPolicyService(call)
        self.leaks = calls.AsyncLeakService(call)
        self.orgs = calls.AsyncOrgService(call)
        self.requests = calls.AsyncRequestService(call)
        self.scopes = calls.AsyncScopeService(call)
        self.tokens = calls.AsyncTokenService(call)
        self.usage = calls.AsyncUsageService(call)
        self.webhooks = calls.AsyncWebhookService(call)
        self.operator = calls.AsyncOperatorService(call)
        self._states = calls.AsyncGatewayService(AsyncCaller(base, own, self._http, ANSWER_SECONDS, retry))

    async def send_and_wait(
        self,
        conversation_key: str,
        text: str | Sequence[str],
        *,
        client_message_id: str = "",
        timeout: float | None = None,
    ) -> Reply:
        """As that of `Latchkey`. The task can be cancelled, too: the message stays sent."""
        sent = await self.gateway.send_message(request_of(conversation_key, text, client_message_id))
        return await wait_async(self._states, sent, timeout)

    async def aclose(self) -> None:
        """Closes the connections."""
        if self._owns_http:
            await self._http.aclose()

    async def __aenter__(self) -> AsyncLatchkey:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _check_timeout(timeout: float) -> None:
    if not timeout > 0:
        raise ValueError("timeout must be above 0, in seconds")
