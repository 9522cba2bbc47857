package latchkey_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"latchkey.example/latchkey"
	latchkeyv1 "latchkey.example/latchkey/gen/latchkey/v1"
)

var mcpServer = latchkey.MCP{Tools: map[string][]string{
	"search": {"conversations:read"},
	"save":   {"conversations:read", "conversations:write"},
}}

// guardedMCP answers the message that its handler got.
func guardedMCP(t *testing.T, baseURL string, server latchkey.MCP, opts ...latchkey.Option) *httptest.Server {
	t.Helper()
	guard, err := latchkey.NewGuard(baseURL, opts...)
	if err != nil {
		t.Fatal(err)
	}
	mounted := httptest.NewServer(guard.MCP(server).Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := latchkey.CallerFrom(r.Context()); !ok || r.Header.Get("X-Auth-Tenant-Id") != "" {
			t.Error("the request has no caller, or a client's X-Auth header")
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || int64(len(body)) != r.ContentLength {
			t.Errorf("read %d of %d bytes: %v", len(body), r.ContentLength, err)
		}
		_, _ = fmt.Fprintf(w, "%s %s", r.Method, body)
	})))
	t.Cleanup(mounted.Close)
	return mounted
}

func postMCP(t *testing.T, address, message string, header http.Header) (*http.Response, string) {
	t.Helper()
	return requestMCP(t, http.MethodPost, address, message, header)
}

func requestMCP(t *testing.T, method, address, message string, header http.Header) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header.Clone()
	request.Header.Set("X-Auth-Tenant-Id", "other")
	return send(t, request)
}

func callOf(tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, tool)
}

func keyWith(t *testing.T, scopes ...string) http.Header {
	t.Helper()
	return http.Header{"X-Api-Key": {createKey(t, nil, scopes...).GetKey()}}
}

func TestMCPGuardAdmitsACallByAllScopesOfItsTool(t *testing.T) {
	server := guardedMCP(t, serviceURL, mcpServer, resourceOf(resourceURL))
	reader := keyWith(t, "conversations:read")
	for _, message := range []string{callOf("search"), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`} {
		if response, body := postMCP(t, server.URL, message, reader); response.StatusCode != http.StatusOK || !strings.HasPrefix(body, "POST {") {
			t.Errorf("%s: expected it to pass, got %d %s", message, response.StatusCode, body)
		}
	}
	response, body := postMCP(t, server.URL, callOf("save"), reader)
	expected := fmt.Sprintf(`Bearer error="insufficient_scope", scope="conversations:read conversations:write", resource_metadata=%q`, metadataURL)
	if got := response.Header.Get("WWW-Authenticate"); response.StatusCode != http.StatusForbidden || got != expected || !strings.Contains(body, `"insufficient_scope"`) {
		t.Errorf("expected %s, got %d %s %s", expected, response.StatusCode, got, body)
	}
	if response, body := postMCP(t, server.URL, callOf("save"), keyWith(t, "conversations:*")); response.StatusCode != http.StatusOK {
		t.Errorf("expected the call to pass, got %d %s", response.StatusCode, body)
	}
}

func TestMCPGuardAnswersACallOfAToolThatIsNotListed(t *testing.T) {
	server := guardedMCP(t, serviceURL, mcpServer)
	for _, message := range []string{
		callOf("erase"), callOf(""), callOf("Search"),
		`{"id":7,"method":"tools/call"}`, `{"id":7,"method":"tools/call","params":{"name":["search"]}}`,
		`{"id":7,"method":"tools/call","params":{"name":"search","Name":"save"}}`,
	} {
		response, body := postMCP(t, server.URL, message, keyWith(t, "*"))
		if response.StatusCode != http.StatusOK || !strings.Contains(body, `"code":-32602`) || !strings.Contains(body, `"id":7`) || response.Header.Get("X-RateLimit-Limit") == "" {
			t.Errorf("%s: expected an unknown tool, got %d %s", message, response.StatusCode, body)
		}
	}
}

func TestMCPGuardRefusesWhatIsNotOneMessage(t *testing.T) {
	server := guardedMCP(t, serviceURL, latchkey.MCP{Tools: mcpServer.Tools, MessageBytesMax: 200})
	caller := keyWith(t, "*")
	for _, test := range []struct {
		message string
		status  int
		code    string
	}{
		{"[" + callOf("search") + "]", http.StatusBadRequest, "-32600"},
		{"null", http.StatusBadRequest, "-32600"},
		{`{"METHOD":"tools/call"}`, http.StatusBadRequest, "-32600"},
		{"{", http.StatusBadRequest, "-32700"},
		{"", http.StatusBadRequest, "-32700"},
		{`{"method":"ping","more":"` + strings.Repeat("a", 200) + `"}`, http.StatusRequestEntityTooLarge, "-32600"},
	} {
		if response, body := postMCP(t, server.URL, test.message, caller); response.StatusCode != test.status || !strings.Contains(body, `"code":`+test.code) {
			t.Errorf("%s: expected %d %s, got %d %s", test.message, test.status, test.code, response.StatusCode, body)
		}
	}
	// A refusal of Latchkey's comes first.
	if response, body := postMCP(t, server.URL, "{", http.Header{"X-Api-Key": {"sk_x"}}); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("expected 401, got %d %s", response.StatusCode, body)
	}
}

func TestMCPGuardTakesMessagesOf256KiB(t *testing.T) {
	server := guardedMCP(t, serviceURL, mcpServer)
	caller := keyWith(t, "*")
	for bytes, status := range map[int]int{262_144: http.StatusOK, 262_145: http.StatusRequestEntityTooLarge} {
		message := `{"method":"ping"}`
		if response, body := postMCP(t, server.URL, message+strings.Repeat(" ", bytes-len(message)), caller); response.StatusCode != status {
			t.Errorf("%d bytes: expected %d, got %d %s", bytes, status, response.StatusCode, body)
		}
	}
}

func TestMCPGuardHandsOnTheMessageThatItChecked(t *testing.T) {
	server := guardedMCP(t, serviceURL, mcpServer)
	reader := keyWith(t, "conversations:read")
	twice := `{"params":{"name":"save"},"method":"ping","method":"tools/call","params":{"name":"save","name":"search","arguments":{"n":12345678901234567890}}}`
	response, body := postMCP(t, server.URL, twice, reader)
	expected := `POST {"method":"tools/call","params":{"arguments":{"n":12345678901234567890},"name":"search"}}`
	if response.StatusCode != http.StatusOK || body != expected {
		t.Errorf("expected %s, got %d %s", expected, response.StatusCode, body)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		if response, body := requestMCP(t, method, server.URL, callOf("save"), reader); response.StatusCode != http.StatusOK || body != method+" " {
			t.Errorf("expected a %s without a message, got %d %s", method, response.StatusCode, body)
		}
	}
}

func TestMCPGuardAsksForCredentialsBeforeItReadsAMessage(t *testing.T) {
	server := guardedMCP(t, serviceURL, latchkey.MCP{Tools: mcpServer.Tools, Scopes: []string{"plans:read"}}, resourceOf(resourceURL))
	response, body := postMCP(t, server.URL, "{", http.Header{})
	expected := fmt.Sprintf(`Bearer realm="latchkey", scope="plans:read", resource_metadata=%q`, metadataURL)
	if got := response.Header.Get("WWW-Authenticate"); response.StatusCode != http.StatusUnauthorized || got != expected {
		t.Errorf("expected %s, got %d %s %s", expected, response.StatusCode, got, body)
	}
	// What every message needs, a call of a tool needs, too.
	if response, body := postMCP(t, server.URL, callOf("search"), keyWith(t, "conversations:read")); response.StatusCode != http.StatusForbidden {
		t.Errorf("expected 403, got %d %s", response.StatusCode, body)
	}
	if response, _ := get(t, server.URL+metadataPath, http.Header{}); response.StatusCode != http.StatusOK {
		t.Errorf("expected the metadata, got %d", response.StatusCode)
	}
	// Of a stranger, whose message never comes, nothing is read.
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	_ = connection.SetDeadline(time.Now().Add(30 * time.Second))
	_, _ = io.WriteString(connection, "POST / HTTP/1.1\r\nHost: x\r\nX-Api-Key: sk_x\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n")
	if answer, err := http.ReadResponse(bufio.NewReader(connection), nil); err != nil || answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("expected 401, got %v, %v", answer, err)
	}
}

// "*" reaches the scopes of tenants: in the operator's own tenant alone, which Latchkey knows.
func TestMCPGuardAsksAgainAboutACallThatTheFirstAnswerDoesNotAdmit(t *testing.T) {
	var held string
	var questions []string
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		question, _ := io.ReadAll(r.Body)
		questions = append(questions, string(question))
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"caller":"CALLER_SECRET_KEY","tenant_id":"ten_1","permissions":[%q]}`, held)
	}))
	defer service.Close()
	server := guardedMCP(t, service.URL, latchkey.MCP{Tools: map[string][]string{"search": {"plans:read"}, "all": {"tenants:read"}}})
	for _, test := range []struct {
		held, tool string
		asked      int
	}{
		{"plans:*", "search", 1}, {"*", "search", 1}, {"plans:write", "search", 2}, {"tenants:*", "all", 1}, {"*", "all", 2},
	} {
		held, questions = test.held, nil
		if _, body := postMCP(t, server.URL, callOf(test.tool), http.Header{}); !strings.HasPrefix(body, "POST {") || len(questions) != test.asked {
			t.Errorf("%+v: expected it to pass, got %s and %q", test, body, questions)
		}
		if last := questions[len(questions)-1]; test.asked == 2 && !strings.Contains(last, ":read") {
			t.Errorf("%+v: the second question is %s", test, last)
		}
	}
}

func TestMCPGuardSpendsTheCostOfItsGuard(t *testing.T) {
	key := createKey(t, &latchkeyv1.RateLimit{RequestsPerMinute: 10, BurstSize: 10}, "conversations:read").GetKey()
	guard, err := latchkey.NewGuard(serviceURL)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(guard.Cost(10).MCP(mcpServer).Handler(http.NotFoundHandler()))
	defer server.Close()
	for _, status := range []int{http.StatusNotFound, http.StatusTooManyRequests} {
		if response, body := postMCP(t, server.URL, callOf("search"), http.Header{"X-Api-Key": {key}}); response.StatusCode != status {
			t.Errorf("expected %d, got %d %s", status, response.StatusCode, body)
		}
	}
}

func TestMCPGuardNamesTheToolsOfACaller(t *testing.T) {
	guard, err := latchkey.NewGuard(serviceURL)
	if err != nil {
		t.Fatal(err)
	}
	mcp := guard.MCP(mcpServer)
	for permission, tools := range map[string][]string{
		"conversations:read": {"search"}, "conversations:*": {"save", "search"}, "*": {"save", "search"},
		"conversations:write": {}, "plans:*": {},
	} {
		if got := mcp.ToolsOf(latchkey.Caller{Permissions: []string{permission}}); !slices.Equal(got, tools) {
			t.Errorf("%s: expected %v, got %v", permission, tools, got)
		}
	}
}

func TestMCPGuardPanicsAtOnceForAMistake(t *testing.T) {
	guard, err := latchkey.NewGuard(serviceURL)
	if err != nil {
		t.Fatal(err)
	}
	for want, server := range map[string]latchkey.MCP{
		`MCP.Tools["search"]: "plan:read" is not a known scope`: {Tools: map[string][]string{"search": {"plan:read"}}},
		`MCP.Scopes: "plans:*" is not a scope`:                     {Scopes: []string{"plans:*"}},
		"MCP.MessageBytesMax must not be below 0":               {MessageBytesMax: -1},
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, want) {
					t.Errorf("expected %s, got %s", want, text)
				}
			}()
			guard.MCP(server)
		}()
	}
}
