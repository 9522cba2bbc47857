package latchkey

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// askPlatform returns a new token of the workload's platform.
func askPlatform(ctx context.Context) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, os.Getenv("LATCHKEY_ASSERTION_URL"), nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

func TestExchangedTokenIsRenewedAtTwoThirdsAndOutlivesAFailure(t *testing.T) {
	var now atomic.Int64
	var fails atomic.Bool
	var asked atomic.Int32
	assertion := func(ctx context.Context) (string, error) {
		asked.Add(1)
		if fails.Load() {
			return "", context.DeadlineExceeded
		}
		return askPlatform(ctx)
	}
	exchange := &exchanger{
		federation: federation{rule: os.Getenv("LATCHKEY_RULE"), assertion: assertion},
		url:        strings.TrimRight(os.Getenv("LATCHKEY_URL"), "/") + "/oauth/token",
		client:     http.DefaultClient,
		now:        func() time.Time { return time.Unix(now.Load(), 0) },
	}
	get := func() string {
		t.Helper()
		token, err := exchange.token(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	// Waits for the exchange in the background, if one is under way.
	settle := func() {
		exchange.mu.Lock()
		begun := exchange.flight
		exchange.mu.Unlock()
		if begun != nil {
			<-begun.done
		}
	}
	first := get()
	now.Store(599)
	if get() != first || asked.Load() != 1 {
		t.Fatal("expected no exchange before two thirds of 900 s")
	}
	now.Store(600)
	if get() != first {
		t.Fatal("expected the call not to wait for the new token")
	}
	settle()
	second := get()
	if second == first || asked.Load() != 2 {
		t.Fatal("expected a new token after two thirds")
	}
	fails.Store(true)
	now.Store(1_300)
	for range 3 {
		if get() != second {
			t.Fatal("expected the token from before while the exchange fails")
		}
		settle()
	}
	if asked.Load() != 3 {
		t.Fatalf("expected a pause after a failure, got %d exchanges", asked.Load())
	}
	now.Store(1_496)
	if _, err := exchange.token(t.Context()); err == nil {
		t.Fatal("expected an error without a valid token")
	}
}
