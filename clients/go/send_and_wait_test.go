package latchkey_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"connectrpc.com/connect"
	"latchkey.example/latchkey"
	latchkeyv1 "latchkey.example/latchkey/gen/latchkey/v1"
	"latchkey.example/latchkey/gen/latchkey/v1/latchkeyv1connect"
)

func TestSendAndWaitReturnsTheReply(t *testing.T) {
	client := newClient(t, serviceURL, latchkey.SecretKey(createKey(t, nil, "conversations:*").GetKey()))
	message := latchkey.TextMessage("waiting", "Hi", "there")
	message.ClientMessageId = "go-1"
	reply, err := client.SendAndWait(t.Context(), message)
	if err != nil {
		t.Fatal(err)
	}
	if reply.Text != "You said: Hi\nthere" || reply.Message.GetRole() != latchkeyv1.Role_ROLE_ASSISTANT || reply.Message.GetRunId() != reply.RunID {
		t.Errorf("expected the reply, got %+v", reply)
	}
	again, err := client.SendAndWait(t.Context(), message)
	if err != nil || again.RunID != reply.RunID || again.MessageID != reply.MessageID {
		t.Errorf("expected the same message and run, got %+v, %v", again, err)
	}
}

func TestSendAndWaitReturnsTheErrorOfAMessageThatIsNotAccepted(t *testing.T) {
	client := newClient(t, serviceURL, latchkey.SecretKey(createKey(t, nil, "plans:read").GetKey()))
	_, err := client.SendAndWait(t.Context(), latchkey.TextMessage("waiting", "Hi"))
	expectDenial(t, err, latchkey.ReasonInsufficientScope)
	if run := latchkey.RunIDOf(err); run != "" {
		t.Errorf("a message that was not accepted has the run %s", run)
	}
}

// states accepts a message as run_1, and then has one state of the conversation after the other.
type states struct {
	latchkeyv1connect.UnimplementedGatewayServiceHandler
	next []any
	asks []*latchkeyv1.GetConversationStateRequest
}

func (*states) SendMessage(context.Context, *latchkeyv1.SendMessageRequest) (*latchkeyv1.SendMessageResponse, error) {
	return &latchkeyv1.SendMessageResponse{RunId: "run_1", MessageId: "msg_1", ConversationKey: "c"}, nil
}

func (s *states) GetConversationState(ctx context.Context, ask *latchkeyv1.GetConversationStateRequest) (*latchkeyv1.GetConversationStateResponse, error) {
	s.asks = append(s.asks, ask)
	if len(s.next) == 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	next := s.next[0]
	s.next = s.next[1:]
	if err, ok := next.(error); ok {
		return nil, err
	}
	return next.(*latchkeyv1.GetConversationStateResponse), nil
}

func waitFor(t *testing.T, ctx context.Context, next ...any) (*states, *latchkey.Reply, error) {
	t.Helper()
	service := &states{next: next}
	_, handler := latchkeyv1connect.NewGatewayServiceHandler(service)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client := newClient(t, server.URL, latchkey.SecretKey("sk_x"), latchkey.WithRetries(1, 0))
	reply, err := client.SendAndWait(ctx, latchkey.TextMessage("c", "Hi"))
	return service, reply, err
}

func message1(role latchkeyv1.Role, id, run string) *latchkeyv1.Message {
	return &latchkeyv1.Message{Role: role, MessageId: id, RunId: run}
}

func state(run *latchkeyv1.Run, messages ...*latchkeyv1.Message) *latchkeyv1.GetConversationStateResponse {
	return &latchkeyv1.GetConversationStateResponse{Run: run, Messages: messages}
}

func TestSendAndWaitWaitsThroughOutagesAndReadsBackToTheMessage(t *testing.T) {
	user, assistant := latchkeyv1.Role_ROLE_USER, latchkeyv1.Role_ROLE_ASSISTANT
	running := &latchkeyv1.Run{RunId: "run_1", Status: latchkeyv1.RunStatus_RUN_STATUS_RUNNING}
	before := "msg_9"
	later := state(running, message1(user, "msg_9", "run_9"))
	later.NextBeforeMessageId = &before
	service, reply, err := waitFor(t, t.Context(),
		state(running, message1(user, "msg_1", "run_1")),
		connect.NewError(connect.CodeUnavailable, errors.New("stopping")),
		later,
		state(running, message1(user, "msg_1", "run_1"), message1(assistant, "msg_2", "run_1")),
	)
	if err != nil || reply.Message.GetMessageId() != "msg_2" {
		t.Fatalf("expected the reply, got %+v, %v", reply, err)
	}
	var pages []string
	for _, ask := range service.asks {
		pages = append(pages, ask.GetBeforeMessageId())
	}
	if !slices.Equal(pages, []string{"", "", "", "msg_9"}) || service.asks[0].GetWaitMs() != 30_000 {
		t.Errorf("expected the page before msg_9 last, got %v", service.asks)
	}
}

func TestSendAndWaitEndsWhereThereWillBeNoReply(t *testing.T) {
	failed := &latchkeyv1.Run{RunId: "run_1", Status: latchkeyv1.RunStatus_RUN_STATUS_FAILED, Error: "model_error"}
	_, _, err := waitFor(t, t.Context(), state(failed, message1(latchkeyv1.Role_ROLE_USER, "msg_1", "run_1")))
	var run *latchkey.RunFailedError
	if !errors.As(err, &run) || run.RunID != "run_1" || run.ConversationKey != "c" || run.Reason != "model_error" ||
		err.Error() != "run_1 failed: model_error" || latchkey.RunIDOf(err) != "run_1" {
		t.Errorf("expected the failed run, got %v", err)
	}
	other := &latchkeyv1.Run{RunId: "run_2", Status: latchkeyv1.RunStatus_RUN_STATUS_RUNNING}
	_, _, err = waitFor(t, t.Context(), state(other, message1(latchkeyv1.Role_ROLE_USER, "msg_1", "run_1")))
	if !errors.As(err, &run) || run.Reason != "" {
		t.Errorf("expected a run that ended without a reply, got %v", err)
	}
	_, _, err = waitFor(t, t.Context(), state(other))
	if connect.CodeOf(err) != connect.CodeNotFound || latchkey.RunIDOf(err) != "run_1" {
		t.Errorf("expected not_found of run_1, got %v", err)
	}
}

func TestSendAndWaitEndsWithItsContextAndNamesTheRun(t *testing.T) {
	// The state never comes: the context ends while it is waited for.
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, _, err := waitFor(t, ctx)
	if !errors.Is(err, context.DeadlineExceeded) || latchkey.RunIDOf(err) != "run_1" {
		t.Errorf("expected the context's error and run_1, got %v", err)
	}
}
