package latchkey_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"latchkey.example/latchkey"
	latchkeyv1 "latchkey.example/latchkey/gen/latchkey/v1"
)

func workload(ctx context.Context) (string, error) {
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

func tokenIDOf(t *testing.T, client *latchkey.Client) string {
	t.Helper()
	caller, err := client.Auth.Verify(t.Context(), &latchkeyv1.VerifyRequest{})
	if err != nil {
		t.Error(err)
	}
	return caller.GetTokenId()
}

func TestWorkloadExchangesOnceForAllCallsAndOnceMoreAfterItsTokenWasRevoked(t *testing.T) {
	client := newClient(t, serviceURL, latchkey.Federation(os.Getenv("LATCHKEY_RULE"), workload, "conversations:read"))
	both := func() string {
		ids := make([]string, 10)
		var group sync.WaitGroup
		for i := range ids {
			group.Go(func() { ids[i] = tokenIDOf(t, client) })
		}
		group.Wait()
		for _, id := range ids {
			if id != ids[0] || !strings.HasPrefix(id, "tok_") {
				t.Fatalf("expected one token for all calls, got %v", ids)
			}
		}
		return ids[0]
	}
	first := both()
	key := newClient(t, serviceURL, latchkey.SecretKey(os.Getenv("LATCHKEY_RULE_KEY")))
	if _, err := key.Tokens.RevokeToken(t.Context(), &latchkeyv1.RevokeTokenRequest{TokenId: first}); err != nil {
		t.Fatal(err)
	}
	if both() == first {
		t.Fatal("expected a new token after the revocation")
	}
}

func TestWorkloadsErrorsSayWhatFailedAndRepeatNoToken(t *testing.T) {
	call := func(credentials latchkey.Credentials) error {
		_, err := newClient(t, serviceURL, credentials).Auth.Verify(t.Context(), &latchkeyv1.VerifyRequest{})
		return err
	}
	rule := os.Getenv("LATCHKEY_RULE")
	assertion, err := workload(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// No rule of this id exists.
	err = call(latchkey.Federation("fed_"+strings.Repeat("0", 32), token(assertion)))
	if connect.CodeOf(err) != connect.CodeUnauthenticated || !strings.Contains(err.Error(), "invalid_grant: ") ||
		strings.Contains(err.Error(), assertion) {
		t.Errorf("expected invalid_grant, got %v", err)
	}
	if err := call(latchkey.Federation(rule, workload, "no:scope")); !strings.Contains(err.Error(), "invalid_scope: ") {
		t.Errorf("expected invalid_scope, got %v", err)
	}
	if err := call(latchkey.Federation(rule, token(" "))); !strings.Contains(err.Error(), "assertion returned no token") {
		t.Errorf("expected an error about assertion, got %v", err)
	}
	gone := errors.New("platform is away")
	if err := call(latchkey.Federation(rule, func(context.Context) (string, error) { return "", gone })); !errors.Is(err, gone) {
		t.Errorf("expected the platform's error, got %v", err)
	}
	for _, credentials := range []latchkey.Credentials{
		latchkey.Federation("fed_x", workload), latchkey.Federation(rule, nil), latchkey.Federation(rule, workload).OnBehalfOf("user-1"),
		latchkey.Federation(rule, workload, ""), latchkey.Federation(rule, workload, "plans:read", " "),
	} {
		if _, err := latchkey.New(serviceURL, credentials); err == nil {
			t.Error("expected credentials that cannot work to be refused")
		}
	}
	if text := fmt.Sprintf("%+v", latchkey.Federation(rule, workload)); strings.Contains(text, rule) {
		t.Error("expected credentials to print as their type")
	}
}
