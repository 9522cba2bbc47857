package latchkey_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"latchkey.example/latchkey"
)

func TestCheckAdmitsAndDeniesAsTheGuardDoes(t *testing.T) {
	guard, err := latchkey.NewGuard(serviceURL)
	if err != nil {
		t.Fatal(err)
	}
	key := createKey(t, nil, "plans:*")
	header := http.Header{"X-Api-Key": {key.GetKey()}}
	verdict, err := guard.Check(t.Context(), header, "", "plans:read", "plans:write")
	if err != nil || verdict.Caller == nil || verdict.Caller.KeyID != key.GetKeyId() || verdict.Status != http.StatusOK {
		t.Fatalf("expected the key as the caller, got %+v, %v", verdict, err)
	}
	if !strings.HasPrefix(verdict.Header.Get("X-Request-Id"), "req_") || verdict.Header.Get("X-RateLimit-Limit") == "" {
		t.Errorf("the header lacks the decision's id or the limit: %v", verdict.Header)
	}
	verdict, err = guard.Check(t.Context(), header, "", "billing:read")
	if err != nil || verdict.Caller != nil || verdict.Status != http.StatusForbidden || !strings.Contains(string(verdict.Body), "insufficient_scope") {
		t.Errorf("expected insufficient_scope, got %+v, %v", verdict, err)
	}
	if verdict, err = guard.Check(t.Context(), header, "", "plan:read"); err == nil || verdict.Caller != nil {
		t.Errorf("expected an error for a misspelt scope, got %+v", verdict)
	}
}

func TestCheckIs503WithoutAVerdict(t *testing.T) {
	var reasons []error
	guard, err := latchkey.NewGuard("http://127.0.0.1:1", latchkey.WithErrorLog(func(err error) { reasons = append(reasons, err) }))
	if err != nil {
		t.Fatal(err)
	}
	verdict, err := guard.Check(t.Context(), http.Header{}, "")
	if err != nil || verdict.Caller != nil || verdict.Status != http.StatusServiceUnavailable || len(reasons) != 1 {
		t.Errorf("expected 503, got %+v, %v and %v", verdict, err, reasons)
	}
}

func TestCheckSendsTheAddressOfTheConnectionOnly(t *testing.T) {
	var chain []string
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		chain = r.Header.Values("X-Forwarded-For")
	}))
	defer service.Close()
	guard, err := latchkey.NewGuard(service.URL, latchkey.WithErrorLog(func(error) {}))
	if err != nil {
		t.Fatal(err)
	}
	for remoteAddr, want := range map[string][]string{
		"198.51.100.7:443": {"192.0.2.1", "198.51.100.7"}, "198.51.100.7": {"192.0.2.1", "198.51.100.7"},
		"[fe80::1%eth0]:443": {"192.0.2.1", "fe80::1"}, "::1": {"192.0.2.1", "::1"},
		"": nil, "@": nil, "/run/plans.sock": nil,
	} {
		_, _ = guard.Check(t.Context(), http.Header{"X-Forwarded-For": {"192.0.2.1"}}, remoteAddr)
		if !slices.Equal(chain, want) {
			t.Errorf("%q: expected %v, got %v", remoteAddr, want, chain)
		}
	}
}

func TestAnAnswersOwnRequestIDStays(t *testing.T) {
	server := guarded(t, serviceURL, func(guard *latchkey.Guard) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler {
			guarded := guard.Require()(next)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Request-Id", "own")
				guarded.ServeHTTP(w, r)
			})
		}
	})
	response, _ := get(t, server.URL, http.Header{"X-Api-Key": {createKey(t, nil, "plans:read").GetKey()}})
	if ids := response.Header.Values("X-Request-Id"); !slices.Equal(ids, []string{"own"}) {
		t.Errorf("expected the service's own id, got %v", ids)
	}
	if response, _ := get(t, server.URL, http.Header{}); !strings.HasPrefix(response.Header.Get("X-Request-Id"), "req_") {
		t.Error("a denial lacks the id that its decision has")
	}
}
