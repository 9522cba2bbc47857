package latchkey_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"latchkey.example/latchkey"
	latchkeyv1 "latchkey.example/latchkey/gen/latchkey/v1"
)

// guarded serves its caller, and fails the test where an X-Auth header reaches the handler.
func guarded(t *testing.T, baseURL string, protect func(*latchkey.Guard) func(http.Handler) http.Handler, opts ...latchkey.Option) *httptest.Server {
	t.Helper()
	guard, err := latchkey.NewGuard(baseURL, opts...)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(protect(guard)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, ok := latchkey.CallerFrom(r.Context())
		if !ok {
			t.Error("the request has no caller")
		}
		for name := range r.Header {
			if strings.HasPrefix(strings.ToLower(name), "x-auth") || strings.HasPrefix(strings.ToLower(name), "x_auth") {
				t.Errorf("the handler got %s", name)
			}
		}
		_ = json.NewEncoder(w).Encode(caller)
	})))
	t.Cleanup(server.Close)
	return server
}

func require(scopes ...string) func(*latchkey.Guard) func(http.Handler) http.Handler {
	return func(guard *latchkey.Guard) func(http.Handler) http.Handler { return guard.Require(scopes...) }
}

func get(t *testing.T, address string, header http.Header) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	return send(t, request)
}

// send returns the answer to a request, and its body.
func send(t *testing.T, request *http.Request) (*http.Response, string) {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func TestGuardLetsACallerWithTheScopePass(t *testing.T) {
	key := createKey(t, nil, "plans:*")
	server := guarded(t, serviceURL, require("plans:read", "plans:write"))
	response, body := get(t, server.URL, http.Header{
		"X-Api-Key":        {key.GetKey()},
		"X-Auth-Tenant-Id": {"other"},
		"x_auth_tenant_id": {"other"},
	})
	var caller latchkey.Caller
	if err := json.Unmarshal([]byte(body), &caller); err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK || caller.Kind != latchkey.SecretKeyCaller || caller.KeyID != key.GetKeyId() ||
		caller.TenantID == "" || caller.TenantID == "other" || caller.Permissions[0] != "plans:*" {
		t.Errorf("expected the key as the caller, got %d %s", response.StatusCode, body)
	}
	if response.Header.Get("X-RateLimit-Limit") == "" {
		t.Error("the answer lacks the limit's headers")
	}
	if !strings.HasPrefix(response.Header.Get("X-Request-Id"), "req_") {
		t.Error("the answer lacks the id of the decision")
	}
}

func TestGuardRelaysADenial(t *testing.T) {
	server := guarded(t, serviceURL, require("plans:read"))
	response, body := get(t, server.URL, http.Header{})
	if response.StatusCode != http.StatusUnauthorized || !strings.Contains(body, "missing_credentials") ||
		response.Header.Get("WWW-Authenticate") == "" || response.Header.Get("X-Request-Id") == "" {
		t.Errorf("expected Latchkey's own answer, got %d %s", response.StatusCode, body)
	}
	key := createKey(t, nil, "billing:read").GetKey()
	response, body = get(t, server.URL, http.Header{"X-Api-Key": {key}})
	if response.StatusCode != http.StatusForbidden || !strings.Contains(body, `"insufficient_scope"`) {
		t.Errorf("expected insufficient_scope, got %d %s", response.StatusCode, body)
	}
	response, body = get(t, server.URL, http.Header{"X-Api-Key": {key, key}})
	if response.StatusCode != http.StatusUnauthorized || !strings.Contains(body, `"api_key_invalid"`) {
		t.Errorf("expected two keys to be rejected, got %d %s", response.StatusCode, body)
	}
}

func TestGuardSpendsTheCostAndRelaysTheLimit(t *testing.T) {
	key := createKey(t, &latchkeyv1.RateLimit{RequestsPerMinute: 10, BurstSize: 10}, "plans:read").GetKey()
	server := guarded(t, serviceURL, func(guard *latchkey.Guard) func(http.Handler) http.Handler {
		return guard.Cost(10).Require("plans:read")
	})
	if response, body := get(t, server.URL, http.Header{"X-Api-Key": {key}}); response.StatusCode != http.StatusOK {
		t.Fatalf("expected the first request to pass, got %d %s", response.StatusCode, body)
	}
	response, body := get(t, server.URL, http.Header{"X-Api-Key": {key}})
	if response.StatusCode != http.StatusTooManyRequests || !strings.Contains(body, `"rate_limited"`) || response.Header.Get("Retry-After") == "" {
		t.Errorf("expected rate_limited with Retry-After, got %d %s", response.StatusCode, body)
	}
}

func TestGuardIs503WithoutAVerdict(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<h1>It works!</h1>")
	}))
	defer elsewhere.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	redirector := httptest.NewServer(http.RedirectHandler(serviceURL, http.StatusTemporaryRedirect))
	defer redirector.Close()
	key := createKey(t, nil, "plans:read").GetKey()
	for _, test := range []struct{ baseURL, scope string }{
		{elsewhere.URL, "plans:read"}, {gone.URL, "plans:read"}, {redirector.URL, "plans:read"},
		// A scope of the platform's own that this Latchkey does not have.
		{serviceURL, "plannings:read"},
	} {
		var reasons []error
		server := guarded(t, test.baseURL, require(test.scope), latchkey.WithOwnScopes("plannings:read"), latchkey.WithErrorLog(func(err error) { reasons = append(reasons, err) }))
		response, body := get(t, server.URL, http.Header{"X-Api-Key": {key}})
		if response.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, `"unavailable"`) || !strings.Contains(body, `"reason":"verifier_error"`) || len(reasons) != 1 {
			t.Errorf("%s: expected 503 and its reason, got %d %s and %v", test.baseURL, response.StatusCode, body, reasons)
		}
	}
}

func TestGuardReportsAClosedPortWithItsAddressAndCause(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	var reasons []error
	server := guarded(t, gone.URL, require(), latchkey.WithErrorLog(func(err error) { reasons = append(reasons, err) }))
	_, _ = get(t, server.URL, http.Header{"X-Api-Key": {"sk_x"}})
	address := strings.TrimPrefix(gone.URL, "http://")
	if len(reasons) != 1 || !strings.Contains(reasons[0].Error(), address) || !strings.Contains(reasons[0].Error(), "refused") {
		t.Errorf("expected %s and the cause, got %v", address, reasons)
	}
}

func TestGuardHandsOverAllThatVerifyAnswers(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"caller":"CALLER_SECRET_KEY","tenant_id":"ten_1","key_id":"key_1","user_id":"user_1","permissions":["plans:read"],`+
			`"acting_for":"user_1","token_id":"tok_1","external_id":"customer_1","metadata":{"plan":"pro","seats":5}}`)
	}))
	defer service.Close()
	_, body := get(t, guarded(t, service.URL, require()).URL, http.Header{"X-Api-Key": {"sk_x"}})
	var caller latchkey.Caller
	if err := json.Unmarshal([]byte(body), &caller); err != nil {
		t.Fatal(err)
	}
	want := latchkey.Caller{
		Kind: latchkey.SecretKeyCaller, TenantID: "ten_1", KeyID: "key_1", UserID: "user_1", Permissions: []string{"plans:read"},
		ActingFor: "user_1", TokenID: "tok_1", ExternalID: "customer_1", Metadata: map[string]any{"plan": "pro", "seats": 5.0},
	}
	if !reflect.DeepEqual(caller, want) {
		t.Errorf("expected %+v, got %+v", want, caller)
	}
}

func TestGuardRelaysAbsoluteLinksOnly(t *testing.T) {
	for _, test := range []struct{ link, want string }{
		{"/docs/errors#api_key_revoked", "Revoked; make a new one."},
		{"https://keys.example/docs/errors#api_key_revoked", "Revoked; make a new one. See https://keys.example/docs/errors#api_key_revoked"},
	} {
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprintf(w, `{"code":"unauthenticated","message":"Revoked; make a new one. See %s","denial_reason":"api_key_revoked"}`, test.link)
		}))
		_, body := get(t, guarded(t, service.URL, require()).URL, http.Header{"X-Api-Key": {"sk_x"}})
		if !strings.Contains(body, fmt.Sprintf(`"message":%q`, test.want)) {
			t.Errorf("expected the message %q, got %s", test.want, body)
		}
		service.Close()
	}
}

func TestGuardAsksAboutAHostThatIsNotLatchkeys(t *testing.T) {
	for _, test := range []struct {
		status     int
		kind, body string
	}{
		{200, "application/json", `"ok"`}, {200, "application/json", "[]"}, {200, "application/json", `{"caller":"bob"}`},
		{200, "application/json", "{}"}, {400, "text/html", "<h1>HTTP to an HTTPS port</h1>"},
		{400, "application/json", `{"code":"bad_request"}`}, {401, "application/json", `{"code":"NO_TOKEN","message":"no"}`},
		{404, "application/json", `{"code":"not_found"}`}, {302, "text/html", ""},
	} {
		elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", test.kind)
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.body)
		}))
		var reasons []error
		server := guarded(t, elsewhere.URL, require("plans:read"), latchkey.WithErrorLog(func(err error) { reasons = append(reasons, err) }))
		response, _ := get(t, server.URL, http.Header{"X-Api-Key": {"sk_x"}})
		if response.StatusCode != http.StatusServiceUnavailable || len(reasons) != 1 || !strings.Contains(reasons[0].Error(), question) {
			t.Errorf("%d %s: expected 503 and a question, got %d and %v", test.status, test.body, response.StatusCode, reasons)
		}
		elsewhere.Close()
	}
}

func TestGuardPanicsAtOnceForWhatIsNoScopeOrCost(t *testing.T) {
	guard, err := latchkey.NewGuard(serviceURL)
	if err != nil {
		t.Fatal(err)
	}
	for name, mistake := range map[string]func(){
		"a wildcard":  func() { guard.Require("plans:*") },
		"no action":   func() { guard.Require("plans") },
		"misspelt":    func() { guard.Require("plans:read", "plan:read") },
		"a cost of 0": func() { guard.Cost(0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			mistake()
		}()
	}
}

func TestGuardNamesTheScopeThatWasMeant(t *testing.T) {
	guard, err := latchkey.NewGuard(serviceURL, latchkey.WithOwnScopes("reports:read"))
	if err != nil {
		t.Fatal(err)
	}
	for scope, want := range map[string]string{
		"plan:read":    `"plan:read" is not a known scope; did you mean "plans:read"? If not, name the scopes`,
		"reports:raed": `did you mean "reports:read"?`,
		"qqqqqqqqq:zz": `"qqqqqqqqq:zz" is not a known scope; name the scopes of Latchkey's SCOPES_FILE in WithOwnScopes`,
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, want) {
					t.Errorf("%s: expected %s, got %s", scope, want, text)
				}
			}()
			guard.Require(scope)
		}()
	}
	guard.Require("reports:read")
	if _, err := latchkey.NewGuard(serviceURL, latchkey.WithOwnScopes("reports:*")); err == nil {
		t.Error("expected an error for a wildcard among the own scopes")
	}
}

func TestGuardKnowsEveryScopeOfTheService(t *testing.T) {
	guard, err := latchkey.NewGuard(serviceURL)
	if err != nil {
		t.Fatal(err)
	}
	dashboard := newClient(t, serviceURL, latchkey.UserToken(token(dashboardToken)))
	answer, err := dashboard.Scopes.ListScopes(t.Context(), &latchkeyv1.ListScopesRequest{})
	if err != nil || len(answer.GetScopes()) == 0 {
		t.Fatal("no scopes", err)
	}
	for _, scope := range answer.GetScopes() {
		guard.Require(scope.GetName())
	}
}

func TestGuardLogsTheFirstFailureAndNoOther(t *testing.T) {
	var text bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&text, nil)))
	defer slog.SetDefault(before)
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	defer elsewhere.Close()
	server := guarded(t, elsewhere.URL, require("plans:read"))
	for range 3 {
		if response, _ := get(t, server.URL, http.Header{"X-Api-Key": {"sk_private"}}); response.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("expected 503, got %d", response.StatusCode)
		}
	}
	logged := text.String()
	if strings.Count(logged, "\n") != 1 || !strings.Contains(logged, "is baseURL that of a Latchkey service?") ||
		!strings.Contains(logged, "WithErrorLog") || strings.Contains(logged, "private") {
		t.Errorf("expected one line about the base URL, got %s", logged)
	}
}
