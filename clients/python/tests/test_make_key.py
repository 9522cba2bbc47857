from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from latchkey import MadeKey, make_key
from latchkey._make_key import key_of, letters_of

# Those that the tests of all clients read.
VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "made-keys.json").read_text())


@pytest.mark.parametrize("vector", VECTORS["made"])
def test_keys_are_made_as_by_all_clients(vector: dict[str, str]) -> None:
    made = key_of(vector["random"], vector["brand"])
    assert made == MadeKey(vector["key"], vector["secret_hash"], vector["key_prefix"])


@pytest.mark.parametrize("vector", VECTORS["letters"])
def test_each_letter_is_as_likely_as_any_other(vector: dict[str, str]) -> None:
    assert letters_of(bytes.fromhex(vector["bytes"])) == vector["letters"]


@pytest.mark.parametrize("brand", VECTORS["refused_brands"])
def test_no_key_has_a_brand_that_the_service_refuses(brand: str) -> None:
    with pytest.raises(ValueError):
        make_key(brand=brand)


def test_each_key_is_another_one() -> None:
    made = [make_key(brand=brand) for brand in [None, "acme"] for _ in range(100)]
    assert len({each.key for each in made}) == len(made)
    for each in made:
        assert re.fullmatch(r"sk_(acme_)?[0-9A-Za-z]{36}", each.key)
        assert each.key not in repr(each)
