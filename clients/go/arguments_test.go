package latchkey_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"latchkey.example/latchkey"
	latchkeyv1 "latchkey.example/latchkey/gen/latchkey/v1"
)

func TestSecretsAreNeverPrinted(t *testing.T) {
	credentials := latchkey.SecretKey("sk_private")
	client := newClient(t, serviceURL, credentials)
	type service struct {
		credentials latchkey.Credentials
		client      *latchkey.Client
	}
	for _, value := range []any{credentials, &credentials, client, *client, service{credentials, client}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			if text := fmt.Sprintf(verb, value); strings.Contains(text, "private") {
				t.Errorf("%s of %T prints %s", verb, value, text)
			}
		}
		if text, _ := json.Marshal(value); strings.Contains(string(text), "private") {
			t.Errorf("the JSON of %T is %s", value, text)
		}
	}
	_, err := latchkey.New(serviceURL, latchkey.SecretKey("sk_private\x00"))
	if err == nil || strings.Contains(err.Error(), "private") {
		t.Errorf("expected an error without the key, got %v", err)
	}
}

func TestArgumentsWithWhichNoCallCouldSucceedAreRejected(t *testing.T) {
	key := latchkey.SecretKey("sk_x")
	for _, test := range []struct {
		baseURL     string
		credentials latchkey.Credentials
		options     []latchkey.Option
		named       string
	}{
		{"http://api.example.com", key, nil, "https://"},
		{"api.example.com", key, nil, "baseURL"},
		{"https://user:secret@api.example.com", key, nil, "user name"},
		{"https://api.example.com/api/v1/", key, nil, "/api/v1"},
		{"https://api.example.com", latchkey.Credentials{}, nil, "credentials"},
		{"https://api.example.com", latchkey.SecretKey("pk_x"), nil, "sk_"},
		{"https://api.example.com", latchkey.PublishableKey("pk_x", nil), nil, "userToken"},
		{"https://api.example.com", key.OnBehalfOf("a,b"), nil, "userID"},
		{"https://api.example.com", latchkey.UserToken(token("x")).OnBehalfOf("a"), nil, "secret key"},
		{"https://api.example.com", key, []latchkey.Option{latchkey.WithTimeout(0)}, "WithTimeout"},
		{"https://api.example.com", key, []latchkey.Option{latchkey.WithRetries(0, time.Second)}, "WithRetries"},
	} {
		_, err := latchkey.New(test.baseURL, test.credentials, test.options...)
		if err == nil || !strings.Contains(err.Error(), test.named) || strings.Contains(err.Error(), "user:secret") {
			t.Errorf("%s: expected an error that names %s, got %v", test.baseURL, test.named, err)
		}
	}
	for _, baseURL := range []string{"http://localhost:1", "http://[::1]:1", "https://api.example.com/latchkey/"} {
		newClient(t, baseURL, key)
	}
	newClient(t, "http://latchkey:8080", key, latchkey.WithInsecureHTTP())
}

func TestRedirectsGetNoCredentials(t *testing.T) {
	var followed bool
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed = true }))
	defer target.Close()
	redirector := httptest.NewServer(http.RedirectHandler(target.URL+"/login?ticket=1", http.StatusTemporaryRedirect))
	defer redirector.Close()
	client := newClient(t, redirector.URL, latchkey.SecretKey("sk_x"), latchkey.WithHTTPClient(&http.Client{}))
	_, err := client.Gateway.ListThreads(t.Context(), &latchkeyv1.ListThreadsRequest{})
	if followed || connect.CodeOf(err) != connect.CodeUnknown || !strings.Contains(err.Error(), target.URL) {
		t.Errorf("expected code unknown and the address, got %v", err)
	}
	if strings.Contains(err.Error(), "ticket") {
		t.Errorf("the address has its query: %v", err)
	}
}

const question = "is baseURL that of a Latchkey service?"

func TestAnotherHostThanLatchkeysGetsAQuestion(t *testing.T) {
	for _, test := range []struct {
		status     int
		kind, body string
		code       connect.Code
	}{
		{200, "text/html", "<h1>It works!</h1>", connect.CodeUnknown},
		{404, "text/html", "<h1>Not Found</h1>", connect.CodeUnimplemented},
		{404, "application/json", `{"message":"Not Found"}`, connect.CodeUnimplemented},
		{404, "application/json", `{"code":"NOT_FOUND","message":"no"}`, connect.CodeUnimplemented},
		{400, "text/html", "<h1>HTTP to an HTTPS port</h1>", connect.CodeInternal},
		{401, "application/json", `{"error":"no"}`, connect.CodeUnauthenticated},
		{302, "text/html", "", connect.CodeUnknown},
		{405, "", "", connect.CodeUnknown},
		{500, "text/html", "<h1>Error</h1>", connect.CodeUnknown},
	} {
		requests := 0
		elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests++
			w.Header().Set("Content-Type", test.kind)
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		}))
		client := newClient(t, elsewhere.URL, latchkey.SecretKey("sk_x"))
		_, err := client.Gateway.ListThreads(t.Context(), &latchkeyv1.ListThreadsRequest{})
		if connect.CodeOf(err) != test.code || !strings.Contains(err.Error(), question) || requests != 1 {
			t.Errorf("%d %s: expected %s and a question, got %v after %d requests", test.status, test.body, test.code, err, requests)
		}
		// Where a workload exchanges its token, too.
		workload := newClient(t, elsewhere.URL, latchkey.Federation("fed_"+strings.Repeat("0", 32), token("eyJ")), latchkey.WithRetries(1, time.Second))
		if _, err := workload.Gateway.ListThreads(t.Context(), &latchkeyv1.ListThreadsRequest{}); !strings.Contains(err.Error(), question) {
			t.Errorf("%d %s: expected a question about the exchange, got %v", test.status, test.body, err)
		}
		elsewhere.Close()
	}
}

func TestATokenThatCannotBeHadFailsTheCall(t *testing.T) {
	cause := errors.New("signed out")
	none := func(context.Context) (string, error) { return "", cause }
	for _, source := range []latchkey.TokenSource{none, token("Bearer x"), token("")} {
		client := newClient(t, serviceURL, latchkey.UserToken(source))
		_, err := client.APIKeys.ListApiKeys(t.Context(), &latchkeyv1.ListApiKeysRequest{})
		if connect.CodeOf(err) != connect.CodeUnauthenticated || latchkey.DenialOf(err) != nil {
			t.Errorf("expected unauthenticated, got %v", err)
		}
	}
	client := newClient(t, serviceURL, latchkey.UserToken(none))
	if _, err := client.APIKeys.ListApiKeys(t.Context(), &latchkeyv1.ListApiKeysRequest{}); !errors.Is(err, cause) {
		t.Errorf("expected the cause, got %v", err)
	}
}

func TestReasonsAreThoseOfTheProtos(t *testing.T) {
	reasons := []latchkey.Reason{
		latchkey.ReasonMissingCredentials, latchkey.ReasonAPIKeyNotFound, latchkey.ReasonAPIKeyExpired,
		latchkey.ReasonAPIKeyDisabled, latchkey.ReasonAPIKeyRevoked, latchkey.ReasonAPIKeyInvalid,
		latchkey.ReasonInsufficientScope, latchkey.ReasonRateLimited, latchkey.ReasonPublishableKeyRequiresJWT,
		latchkey.ReasonJWTExpired, latchkey.ReasonJWTMalformed, latchkey.ReasonJWTInvalidSignature,
		latchkey.ReasonJWTInvalidIssuer, latchkey.ReasonJWTInvalidAudience, latchkey.ReasonUserIDClaimNotFound,
		latchkey.ReasonTenantRequired, latchkey.ReasonVerifierError, latchkey.ReasonMisconfiguredPublishableKey,
		latchkey.ReasonOIDCNotConfigured, latchkey.ReasonTenantSuspended, latchkey.ReasonOriginNotAllowed,
		latchkey.ReasonTokenRevoked,
	}
	if len(reasons) != len(latchkeyv1.DenialReason_name)-1 {
		t.Errorf("%d constants for %d reasons", len(reasons), len(latchkeyv1.DenialReason_name)-1)
	}
	for number, name := range latchkeyv1.DenialReason_name {
		reason := latchkey.Reason(strings.ToLower(strings.TrimPrefix(name, "DENIAL_REASON_")))
		if number != 0 && !slices.Contains(reasons, reason) {
			t.Errorf("no constant is %s", reason)
		}
	}
}
