from __future__ import annotations

from collections.abc import Callable, Iterable
from http.client import responses
from typing import Any

from latchkey._caller import KEY
from latchkey._verdict import Verdict
from latchkey._verification import Headers, Question, Verifier

App = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def guarded(app: App, verifier: Verifier, question: Question) -> App:
    def admit(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        verdict = verifier.verify_sync(question, _headers(environ), environ.get("REMOTE_ADDR"))
        if verdict.caller is None:
            start_response(f"{verdict.status} {responses.get(verdict.status, '')}", list(verdict.sized_headers.items()))
            return [verdict.body]
        for name in [name for name in environ if name.startswith("HTTP_X_AUTH_")]:
            del environ[name]
        environ[KEY] = verdict.caller
        return app(environ, _with_verdict(start_response, verdict))

    return admit


def _with_verdict(start_response: Callable[..., Any], verdict: Verdict) -> Callable[..., Any]:
    def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
        return start_response(status, [*headers, *verdict.answer_headers(name for name, _ in headers)], *error)

    return start


def _headers(environ: dict[str, Any]) -> Headers:
    """The request's headers. Of two with one name, servers make one with a comma, which Latchkey refuses."""
    return [
        (name[5:].replace("_", "-").lower().encode("latin-1"), value.encode("latin-1"))
        for name, value in environ.items()
        if name.startswith("HTTP_")
    ]
