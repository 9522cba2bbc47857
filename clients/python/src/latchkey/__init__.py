"""Client of Latchkey, the access layer of a multi-tenant platform, and a guard for services behind it."""

from latchkey import v1 as v1
from latchkey._caller import Caller as Caller, caller_of as caller_of
from latchkey._client import AsyncLatchkey as AsyncLatchkey, Latchkey as Latchkey
from latchkey._credentials import (
    AsyncPublishableKey as AsyncPublishableKey,
    AsyncUserToken as AsyncUserToken,
    PublishableKey as PublishableKey,
    SecretKey as SecretKey,
    UserToken as UserToken,
)
from latchkey._error import (
    Denial as Denial,
    LatchkeyError as LatchkeyError,
    RateLimit as RateLimit,
    Reason as Reason,
    denial_of as denial_of,
    is_denial as is_denial,
)
from latchkey._federation import AsyncFederation as AsyncFederation, Federation as Federation
from latchkey._guard import Guard as Guard, LatchkeyGuard as LatchkeyGuard
from latchkey._make_key import MadeKey as MadeKey, make_key as make_key
from latchkey._printing import redact_secrets as _redact_secrets
from latchkey._retry import Retry as Retry
from latchkey._send_and_wait import Reply as Reply, RunFailedError as RunFailedError
from latchkey._verdict import Verdict as Verdict
from latchkey._webhooks import (
    WebhookEvent as WebhookEvent,
    WebhookEventType as WebhookEventType,
    WebhookProblem as WebhookProblem,
    WebhookVerificationError as WebhookVerificationError,
    verify_webhook as verify_webhook,
)

_redact_secrets()
