from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

import anyio

from latchkey._calls import AsyncGatewayService, GatewayService
from latchkey._error import LatchkeyError, Reason, is_denial
from latchkey.v1 import (
    CONTENT_PART_TYPE_TEXT,
    ROLE_ASSISTANT,
    ROLE_USER,
    RUN_STATUS_COMPLETED,
    RUN_STATUS_FAILED,
    RUN_STATUS_RUNNING,
    ContentPart,
    GetConversationStateRequest,
    GetConversationStateResponse,
    Message,
    Run,
    SendMessageRequest,
    SendMessageResponse,
    UserMessage,
)

# Longest that the service holds an answer, and how long an answer may take beyond that.
_WAIT_SECONDS = 30
ANSWER_SECONDS = _WAIT_SECONDS + 15.0
# Pause where the answer was not held, as when the service is about to stop, or never came.
_PAUSE_SECONDS = 0.25
# Pause where the service is away: each read has been made again already.
_OUTAGE_PAUSE_SECONDS = 2.0


@dataclass(frozen=True)
class Reply:
    """The answer to a message."""

    run_id: str
    """Begins with `run_`."""
    message_id: str
    """Of the message that was sent; begins with `msg_`."""
    message: Message = field(repr=False)
    """The assistant's message."""

    @property
    def text(self) -> str:
        """The text of all its parts, one a line."""
        return "\n".join(part.content for part in self.message.content)


class RunFailedError(Exception):
    """A message was accepted, but there will be no reply to it. Sending it again starts another run.

    `reason` is why, as the service says it; empty where a later message's run has taken its place in the answer.
    """

    def __init__(self, run_id: str, conversation_key: str, reason: str) -> None:
        super().__init__(f"{run_id} failed: {reason}" if reason else f"{run_id} ended without a reply")
        self.run_id = run_id
        self.conversation_key = conversation_key
        self.reason = reason


def request_of(conversation_key: str, text: str | Sequence[str], client_message_id: str) -> SendMessageRequest:
    texts = [text] if isinstance(text, str) else list(text)
    content = [ContentPart(type=CONTENT_PART_TYPE_TEXT, content=part) for part in texts]
    return SendMessageRequest(
        conversation_key=conversation_key,
        user_message=UserMessage(role=ROLE_USER, content=content),
        client_message_id=client_message_id,
    )


def wait(gateway: GatewayService, sent: SendMessageResponse, timeout: float | None) -> Reply:
    """Reads until the reply is there. Raises `LatchkeyError` with code `deadline_exceeded` after so many seconds."""
    deadline = None if timeout is None else time.monotonic() + timeout
    while True:
        try:
            # Not held beyond the caller's own time.
            held = _WAIT_SECONDS if deadline is None else min(_WAIT_SECONDS, max(0.0, deadline - time.monotonic()))
            found = _drive(_pages(sent, held), gateway)
            pause = _PAUSE_SECONDS
        except LatchkeyError as error:
            found, pause = None, _pause_after(error, sent)
        if found is not None:
            return found
        if deadline is not None and time.monotonic() + pause >= deadline:
            raise named(LatchkeyError("deadline_exceeded", "no reply came within the timeout"), sent)
        time.sleep(pause)


async def wait_async(gateway: AsyncGatewayService, sent: SendMessageResponse, timeout: float | None) -> Reply:
    try:
        with anyio.fail_after(timeout):
            while True:
                try:
                    found = await _drive_async(_pages(sent, _WAIT_SECONDS), gateway)
                    pause = _PAUSE_SECONDS
                except LatchkeyError as error:
                    found, pause = None, _pause_after(error, sent)
                if found is not None:
                    return found
                await anyio.sleep(pause)
    except TimeoutError as error:
        raise named(LatchkeyError("deadline_exceeded", "no reply came within the timeout"), sent) from error


def _pause_after(error: LatchkeyError, sent: SendMessageResponse) -> float:
    """The message is stored: neither a late answer nor an outage says anything about its run. Raises every other error."""
    if error.code == "deadline_exceeded":
        return _PAUSE_SECONDS
    if error.code == "unavailable" or is_denial(error, Reason.VERIFIER_ERROR):
        return _OUTAGE_PAUSE_SECONDS
    raise named(error, sent)


def named(error: LatchkeyError, sent: SendMessageResponse) -> LatchkeyError:
    error.run_id = sent.run_id
    return error


_Pages = Generator[GetConversationStateRequest, GetConversationStateResponse, "Reply | None"]


def _drive(pages: _Pages, gateway: GatewayService) -> Reply | None:
    try:
        request = next(pages)
        while True:
            request = pages.send(gateway.get_conversation_state(request))
    except StopIteration as end:
        return _reply_of(end)


async def _drive_async(pages: _Pages, gateway: AsyncGatewayService) -> Reply | None:
    try:
        request = next(pages)
        while True:
            request = pages.send(await gateway.get_conversation_state(request))
    except StopIteration as end:
        return _reply_of(end)


def _reply_of(end: StopIteration) -> Reply | None:
    return end.value if isinstance(end.value, Reply) else None


def _pages(sent: SendMessageResponse, held_seconds: float) -> _Pages:
    """Asks for pages; returns the reply, or None while it may still come.

    A page holds a MiB of text, and others may have written more since: it reads back until it meets the message. Pages that are
    read later show what has ended since, so a reply that is there is never overlooked.
    """
    key = sent.conversation_key
    page = yield GetConversationStateRequest(conversation_key=key, wait_ms=int(held_seconds * 1_000))
    ended = False
    while True:
        later: Sequence[Message] = page.messages
        found = False
        for index, message in enumerate(page.messages):
            if message.run_id == sent.run_id and message.role == ROLE_ASSISTANT:
                return Reply(sent.run_id, sent.message_id, message)
            if message.message_id == sent.message_id:
                later, found = page.messages[index + 1 :], True
        ended = ended or _has_ended(sent.run_id, page.run, later)
        if found:
            if not ended:
                return None
            raise RunFailedError(sent.run_id, key, page.run.error if page.run.run_id == sent.run_id else "")
        # Looking again would never end: the token may have become another user's, with a conversation of that name.
        if not page.next_before_message_id:
            raise LatchkeyError("not_found", f"{sent.message_id} is not to be found")
        page = yield GetConversationStateRequest(conversation_key=key, before_message_id=page.next_before_message_id)


def _has_ended(run_id: str, latest: Run, later: Sequence[Message]) -> bool:
    """Runs of one conversation go in order: where a later one was begun or answered, this one has ended."""
    if latest.status in (RUN_STATUS_COMPLETED, RUN_STATUS_FAILED):
        return True
    if latest.status == RUN_STATUS_RUNNING and latest.run_id != run_id:
        return True
    return any(message.role == ROLE_ASSISTANT for message in later)
