"""A guard for single routes of FastAPI: `caller: Annotated[Caller, Depends(require(guard, "plans:read"))]`."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence

from fastapi import FastAPI, HTTPException, Request, Response

from latchkey._asgi import client_address
from latchkey._caller import KEY, Caller
from latchkey._guard import Guard
from latchkey._verdict import Verdict
from latchkey._verification import without_claims


class Refused(HTTPException):
    """A request that Latchkey did not admit. Without `relay_refusals`, its body is the `detail` of FastAPI's own."""

    def __init__(self, verdict: Verdict) -> None:
        headers = {name: value for name, value in verdict.headers.items() if name != "content-type"}
        super().__init__(verdict.status, json.loads(verdict.body), headers)
        self._verdict = verdict


def require(
    guard: Guard, scopes: str | Sequence[str] = (), *, cost: int = 1
) -> Callable[[Request, Response], Awaitable[Caller]]:
    """A dependency that lets a request pass if its caller has all the scopes, and returns the caller.

    It runs before the route reads the body. Raises a `ValueError` at once for a scope that Latchkey does not have. A response that
    the route makes by itself, rather than FastAPI, lacks the limit's headers.
    """
    question = guard._verifier.question(scopes, cost)

    async def admit(request: Request, response: Response) -> Caller:
        scope = request.scope
        verdict = await guard._verifier.verify(question, scope["headers"], client_address(scope))
        if verdict.caller is None:
            raise Refused(verdict)
        # In place: the request's own headers may have been read already.
        scope["headers"][:] = without_claims(scope["headers"])
        scope[KEY] = verdict.caller
        for name, value in verdict.answer_headers(response.headers):
            response.headers[name] = value
        return verdict.caller

    # FastAPI reads the types, which are texts here.
    admit.__annotations__ = {"request": Request, "response": Response, "return": Caller}
    return admit


def relay_refusals(app: FastAPI) -> None:
    """Answers a refused request of the app with Latchkey's own body, unchanged."""

    async def relay(request: Request, refused: Exception) -> Response:
        if not isinstance(refused, Refused):
            raise refused
        return Response(refused._verdict.body, refused._verdict.status, refused._verdict.headers)

    app.add_exception_handler(Refused, relay)
