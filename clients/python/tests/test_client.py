from __future__ import annotations

import time

import pytest

from latchkey import (
    AsyncLatchkey,
    AsyncPublishableKey,
    AsyncUserToken,
    Latchkey,
    LatchkeyError,
    PublishableKey,
    Reason,
    Retry,
    SecretKey,
    UserToken,
    denial_of,
    is_denial,
    v1,
)

from .conftest import CreateKey


def message(text: str) -> v1.SendMessageRequest:
    part = v1.ContentPart(type=v1.CONTENT_PART_TYPE_TEXT, content=text)
    user_message = v1.UserMessage(role=v1.ROLE_USER, content=[part])
    return v1.SendMessageRequest(conversation_key="python", user_message=user_message)


def test_a_secret_key_sends_a_message_and_reads_its_conversation(url: str, create_key: CreateKey) -> None:
    with Latchkey(url, SecretKey(f" {create_key('conversations:*').key}\n")) as client:
        client.gateway.send_message(message("Hi"))
        state = client.gateway.get_conversation_state(v1.GetConversationStateRequest(conversation_key="python"))
    assert state.messages[0].content[0].content == "Hi"


def test_a_secret_key_acts_for_a_user(url: str, create_key: CreateKey) -> None:
    key = create_key("conversations:*", "users:impersonate").key
    with Latchkey(url, SecretKey(key, on_behalf_of="Zoë 7")) as client:
        assert client.auth.verify(v1.VerifyRequest()).acting_for == "Zoë 7"


def test_a_publishable_key_sends_its_users_token(url: str, publishable_key: str, user_token: str) -> None:
    with Latchkey(url, PublishableKey(publishable_key, lambda: user_token)) as client:
        caller = client.auth.verify(v1.VerifyRequest())
    assert caller.caller == v1.CALLER_PUBLISHABLE_KEY
    assert caller.user_id
    with Latchkey(url, PublishableKey(publishable_key, lambda: "not-a-token")) as client:
        with pytest.raises(LatchkeyError) as failed:
            client.auth.verify(v1.VerifyRequest())
    assert is_denial(failed.value, Reason.JWT_MALFORMED)


def test_denials_have_their_reason(url: str, create_key: CreateKey, dashboard: Latchkey) -> None:
    key = create_key("plans:read")
    with Latchkey(url, SecretKey(key.key)) as client:
        with pytest.raises(LatchkeyError) as failed:
            client.gateway.list_threads(v1.ListThreadsRequest())
        assert is_denial(failed.value, Reason.INSUFFICIENT_SCOPE)
        assert failed.value.code == "permission_denied"
        assert "conversations:read" in failed.value.message
        dashboard.api_keys.revoke_api_key(v1.RevokeApiKeyRequest(key_id=key.key_id))
        with pytest.raises(LatchkeyError) as failed:
            client.gateway.list_threads(v1.ListThreadsRequest())
        assert is_denial(failed.value, Reason.API_KEY_EXPIRED, Reason.API_KEY_REVOKED)
    with pytest.raises(LatchkeyError) as failed:
        dashboard.api_keys.get_api_key(v1.GetApiKeyRequest(key_id="key_none"))
    assert (failed.value.code, failed.value.reason, failed.value.field) == ("not_found", "key_not_found", "key_id")
    assert denial_of(failed.value) is None


def test_rate_limited_calls_wait_for_retry_after(url: str, create_key: CreateKey) -> None:
    key = SecretKey(create_key("conversations:*", limit=v1.RateLimit(requests_per_minute=60, burst_size=1)).key)
    with Latchkey(url, key, retry=Retry(attempts_max=1)) as once:
        with pytest.raises(LatchkeyError) as failed:
            for _ in range(3):
                once.gateway.list_threads(v1.ListThreadsRequest())
    denial = denial_of(failed.value)
    assert denial is not None
    assert denial.reason == Reason.RATE_LIMITED
    assert denial.retry_after_seconds == 1
    assert denial.rate_limit is not None
    assert denial.rate_limit.limit == 60
    # The end of the minute's window, as a whole second.
    assert abs(denial.rate_limit.reset_at.timestamp() - time.time()) < 62
    with Latchkey(url, key) as patient:
        patient.gateway.list_threads(v1.ListThreadsRequest())


@pytest.mark.anyio
async def test_the_calls_of_the_asynchronous_client_are_the_same(
    url: str, create_key: CreateKey, publishable_key: str, user_token: str, dashboard_token: str
) -> None:
    async def get_user_token() -> str:
        return user_token

    async def get_dashboard_token() -> str:
        return dashboard_token

    limited = create_key("conversations:*", limit=v1.RateLimit(requests_per_minute=60, burst_size=1)).key
    async with AsyncLatchkey(url, SecretKey(limited)) as client:
        await client.gateway.send_message(message("Hello"))
        await client.gateway.list_threads(v1.ListThreadsRequest())
        with pytest.raises(LatchkeyError) as failed:
            await client.api_keys.list_api_keys(v1.ListApiKeysRequest())
        assert is_denial(failed.value, Reason.INSUFFICIENT_SCOPE)
    async with AsyncLatchkey(url, AsyncPublishableKey(publishable_key, get_user_token)) as client:
        assert (await client.auth.verify(v1.VerifyRequest())).user_id
    async with AsyncLatchkey(url, AsyncUserToken(get_dashboard_token)) as client:
        assert (await client.api_keys.list_api_keys(v1.ListApiKeysRequest())).pagination.total > 0


def test_an_empty_member_never_widens_a_request(url: str, create_key: CreateKey) -> None:
    """What a program reads from an unset variable is an empty text, which must not be taken for an absent member."""
    with Latchkey(url, SecretKey(create_key("plans:read", "users:impersonate").key)) as key:
        for empty in ("", " ", "\u200b"):
            for member in ("user_id", "audience", "confirmation_jkt"):
                request = v1.DeriveTokenRequest(scopes=["plans:read"])
                setattr(request, member, empty)
                with pytest.raises(LatchkeyError, match=f"{member}: "):
                    key.tokens.derive_token(request)
            with pytest.raises(LatchkeyError, match="scope: "):
                key.auth.verify(v1.VerifyRequest(scope=empty))
        for empty in ("", " "):
            with pytest.raises(ValueError, match="on_behalf_of"):
                SecretKey("sk_x", on_behalf_of=empty)
        assert key.tokens.derive_token(v1.DeriveTokenRequest(scopes=["plans:read"])).result.token


def test_a_derived_token_has_less_than_its_key_and_is_revoked(url: str, create_key: CreateKey) -> None:
    with Latchkey(url, SecretKey(create_key("conversations:*", "plans:read").key)) as key:
        derived = key.tokens.derive_token(v1.DeriveTokenRequest(scopes=["plans:read"])).result
        with Latchkey(url, UserToken(lambda: derived.token)) as agent:
            assert agent.auth.verify(v1.VerifyRequest(scope="plans:read")).token_id == derived.token_id
            with pytest.raises(LatchkeyError) as failed:
                agent.gateway.list_threads(v1.ListThreadsRequest())
            assert is_denial(failed.value, Reason.INSUFFICIENT_SCOPE)
            key.tokens.revoke_token(v1.RevokeTokenRequest(token_id=derived.token_id))
            with pytest.raises(LatchkeyError) as failed:
                agent.auth.verify(v1.VerifyRequest())
            assert is_denial(failed.value, Reason.TOKEN_REVOKED)
        (listed,) = key.tokens.list_tokens(v1.ListTokensRequest()).tokens
        assert listed.HasField("revoked_at")
