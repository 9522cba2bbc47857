from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

import httpx

# Of what a URL has none.
_SPACE = re.compile(r"[\s\x00-\x1f]")


def checked_base_url(base_url: str, insecure_http: bool) -> str:
    """The URL without a slash at its end. Its errors do not repeat the value, which may hold a password."""
    try:
        url = urlsplit(base_url.strip())
        host = url.hostname
        # A port out of range, and what no request could be made to.
        _ = url.port, httpx.URL(base_url.strip())
    except (AttributeError, ValueError, httpx.InvalidURL):
        url, host = urlsplit(""), None
    if not host or _SPACE.search(url.geturl()) or url.scheme not in ("https", "http"):
        raise ValueError("base_url must be a URL that begins with https://, such as https://api.example.com")
    if "@" in url.netloc or url.query or url.fragment:
        raise ValueError(
            "base_url must be without user name, password, query and fragment, such as https://api.example.com"
        )
    base = url.geturl().rstrip("/")
    if base.endswith("/api/v1"):
        raise ValueError("base_url must be without /api/v1, such as https://api.example.com")
    if _is_cleartext(url.scheme, host) and not insecure_http:
        raise ValueError(
            "base_url must begin with https://, since credentials would be sent in the clear; "
            "in a private network give insecure_http=True"
        )
    return base


def _is_cleartext(scheme: str, host: str) -> bool:
    """Whether what is sent there could be read on the way."""
    return scheme == "http" and not _is_loopback(host.strip("[]"))


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
