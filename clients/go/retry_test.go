package latchkey_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"
	"latchkey.example/latchkey"
	latchkeyv1 "latchkey.example/latchkey/gen/latchkey/v1"
)

// failing is a proxy before the service whose first responses are an outage, though the service has done what was asked.
func failing(t *testing.T, failures int64, header http.Header) (baseURL string, requests *atomic.Int64) {
	t.Helper()
	target, err := url.Parse(serviceURL)
	if err != nil {
		t.Fatal(err)
	}
	requests = &atomic.Int64{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) > failures {
			proxy.ServeHTTP(w, r)
			return
		}
		proxy.ServeHTTP(httptest.NewRecorder(), r)
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

func message(text string) *latchkeyv1.SendMessageRequest {
	return &latchkeyv1.SendMessageRequest{ConversationKey: "retries", UserMessage: &latchkeyv1.UserMessage{
		Role:    latchkeyv1.Role_ROLE_USER,
		Content: []*latchkeyv1.ContentPart{{Type: latchkeyv1.ContentPartType_CONTENT_PART_TYPE_TEXT, Content: text}},
	}}
}

func TestReadsAreRepeatedAfterAnOutageAndMessagesStoredOnce(t *testing.T) {
	baseURL, requests := failing(t, 2, nil)
	client := newClient(t, baseURL, latchkey.SecretKey(createKey(t, nil, "conversations:*").GetKey()))
	sent := message("once")
	if _, err := client.Gateway.SendMessage(t.Context(), sent); err != nil {
		t.Fatal(err)
	}
	if requests.Load() != 3 || sent.GetClientMessageId() != "" {
		t.Errorf("expected three attempts and an unchanged message, got %d and %v", requests.Load(), sent)
	}
	requests.Store(0)
	state, err := client.Gateway.GetConversationState(t.Context(), &latchkeyv1.GetConversationStateRequest{ConversationKey: "retries"})
	if err != nil {
		t.Fatal(err)
	}
	var users int
	for _, each := range state.GetMessages() {
		if each.GetRole() == latchkeyv1.Role_ROLE_USER {
			users++
		}
	}
	if users != 1 || requests.Load() != 3 {
		t.Errorf("expected one message after three attempts, got %d after %d", users, requests.Load())
	}
}

func TestWritesAreNotRepeatedOnAGuess(t *testing.T) {
	baseURL, requests := failing(t, 1, nil)
	client := newClient(t, baseURL, latchkey.UserToken(token(dashboardToken)))
	_, err := client.APIKeys.RevokeApiKey(t.Context(), &latchkeyv1.RevokeApiKeyRequest{KeyId: "key_none"})
	if connect.CodeOf(err) != connect.CodeUnavailable || requests.Load() != 1 {
		t.Errorf("expected one attempt, got %d and %v", requests.Load(), err)
	}
}

// A secret is handed over once: an attempt that repeats the one whose answer was lost must not look like a success.
func TestWhatMakesASecretIsNamedAndFailsIfTheSecretWasLost(t *testing.T) {
	baseURL, requests := failing(t, 1, nil)
	client := newClient(t, baseURL, latchkey.UserToken(token(dashboardToken)))
	request := &latchkeyv1.CreateApiKeyRequest{Name: "once", Permissions: []string{"plans:read"}}
	_, err := client.APIKeys.CreateApiKey(t.Context(), request)
	if connect.CodeOf(err) != connect.CodeDataLoss || !strings.Contains(err.Error(), "key_") || requests.Load() != 2 {
		t.Errorf("expected the lost key's id after two attempts, got %d and %v", requests.Load(), err)
	}
	if request.GetClientRequestId() != "" {
		t.Errorf("expected an unchanged request, got %v", request)
	}
	_, err = client.Tokens.DeriveToken(t.Context(), &latchkeyv1.DeriveTokenRequest{})
	if connect.CodeOf(err) == connect.CodeDataLoss {
		t.Errorf("expected the error of the service, got %v", err)
	}
	for range 2 {
		created, err := client.APIKeys.CreateApiKey(t.Context(), request)
		if err != nil || created.GetResult().GetKey() == "" {
			t.Errorf("expected a key for each call, got %v and %v", created, err)
		}
	}
	requests.Store(0)
	request.ClientRequestId = "go-" + time.Now().String()
	created, err := client.APIKeys.CreateApiKey(t.Context(), request)
	if err != nil || !created.GetResult().GetAlreadyCreated() {
		t.Errorf("expected the answer to a repetition, got %v and %v", created, err)
	}
}

func TestRetryAfterIsWaitedForUnlessItIsTooLong(t *testing.T) {
	key := latchkey.SecretKey(createKey(t, nil, "conversations:*").GetKey())
	baseURL, requests := failing(t, 1, http.Header{"Retry-After": {"1"}})
	start := time.Now()
	if _, err := newClient(t, baseURL, key).Gateway.ListThreads(t.Context(), &latchkeyv1.ListThreadsRequest{}); err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(start); waited < time.Second || requests.Load() != 2 {
		t.Errorf("expected a second attempt after 1 s, got %d after %s", requests.Load(), waited)
	}
	for _, tooLong := range []string{"31", "99999999999999999999", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)} {
		baseURL, requests = failing(t, 1, http.Header{"Retry-After": {tooLong}})
		_, err := newClient(t, baseURL, key).Gateway.ListThreads(t.Context(), &latchkeyv1.ListThreadsRequest{})
		if err == nil || requests.Load() != 1 {
			t.Errorf("Retry-After: %s: expected one attempt, got %d and %v", tooLong, requests.Load(), err)
		}
	}
}

func TestTheTimeoutIsThatOfAllAttempts(t *testing.T) {
	key := latchkey.SecretKey(createKey(t, nil, "conversations:*").GetKey())
	baseURL, requests := failing(t, 9, http.Header{"Retry-After": {"20"}})
	client := newClient(t, baseURL, key, latchkey.WithTimeout(time.Second))
	start := time.Now()
	_, err := client.Gateway.ListThreads(t.Context(), &latchkeyv1.ListThreadsRequest{})
	if err == nil || requests.Load() != 1 || time.Since(start) > 10*time.Second {
		t.Errorf("expected the call to end in its pause, got %d attempts and %v", requests.Load(), err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.Gateway.ListThreads(cancelled, &latchkeyv1.ListThreadsRequest{}); connect.CodeOf(err) != connect.CodeCanceled {
		t.Errorf("expected canceled, got %v", err)
	}
}

func TestEachAttemptHasTheTokenOfItsMoment(t *testing.T) {
	baseURL, _ := failing(t, 1, nil)
	var calls int
	client := newClient(t, baseURL, latchkey.UserToken(func(context.Context) (string, error) {
		calls++
		if calls == 1 {
			return "expired", nil
		}
		return dashboardToken, nil
	}))
	if _, err := client.APIKeys.ListApiKeys(t.Context(), &latchkeyv1.ListApiKeysRequest{}); err != nil || calls != 2 {
		t.Errorf("expected a second token, got %d and %v", calls, err)
	}
}
