package latchkey

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"connectrpc.com/connect"
	latchkeyv1 "latchkey.example/latchkey/gen/latchkey/v1"
)

// Reply is the answer to a message.
type Reply struct {
	// Begins with run_.
	RunID string
	// Of the message that was sent; begins with msg_.
	MessageID string
	// The assistant's message.
	Message *latchkeyv1.Message
	// The text of all its parts, one a line.
	Text string
}

// RunFailedError says that a message was accepted, but that there will be no reply to it. Sending it again starts another run.
type RunFailedError struct {
	// Begins with run_.
	RunID           string
	ConversationKey string
	// Why, as the service says it; empty where a later message's run has taken its place in the answer.
	Reason string
}

func (e *RunFailedError) Error() string {
	if e.Reason == "" {
		return e.RunID + " ended without a reply"
	}
	return fmt.Sprintf("%s failed: %s", e.RunID, e.Reason)
}

const (
	// Longest that the service holds an answer, and how long an answer may take beyond that.
	replyWait   = 30 * time.Second
	answerAfter = 15 * time.Second
	// Pause where the answer was not held, as when the service is about to stop, or never came.
	replyPause = 250 * time.Millisecond
	// Pause where the service is away: each read has been made again already.
	outagePause = 2 * time.Second
)

// sentError is any error after the message was accepted.
type sentError struct {
	error
	runID string
}

func (e *sentError) Unwrap() error { return e.error }

// TextMessage returns a message of these texts for the conversation of that name, which the first message creates.
func TextMessage(conversationKey string, texts ...string) *latchkeyv1.SendMessageRequest {
	content := make([]*latchkeyv1.ContentPart, len(texts))
	for i, text := range texts {
		content[i] = &latchkeyv1.ContentPart{Type: latchkeyv1.ContentPartType_CONTENT_PART_TYPE_TEXT, Content: text}
	}
	return &latchkeyv1.SendMessageRequest{
		ConversationKey: conversationKey,
		UserMessage:     &latchkeyv1.UserMessage{Role: latchkeyv1.Role_ROLE_USER, Content: content},
	}
}

// SendAndWait sends a message, such as one of [TextMessage], and waits for its reply, however late it comes, outages included:
// end ctx to wait no longer. A ClientMessageId of your own makes a message that is sent again the same message.
//
// The error is a [RunFailedError] if there will be no reply. Once it was accepted, the message gets its reply whether or not a
// caller waits; [RunIDOf] returns its run.
func (c *Client) SendAndWait(ctx context.Context, message *latchkeyv1.SendMessageRequest) (*Reply, error) {
	sent, err := c.Gateway.SendMessage(ctx, message)
	if err != nil {
		return nil, err
	}
	reply, err := c.awaitReply(context.WithValue(ctx, timeoutKey{}, replyWait+answerAfter), sent)
	if err != nil {
		return nil, &sentError{err, sent.GetRunId()}
	}
	texts := make([]string, len(reply.GetContent()))
	for i, part := range reply.GetContent() {
		texts[i] = part.GetContent()
	}
	return &Reply{RunID: sent.GetRunId(), MessageID: sent.GetMessageId(), Message: reply, Text: strings.Join(texts, "\n")}, nil
}

// RunIDOf returns the run of a message that [Client.SendAndWait] had sent before it failed; "" if it is unknown whether it was
// sent.
func RunIDOf(err error) string {
	var sent *sentError
	if errors.As(err, &sent) {
		return sent.runID
	}
	return ""
}

// awaitReply reads until the reply is there. The message is stored: neither a late answer nor an outage says anything about its
// run.
func (c *Client) awaitReply(ctx context.Context, sent *latchkeyv1.SendMessageResponse) (*latchkeyv1.Message, error) {
	for {
		pause := replyPause
		reply, err := c.findReply(ctx, sent)
		switch {
		case reply != nil:
			return reply, nil
		case ctx.Err() != nil:
			return nil, fmt.Errorf("waiting for the reply ended: %w", ctx.Err())
		case err == nil || connect.CodeOf(err) == connect.CodeDeadlineExceeded:
		case isPassing(err):
			pause = outagePause
		default:
			return nil, err
		}
		sleep(ctx, pause)
	}
}

// findReply returns the reply, or nil while it may still come.
//
// A page holds a MiB of text, and others may have written more since: it reads back until it meets the message. Pages that are
// read later show what has ended since, so a reply that is there is never overlooked.
func (c *Client) findReply(ctx context.Context, sent *latchkeyv1.SendMessageResponse) (*latchkeyv1.Message, error) {
	ask := &latchkeyv1.GetConversationStateRequest{
		ConversationKey: sent.GetConversationKey(), WaitMs: int32(replyWait.Milliseconds()),
	}
	ended := false
	for {
		page, err := c.Gateway.GetConversationState(ctx, ask)
		if err != nil {
			return nil, err
		}
		later, found := page.GetMessages(), false
		for i, message := range page.GetMessages() {
			if message.GetRunId() == sent.GetRunId() && message.GetRole() == latchkeyv1.Role_ROLE_ASSISTANT {
				return message, nil
			}
			if message.GetMessageId() == sent.GetMessageId() {
				later, found = page.GetMessages()[i+1:], true
			}
		}
		ended = ended || hasEnded(sent.GetRunId(), page.GetRun(), later)
		if found {
			if !ended {
				return nil, nil
			}
			failed := &RunFailedError{RunID: sent.GetRunId(), ConversationKey: sent.GetConversationKey()}
			if page.GetRun().GetRunId() == sent.GetRunId() {
				failed.Reason = page.GetRun().GetError()
			}
			return nil, failed
		}
		// Looking again would never end: the token may have become another user's, with a conversation of that name.
		if page.GetNextBeforeMessageId() == "" {
			return nil, connect.NewError(connect.CodeNotFound, fmt.Errorf("%s is not to be found", sent.GetMessageId()))
		}
		ask = &latchkeyv1.GetConversationStateRequest{
			ConversationKey: sent.GetConversationKey(), BeforeMessageId: page.GetNextBeforeMessageId(),
		}
	}
}

// hasEnded: runs of one conversation go in order; where a later one was begun or answered, this one has ended.
func hasEnded(runID string, latest *latchkeyv1.Run, later []*latchkeyv1.Message) bool {
	switch latest.GetStatus() {
	case latchkeyv1.RunStatus_RUN_STATUS_COMPLETED, latchkeyv1.RunStatus_RUN_STATUS_FAILED:
		return true
	case latchkeyv1.RunStatus_RUN_STATUS_RUNNING:
		if latest.GetRunId() != runID {
			return true
		}
	}
	for _, message := range later {
		if message.GetRole() == latchkeyv1.Role_ROLE_ASSISTANT {
			return true
		}
	}
	return false
}
