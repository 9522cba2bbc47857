from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from latchkey._base_url import is_cleartext
from latchkey._claims import claims_of, is_granted, texts_of
from latchkey._scopes import checked_scopes
from latchkey._verdict import Verdict

Headers = list[tuple[bytes, bytes]]

_WELL_KNOWN = "/.well-known/oauth-protected-resource"
_PORTS = {"https": 443, "http": 80}
# RFC 6749, 3.3.
_SCOPE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")
_REALM = 'Bearer realm="latchkey"'
_OTHER_AUDIENCE = (
    "The user token's aud claim does not name this resource; have the client ask for a token with this resource's URL as its "
    "resource parameter."
)


@dataclass(frozen=True)
class Resource:
    """The guarded service as an OAuth 2.0 resource (RFC 9728, RFC 8707), such as an MCP server."""

    url: str
    """As clients call it: `https://mcp.example.com/mcp`, without user name, password, query and fragment. It begins with
    `https://`, but on this machine or with `insecure_http`. A token must have it in its `aud`, compared as URLs are: scheme and
    host in lower case, without the default port, and the path exactly."""
    authorization_servers: Sequence[str]
    """The issuers that give tokens for it, at least one."""
    scopes: Sequence[str] = ()
    """The scopes that these issuers grant for it. Of them, a token without an API key must have in its `scope` or `scp` what a
    request needs, besides the rights of its user. Without any, only the user's rights decide."""


class CheckedResource:
    """Raises a `ValueError` that names what is wrong."""

    def __init__(self, resource: Resource, insecure_http: bool, known: Sequence[str]) -> None:
        identifier, origin, path = _checked(resource.url, "resource.url", insecure_http)
        if re.search(r"[?#]", resource.url):
            raise ValueError("resource.url must be without query and fragment")
        servers = resource.authorization_servers
        if isinstance(servers, str) or not servers:
            raise ValueError('resource.authorization_servers must list at least one issuer, as ["https://idp.example.com"]')
        for index, server in enumerate(servers):
            _checked(server, f"resource.authorization_servers[{index}]", insecure_http)
        scopes = checked_scopes(resource.scopes, known)
        self._id = identifier
        self.scopes = scopes
        self._path = _WELL_KNOWN + ("" if path == "/" else path)
        self._metadata_url = origin + self._path
        document: dict[str, Any] = {
            # As it was written: clients send it to the issuer, which may compare it as text.
            "resource": resource.url.strip(),
            "authorization_servers": [server.strip() for server in servers],
            "bearer_methods_supported": ["header"],
        }
        if scopes:
            document["scopes_supported"] = scopes
        self._document = json.dumps(document).encode()

    def metadata_answer(self, method: str, path: str) -> Verdict | None:
        """The answer to a request for the metadata; None for any other request."""
        if path != self._path:
            return None
        # It is public: pages of any origin may read it.
        headers = {"access-control-allow-origin": "*"}
        if method in ("GET", "HEAD"):
            headers |= {"content-type": "application/json", "cache-control": "max-age=3600"}
            return Verdict(200, headers, self._document if method == "GET" else b"")
        if method == "OPTIONS":
            return Verdict(204, {**headers, "access-control-allow-headers": "*"}, b"")
        return Verdict(405, {**headers, "allow": "GET, HEAD, OPTIONS"}, b"")

    def token_use(self, headers: Headers) -> str:
        """Which token a request counts on: `none`, `of_key`, `for_resource`, `for_other`, or `unknown` if it cannot be read. A
        secret key counts on none, and a publishable key on its user's, whose rights are those of the key."""
        keys = [value for name, value in headers if name.lower() == b"x-api-key"]
        tokens = [value for name, value in headers if name.lower() == b"authorization"]
        if not keys[0].startswith(b"pk_") if keys else not tokens:
            return "none"
        claims = claims_of(tokens)
        if claims is None:
            return "unknown"
        if self._id not in (_identifier(audience) for audience in texts_of(claims.get("aud"))):
            return "for_other"
        return "of_key" if keys else "for_resource"

    def lacked_scope(self, headers: Headers, asked: Sequence[str]) -> str | None:
        """The first scope of the resource that is asked for and not in the request's token."""
        held = _token_scopes(headers)
        return next((scope for scope in asked if scope in self.scopes and not is_granted(held, scope)), None)

    def challenged(self, refusal: Verdict, scopes: Sequence[str], headers: Headers) -> Verdict:
        """Adds what clients need to a challenge: where the metadata is, and all scopes of the operation, so that one more
        authorization is enough (RFC 9728, 5.1; RFC 6750, 3). Where the request's token lacks one, those that it has come with
        them: clients ask for exactly these, and a token without the earlier ones would lack them at the next call."""
        given = refusal.headers.get("www-authenticate")
        if given is None:
            if refusal.status != 401:
                return refusal
            given = _REALM
        if scopes:
            # A request with a key counts on no scope of a token.
            if refusal.status == 403 and not any(name.lower() == b"x-api-key" for name, _ in headers):
                granted = (one for one in _token_scopes(headers) if _SCOPE.fullmatch(one))
                scopes = list(dict.fromkeys([*scopes, *granted]))
            given = re.sub(r', scope="[^"]*"', "", given) + f', scope="{" ".join(scopes)}"'
        challenge = f'{given}, resource_metadata="{self._metadata_url}"'
        return Verdict(refusal.status, {**refusal.headers, "www-authenticate": challenge}, refusal.body)


def wrong_audience() -> Verdict:
    """The answer to a token for another resource."""
    description = _OTHER_AUDIENCE.partition(";")[0]
    challenge = f'{_REALM}, error="invalid_token", error_description="{description}"'
    return _denied(401, "unauthenticated", "jwt_invalid_audience", _OTHER_AUDIENCE, challenge)


def insufficient_scope(message: str) -> Verdict:
    return _denied(403, "permission_denied", "insufficient_scope", message, 'Bearer error="insufficient_scope"')


def _denied(status: int, code: str, reason: str, message: str, challenge: str) -> Verdict:
    """In the form of Latchkey's own denials."""
    body = {"code": code, "message": message, "reason": reason, "denial_reason": reason}
    headers = {"content-type": "application/json", "www-authenticate": challenge}
    return Verdict(status, headers, json.dumps(body).encode())


def _token_scopes(headers: Headers) -> list[str]:
    claims = claims_of([value for name, value in headers if name.lower() == b"authorization"]) or {}
    return [one for name in ("scope", "scp") for text in texts_of(claims.get(name)) for one in text.split(" ")]


def _checked(url: str, name: str, insecure_http: bool) -> tuple[str, str, str]:
    parts = _parts(url.strip()) if isinstance(url, str) else None
    if parts is None or parts[0] not in _PORTS or "@" in urlsplit(url.strip()).netloc:
        raise ValueError(f"{name} must be a URL that begins with https://, without user name and password")
    scheme, host, port, path = parts
    if is_cleartext(scheme, host) and not insecure_http:
        raise ValueError(f"{name} must begin with https://; in a private network give insecure_http=True")
    origin = f"{scheme}://{host}{port}"
    return origin + path, origin, path


def _identifier(audience: str) -> str | None:
    """An audience as it is compared. None: it is not a URL that could be the resource's."""
    parts = _parts(audience)
    if parts is None or "@" in urlsplit(audience).netloc or re.search(r"[?#]", audience):
        return None
    scheme, host, port, path = parts
    return f"{scheme}://{host}{port}{path}"


def _parts(url: str) -> tuple[str, str, str, str] | None:
    """Scheme, host, port with its colon unless it is the default one, and path."""
    try:
        split = urlsplit(url)
        host, port = split.hostname, split.port
    except ValueError:
        return None
    # What `urlsplit` would drop.
    if not host or re.search(r"[\s\x00-\x1f]", url):
        return None
    shown = f"[{host}]" if ":" in host else host
    suffix = "" if port is None or port == _PORTS.get(split.scheme) else f":{port}"
    return split.scheme, shown, suffix, split.path or "/"
