from __future__ import annotations

import re
from datetime import datetime
from email.utils import parsedate_to_datetime

_WHOLE_SECONDS = re.compile(r"[0-9]+")
_HTTP_DATE = re.compile(r"[A-Z][a-z]+, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT")


def retry_after_seconds(value: str | None, now: datetime) -> float | None:
    """Whole seconds, as Latchkey sends them, or a date, as a proxy may (RFC 9110, 10.2.3). Else None."""
    if value is None:
        return None
    if _WHOLE_SECONDS.fullmatch(value):
        return float(value)
    if not _HTTP_DATE.fullmatch(value):
        return None
    try:
        return max(0.0, (parsedate_to_datetime(value) - now).total_seconds())
    except ValueError:
        return None
