"""A service of Django: `python plans.py runserver`. A view needs what its `requires` names, before it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path

from latchkey import Guard

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, SECRET_KEY=os.environ.get("DJANGO_SECRET_KEY", "development only")
)
guard = Guard(os.environ.get("LATCHKEY_URL", "http://127.0.0.1:8080"))

View = Callable[..., HttpResponse]


def requires(*scopes: str, cost: int = 1) -> Callable[[View], View]:
    """Lets a request pass whose caller has all the scopes; the view gets the caller after the request."""

    def guarded(view: View) -> View:
        @wraps(view)
        def admit(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            address = request.META.get("REMOTE_ADDR")
            verdict = guard.check_sync(request.headers, scopes, cost=cost, client_address=address)
            if verdict.caller is None:
                return HttpResponse(verdict.body, status=verdict.status, headers=verdict.headers)
            response = view(request, verdict.caller, *args, **kwargs)
            for name, value in verdict.answer_headers(response.headers):
                response.headers[name] = value
            return response

        return admit

    return guarded


@requires("plans:read")
def plans(_: HttpRequest, caller: Any) -> HttpResponse:
    return JsonResponse({"tenant_id": caller.tenant_id, "plans": ["basic", "pro"]})


urlpatterns = [path("plans", plans)]

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
