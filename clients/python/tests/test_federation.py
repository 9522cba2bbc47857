from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import anyio
import httpx
import pytest

from latchkey import (
    AsyncFederation,
    AsyncLatchkey,
    Federation,
    Latchkey,
    LatchkeyError,
    SecretKey,
    v1,
)
from latchkey._federation import SyncExchanged

RULE = os.environ["LATCHKEY_RULE"]


def ask_platform() -> str:
    return httpx.get(os.environ["LATCHKEY_ASSERTION_URL"]).text


async def ask_platform_async() -> str:
    async with httpx.AsyncClient() as http:
        return (await http.get(os.environ["LATCHKEY_ASSERTION_URL"])).text


def revoke(url: str, token_id: str) -> None:
    with Latchkey(url, SecretKey(os.environ["LATCHKEY_RULE_KEY"])) as key:
        key.tokens.revoke_token(v1.RevokeTokenRequest(token_id=token_id))


def test_a_workload_exchanges_once_for_all_calls_and_once_more_after_its_token_was_revoked(url: str) -> None:
    with Latchkey(url, Federation(rule=RULE, get_assertion=ask_platform, scopes=["conversations:read"])) as client:

        def token_ids() -> set[str]:
            with ThreadPoolExecutor(8) as pool:
                return set(pool.map(lambda _: client.auth.verify(v1.VerifyRequest()).token_id, range(8)))

        (first,) = token_ids()
        assert first.startswith("tok_")
        revoke(url, first)
        (second,) = token_ids()
        assert second != first


async def test_the_asynchronous_client_exchanges_once_too(url: str) -> None:
    ids: set[str] = set()
    async with AsyncLatchkey(url, AsyncFederation(rule=RULE, get_assertion=ask_platform_async)) as client:

        async def call() -> None:
            ids.add((await client.auth.verify(v1.VerifyRequest())).token_id)

        for count in (1, 2):
            async with anyio.create_task_group() as group:
                for _ in range(8):
                    group.start_soon(call)
            assert len(ids) == count
            for token_id in ids:
                revoke(url, token_id)


def test_a_token_is_renewed_at_two_thirds_and_outlives_a_failure(url: str) -> None:
    now = 0.0
    asked: list[bool] = []
    is_away = False

    def get_assertion() -> str:
        asked.append(is_away)
        if is_away:
            raise RuntimeError("the platform is away")
        return ask_platform()

    with httpx.Client() as http:
        source = Federation(rule=RULE, get_assertion=get_assertion)._at(url.rstrip("/"), http)
        source._now = lambda: now
        first = source._sync_headers()
        now = 599.0
        assert source._sync_headers() == first
        now = 601.0
        second = source._sync_headers()
        assert second != first
        is_away = True
        now = 1_300.0
        assert [source._sync_headers() for _ in range(3)] == [second] * 3
        assert asked == [False, False, True]
        now = 1_497.0
        with pytest.raises(RuntimeError, match="the platform is away"):
            source._sync_headers()
        assert isinstance(source, SyncExchanged) and "eyJ" not in repr(source)


def failure(url: str, credentials: Federation) -> LatchkeyError:
    with Latchkey(url, credentials) as client, pytest.raises(LatchkeyError) as failed:
        client.auth.verify(v1.VerifyRequest())
    return failed.value


def test_errors_say_what_failed_and_repeat_no_token(url: str) -> None:
    unknown = failure(url, Federation(rule="fed_" + "0" * 32, get_assertion=ask_platform))
    assert unknown.code == "unauthenticated"
    assert "invalid_grant: " in str(unknown) and "eyJ" not in str(unknown)
    wider = failure(url, Federation(rule=RULE, get_assertion=ask_platform, scopes=["no:scope"]))
    assert wider.code == "permission_denied" and "invalid_scope: " in str(wider)
    assert "get_assertion returned no token" in str(failure(url, Federation(rule=RULE, get_assertion=lambda: " ")))


def test_what_cannot_work_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="rule must be"):
        Federation(rule="fed_x", get_assertion=ask_platform)
    with pytest.raises(TypeError, match="get_assertion must be"):
        Federation(rule=RULE, get_assertion="eyJ")  # type: ignore[arg-type]
    for scopes in ([], [""], [" "], ["plans:read", ""], ""):
        with pytest.raises(ValueError, match="scopes must be"):
            Federation(rule=RULE, get_assertion=ask_platform, scopes=scopes)
    with pytest.raises(TypeError, match="AsyncFederation"):
        AsyncLatchkey(url, Federation(rule=RULE, get_assertion=ask_platform))  # type: ignore[arg-type]
