package latchkey_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"latchkey.example/latchkey"
	latchkeyv1 "latchkey.example/latchkey/gen/latchkey/v1"
)

func TestCallsAndGuardsNameTheClientAndItsVersion(t *testing.T) {
	var named []string
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		named = append(named, r.Header.Get("User-Agent"))
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(service.Close)
	client := newClient(t, service.URL, latchkey.SecretKey("sk_x"))
	_, _ = client.Gateway.ListThreads(t.Context(), &latchkeyv1.ListThreadsRequest{})
	guard := guarded(t, service.URL, require("plans:read"))
	get(t, guard.URL, http.Header{"User-Agent": {"a browser"}})
	if len(named) != 2 {
		t.Fatalf("%d requests, not 2", len(named))
	}
	for _, name := range named {
		if !regexp.MustCompile(`^latchkey-go/\d+\.\d+\.\d+$`).MatchString(name) {
			t.Errorf("User-Agent is %q", name)
		}
	}
}
