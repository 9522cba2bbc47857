from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from latchkey import Guard, Verdict

CALLER = {"caller": "CALLER_SECRET_KEY", "tenant_id": "ten_1", "key_id": "key_1"}
DENIAL = {"code": "unauthenticated", "message": "No.", "denial_reason": "missing_credentials"}
HEADERS = {"X-Request-Id": "req_1", "X-RateLimit-Limit": "5", "Via": "proxy"}
PAIRS = [("X-API-Key", "sk_1"), ("Authorization", "Bearer one"), ("Authorization", "Bearer two"), ("X-Forwarded-For", "192.0.2.1")]

Check = Callable[..., Awaitable[Verdict]]


class Checked:
    """A guard of a service that gives one answer, and the questions that it asks."""

    def __init__(self, mode: str, status: int = 200, answer: object = CALLER) -> None:
        self.asked: list[httpx.Request] = []
        self.errors: list[Exception] = []

        def handle(request: httpx.Request) -> httpx.Response:
            self.asked.append(request)
            return httpx.Response(status, json=answer, headers=HEADERS)

        transport = httpx.MockTransport(handle)
        self._guard = Guard(
            "https://keys.example",
            on_error=self.errors.append,
            http=httpx.AsyncClient(transport=transport),
            sync_http=httpx.Client(transport=transport),
        )
        self._mode = mode

    async def check(self, *args: Any, **options: Any) -> Verdict:
        if self._mode == "check":
            return await self._guard.check(*args, **options)
        return self._guard.check_sync(*args, **options)


@pytest.fixture(params=["check", "check_sync"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.anyio
async def test_a_check_admits_with_the_caller_the_limit_and_the_id_of_the_decision(mode: str) -> None:
    checked = Checked(mode)
    verdict = await checked.check({"X-API-Key": "sk_1"}, ["plans:read", "plans:write"], cost=3)
    assert verdict.caller is not None
    assert (verdict.status, verdict.caller.tenant_id) == (200, "ten_1")
    assert verdict.headers == {"x-ratelimit-limit": "5", "x-request-id": "req_1"}
    assert verdict.answer_headers(["X-REQUEST-ID"]) == [("x-ratelimit-limit", "5")]
    assert json.loads(checked.asked[0].content) == {"scopes": ["plans:read", "plans:write"], "cost": 3}


@pytest.mark.anyio
async def test_a_check_refuses_with_what_to_answer(mode: str) -> None:
    verdict = await Checked(mode, 401, DENIAL).check([])
    assert (verdict.caller, verdict.status, json.loads(verdict.body)) == (None, 401, DENIAL)
    assert verdict.headers == {"x-ratelimit-limit": "5", "x-request-id": "req_1", "content-type": "application/json"}
    checked = Checked(mode, 404, {})
    assert (await checked.check([])).status == 503
    assert len(checked.errors) == 1


@pytest.mark.anyio
async def test_two_values_stay_two_in_pairs_of_texts_and_of_bytes(mode: str) -> None:
    for headers in (PAIRS, iter(PAIRS), [(name.encode(), value.encode()) for name, value in PAIRS]):
        checked = Checked(mode)
        await checked.check(headers, client_address="fe80::1%eth0")
        sent = checked.asked[0].headers
        assert sent.get_list("authorization") == ["Bearer one", "Bearer two"]
        assert sent.get_list("x-forwarded-for") == ["192.0.2.1", "fe80::1"]


@pytest.mark.anyio
async def test_without_an_address_none_that_a_client_could_have_written_is_sent(mode: str) -> None:
    checked = Checked(mode)
    await checked.check(PAIRS)
    assert "x-forwarded-for" not in checked.asked[0].headers


@pytest.mark.anyio
async def test_a_wrong_question_is_not_asked(mode: str) -> None:
    checked = Checked(mode)
    for arguments, message in (((PAIRS, "plan:read"), "plans:read"), (([("X-On-Behalf-Of", "\u20ac")],), "latin-1")):
        with pytest.raises(ValueError, match=message):
            await checked.check(*arguments)
    assert checked.asked == []
