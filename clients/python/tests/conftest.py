from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from latchkey import Latchkey, SecretKey, UserToken, v1

CreateKey = Callable[..., v1.IssuedKey]


def _from_environment(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        pytest.exit(f"{name} is not set: run npm run test:peers in the root of the repository", returncode=1)
    return value


@pytest.fixture(scope="session")
def url() -> str:
    return _from_environment("LATCHKEY_URL")


@pytest.fixture(scope="session")
def dashboard_token() -> str:
    return _from_environment("LATCHKEY_TOKEN")


@pytest.fixture(scope="session")
def publishable_key() -> str:
    return _from_environment("LATCHKEY_PUBLISHABLE_KEY")


@pytest.fixture(scope="session")
def user_token() -> str:
    return _from_environment("LATCHKEY_USER_TOKEN")


@pytest.fixture(scope="session")
def dashboard(url: str, dashboard_token: str) -> Latchkey:
    return Latchkey(url, UserToken(lambda: dashboard_token))


@pytest.fixture
def create_key(dashboard: Latchkey, request: pytest.FixtureRequest) -> CreateKey:
    """Makes a secret key with some scopes, and a limit if one is given."""

    def create(*permissions: str, limit: v1.RateLimit | None = None) -> v1.IssuedKey:
        asked = v1.CreateApiKeyRequest(name=request.node.name[:64], permissions=permissions, rate_limit=limit)
        return dashboard.api_keys.create_api_key(asked).result

    return create


@pytest.fixture
def secret_key(create_key: CreateKey) -> SecretKey:
    return SecretKey(create_key("conversations:*").key)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
