from __future__ import annotations

import hashlib
import re
import secrets
import zlib
from dataclasses import dataclass, field

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_BRAND = re.compile(r"[a-z][a-z0-9]{1,15}")
_RANDOM_CHARS = 30
_DISPLAYED_RANDOM_CHARS = 9
_CHECKSUM_CHARS = 6
# The largest multiple of 62 in a byte. Bytes from it on would favour the first letters.
_UNBIASED_BELOW = 248


@dataclass(frozen=True)
class MadeKey:
    """A secret key that the service has never had."""

    # The full value, for the one program that uses it. Printing the object does not show it.
    key: str = field(repr=False)
    # Its SHA-256 in hexadecimal digits, for `CreateApiKeyRequest`.
    secret_hash: str
    # Its first characters without the brand, for display, for `CreateApiKeyRequest`.
    key_prefix: str


def make_key(*, brand: str | None = None) -> MadeKey:
    """Makes a secret key, so that only you ever have it: create it by its hash, which is all that the service gets.

    `brand` is your platform's name in the key, such as the service's `KEY_BRAND`: 2 to 16 of a-z and 0-9, a letter first.
    Raises a `ValueError` for one that no key can have.
    """
    random = ""
    while len(random) < _RANDOM_CHARS:
        random += letters_of(secrets.token_bytes(_RANDOM_CHARS))
    return key_of(random[:_RANDOM_CHARS], brand)


def letters_of(drawn: bytes) -> str:
    """The letters of random bytes, each as likely as any other."""
    return "".join(_ALPHABET[each % len(_ALPHABET)] for each in drawn if each < _UNBIASED_BELOW)


def key_of(random: str, brand: str | None = None) -> MadeKey:
    """The key with these 30 random letters."""
    if brand is not None and not _BRAND.fullmatch(brand):
        raise ValueError("brand: must be 2 to 16 of a-z and 0-9, beginning with a letter")
    body = f"sk_{random}" if brand is None else f"sk_{brand}_{random}"
    key = body + _checksum(body)
    return MadeKey(key, hashlib.sha256(key.encode()).hexdigest(), f"sk_{random[:_DISPLAYED_RANDOM_CHARS]}")


def _checksum(body: str) -> str:
    rest = zlib.crc32(body.encode())
    digits = ""
    for _ in range(_CHECKSUM_CHARS):
        rest, digit = divmod(rest, len(_ALPHABET))
        digits = _ALPHABET[digit] + digits
    return digits
