from __future__ import annotations

import base64
import json
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from latchkey import WebhookVerificationError, verify_webhook

SECRET = "whsec_" + base64.b64encode(b"\x07" * 32).decode()
OTHER = "whsec_" + base64.b64encode(b"\x08" * 32).decode()
NOW = datetime(2026, 11, 27, 6, tzinfo=timezone.utc)
ID = "evt_1"
BODY = json.dumps(
    {
        "type": "api_key.expiring",
        "timestamp": "2026-11-27T05:59:58.000Z",
        "data": {
            "tenant_id": "ten_1",
            "key_id": "key_1",
            "name": "für CI",
            "created_at": "2026-01-01T00:00:00Z",
            "expires_in_days": 7,
            "sequence": 7,
        },
    },
    ensure_ascii=False,
)


def signed(body: str = BODY, *secrets: str, at: datetime = NOW) -> dict[str, str]:
    """The headers of an attempt, by the reference library."""
    return {
        "webhook-id": ID,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(Webhook(secret).sign(ID, at, body) for secret in secrets or (SECRET,)),
    }


@pytest.mark.parametrize("body", [BODY, BODY.encode(), bytearray(BODY.encode())])
def test_what_the_reference_library_signs_is_an_event(body: Any) -> None:
    headers = {name.title(): value for name, value in signed().items()}
    event = verify_webhook(body, headers, SECRET, now=NOW)
    assert (event.id, event.type, event.tenant_id, event.sequence) == (ID, "api_key.expiring", "ten_1", 7)
    assert event.timestamp == NOW - timedelta(seconds=2)
    assert event.data["expires_in_days"] == 7
    key = event.api_key()
    assert (key.key_id, key.name, key.created_at.ToDatetime().year) == ("key_1", "für CI", 2026)
    with pytest.raises(ValueError, match="api_key.expiring"):
        event.run()


def test_one_of_several_secrets_and_signatures_is_enough() -> None:
    for secrets in [(SECRET,), (OTHER, SECRET), (SECRET, OTHER)]:
        for secret in [SECRET, [OTHER, SECRET], (SECRET, OTHER)]:
            assert verify_webhook(BODY, signed(BODY, *secrets), secret, now=NOW).id == ID
    headers = signed() | {"webhook-signature": f"v1a,AAAA v1,%%% {signed()['webhook-signature']}"}
    assert verify_webhook(BODY, headers, SECRET, now=NOW).id == ID


def test_what_is_verified_here_the_reference_library_verifies() -> None:
    at = datetime.now(timezone.utc)
    for n in range(50):
        body = json.dumps({"type": "webhook.test", "timestamp": at.isoformat(), "data": {"text": "ü\u2028" * n}})
        headers = signed(body, at=at)
        assert verify_webhook(body, headers, SECRET).data == Webhook(SECRET).verify(body, headers)["data"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"body": BODY + " "}, ("signature_mismatch", "webhook-signature")),
        ({"secret": OTHER}, ("signature_mismatch", "webhook-signature")),
        ({"headers": signed() | {"webhook-id": "evt_2"}}, ("signature_mismatch", "webhook-signature")),
        ({"headers": signed() | {"webhook-signature": "v1,AAAA"}}, ("signature_mismatch", "webhook-signature")),
        ({"headers": {}}, ("header_missing", "webhook-id")),
        ({"headers": signed() | {"webhook-signature": "v2,AAAA"}}, ("header_malformed", "webhook-signature")),
        ({"headers": signed() | {"webhook-signature": "v1,"}}, ("header_malformed", "webhook-signature")),
        ({"headers": signed() | {"webhook-signature": "v1,AAAA " * 500}}, ("signature_mismatch", "webhook-signature")),
        ({"headers": signed() | {"webhook-signature": "v1,AAAA " * 513}}, ("header_malformed", "webhook-signature")),
        ({"headers": signed() | {"webhook-timestamp": "soon"}}, ("header_malformed", "webhook-timestamp")),
        ({"now": NOW + timedelta(seconds=301)}, ("timestamp_too_old", "webhook-timestamp")),
        ({"now": NOW - timedelta(seconds=301)}, ("timestamp_too_new", "webhook-timestamp")),
        ({"body": "{", "headers": signed("{")}, ("body_malformed", "body")),
        ({"body": "[]", "headers": signed("[]")}, ("body_malformed", "body")),
        ({"body": '{"type": "a"}', "headers": signed('{"type": "a"}')}, ("body_malformed", "body")),
    ],
)
def test_each_problem_of_a_request_is_named(change: dict[str, Any], expected: tuple[str, str]) -> None:
    arguments: dict[str, Any] = {"body": BODY, "headers": signed(), "secret": SECRET, "now": NOW} | change
    with pytest.raises(WebhookVerificationError) as caught:
        verify_webhook(**arguments)
    assert (caught.value.problem, caught.value.field) == expected
    assert str(caught.value).startswith(f"{expected[1]}: ")


@pytest.mark.parametrize("seconds", [-300, 300])
def test_the_tolerance_is_admitted(seconds: int) -> None:
    assert verify_webhook(BODY, signed(), SECRET, now=NOW + timedelta(seconds=seconds)).id == ID


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"secret": []}, "secret: is missing"),
        ({"secret": "whsec_AAAA"}, "secret: is not a webhook's secret"),
        ({"secret": ""}, "secret: is not a webhook's secret"),
        ({"tolerance_seconds": -1}, "tolerance_seconds: must be 0 or more"),
        ({"body": json.loads(BODY)}, "body: must be the raw body"),
    ],
)
def test_arguments_that_cannot_work_are_named_without_the_secret(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"body": BODY, "headers": signed(), "secret": SECRET, "now": NOW} | change
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        verify_webhook(**arguments)
    assert "AAAA" not in str(caught.value)
