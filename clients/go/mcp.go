package latchkey

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// MCP says which tools an MCP server over streamable HTTP has, and what each needs.
type MCP struct {
	// Tools are the scopes of each tool by its name: {"search": {"conversations:read"}}. A call of any other tool is answered as a
	// server answers one of a tool that it lacks.
	Tools map[string][]string
	// Scopes are what every message needs, whatever it asks for. Without any, every valid caller may send one.
	Scopes []string
	// MessageBytesMax is the length of the longest message, in bytes; a longer one gets 413. 0 means 262,144. No
	// message is read before its caller is admitted.
	MessageBytesMax int64
}

// MCPGuard keeps messages from an MCP server until Latchkey has admitted them, and calls of tools by the scopes of each tool.
type MCPGuard struct {
	guard    *Guard
	scopes   []string
	tools    map[string][]string
	bytesMax int64
}

const messageBytesMax = 262_144

// Of JSON-RPC 2.0.
const (
	parseError     = -32_700
	invalidRequest = -32_600
	invalidParams  = -32_602
)

// MCP returns a guard of an MCP server. Where the server is a resource of OAuth, give the guard [WithResource].
//
// It panics for a scope that [Guard.Require] panics for, and for a MessageBytesMax below 0: when the service starts.
func (g *Guard) MCP(server MCP) *MCPGuard {
	if server.MessageBytesMax < 0 {
		panic("latchkey: MCP.MessageBytesMax must not be below 0")
	}
	if err := g.checkScopes(server.Scopes); err != nil {
		panic("latchkey: MCP.Scopes: " + err.Error())
	}
	guard := &MCPGuard{g, slices.Clone(server.Scopes), map[string][]string{}, server.MessageBytesMax}
	if guard.bytesMax == 0 {
		guard.bytesMax = messageBytesMax
	}
	for name, scopes := range server.Tools {
		if err := g.checkScopes(scopes); err != nil {
			panic(fmt.Sprintf("latchkey: MCP.Tools[%q]: %s", name, err))
		}
		guard.tools[name] = guard.with(scopes)
	}
	return guard
}

// with returns the scopes of a tool after those of all messages, each once.
func (m *MCPGuard) with(scopes []string) []string {
	all := slices.Clone(m.scopes)
	for _, scope := range scopes {
		if !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	return all
}

// ToolsOf returns the names of the tools that the caller's rights admit, in order, for what the server lists.
func (m *MCPGuard) ToolsOf(caller Caller) []string {
	names := []string{}
	for name, needed := range m.tools {
		if !slices.ContainsFunc(needed, func(scope string) bool { return !caller.has(scope) }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (c Caller) has(scope string) bool {
	return slices.ContainsFunc(c.Permissions, func(held string) bool { return grants(held, scope) })
}

// Handler lets a message pass to next if its caller may send it. The body of the request is then the message that was checked; a GET
// or DELETE, of a stream and of the end of a session, has none. [CallerFrom] returns the caller.
func (m *MCPGuard) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if m.guard.resource.serve(w, r) {
			return
		}
		// The caller first, only by the headers: a stranger has nothing read or parsed.
		caller := m.guard.decided(w, r, m.scopes)
		if caller == nil {
			return
		}
		scopes, message, wrong := m.needed(r)
		if wrong != nil {
			wrong.write(w)
			return
		}
		// The answer says what the caller may do. Of a call that seems not to be admitted Latchkey says why.
		if !m.admits(*caller, r, scopes) {
			if caller = m.guard.decided(w, r, scopes); caller == nil {
				return
			}
		}
		next.ServeHTTP(w, withMessage(admitted(r, *caller), message))
	})
}

// admits is also false where only Latchkey knows: "*" reaches the reserved scopes only in the operator's own tenant.
func (m *MCPGuard) admits(caller Caller, r *http.Request, scopes []string) bool {
	for _, scope := range scopes {
		isReserved := strings.HasPrefix(scope, "system:") || strings.HasPrefix(scope, "tenants:")
		if !slices.ContainsFunc(caller.Permissions, func(held string) bool {
			return grants(held, scope) && !(isReserved && held == "*")
		}) {
			return false
		}
	}
	resource := m.guard.resource
	isNarrow := resource != nil && len(r.Header.Values("X-Api-Key")) == 0
	return !isNarrow || resource.lackedScope(r.Header, scopes) == ""
}

// needed returns the scopes of a request, and its message or what is answered in the handler's place.
func (m *MCPGuard) needed(r *http.Request) ([]string, []byte, *rpcError) {
	if !hasMessage(r.Method) {
		return m.scopes, nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, m.bytesMax+1))
	if err != nil {
		return nil, nil, &rpcError{http.StatusBadRequest, parseError, "The body could not be read.", nil}
	}
	if int64(len(body)) > m.bytesMax {
		return nil, nil, &rpcError{http.StatusRequestEntityTooLarge, invalidRequest, "The message is too long.", nil}
	}
	message, wrong := messageOf(body)
	if wrong != nil {
		return nil, nil, wrong
	}
	if !message.isCall {
		return m.scopes, message.body, nil
	}
	needed, ok := m.tools[message.tool]
	if !ok {
		return nil, nil, &rpcError{http.StatusOK, invalidParams, "Unknown tool: " + message.tool, message.id}
	}
	return needed, message.body, nil
}

func hasMessage(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodDelete
}

// mcpMessage is what a request asks for, as far as a guard decides by it.
type mcpMessage struct {
	// Written again: the handler gets the checked message.
	body   []byte
	isCall bool
	tool   string
	id     json.RawMessage
}

func messageOf(body []byte) (*mcpMessage, *rpcError) {
	if !json.Valid(body) {
		return nil, &rpcError{http.StatusBadRequest, parseError, "The body is not JSON.", nil}
	}
	message, err := membersOf(body, "method", "params", "id")
	if err != nil {
		// With several calls in it, one request would spend the limit of one.
		return nil, &rpcError{http.StatusBadRequest, invalidRequest, "The body must be one JSON-RPC message; batches are not taken.", nil}
	}
	method := textOf(message["method"])
	if method != "tools/call" {
		return &mcpMessage{body: writtenAnew(message)}, nil
	}
	params, err := membersOf(message["params"], "name")
	if err != nil {
		return &mcpMessage{isCall: true, id: message["id"]}, nil
	}
	message["params"] = writtenAnew(params)
	return &mcpMessage{writtenAnew(message), true, textOf(params["name"]), message["id"]}, nil
}

// membersOf returns the members of an object, of two with one name the last. A struct of the handler would also take a member whose
// name differs from one of names in its case, and so another tool than was checked: that is an error.
func membersOf(text []byte, names ...string) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	if members == nil {
		return nil, errors.New("null")
	}
	for member := range members {
		for _, name := range names {
			if member != name && strings.EqualFold(member, name) {
				return nil, fmt.Errorf("%q is not %q", member, name)
			}
		}
	}
	return members, nil
}

func writtenAnew(members map[string]json.RawMessage) []byte {
	// Of members that were read from JSON.
	body, _ := json.Marshal(members)
	return body
}

func textOf(member json.RawMessage) string {
	var text string
	if json.Unmarshal(member, &text) != nil {
		return ""
	}
	return text
}

// withMessage is a request of which the message alone is left.
func withMessage(r *http.Request, message []byte) *http.Request {
	r.Body = http.NoBody
	r.ContentLength = int64(len(message))
	r.TransferEncoding = nil
	r.Header.Del("Content-Length")
	if message != nil {
		r.Body = io.NopCloser(bytes.NewReader(message))
		r.Header.Set("Content-Length", strconv.Itoa(len(message)))
	}
	return r
}

// rpcError is an answer of JSON-RPC in the handler's place.
type rpcError struct {
	status, code int
	message      string
	id           json.RawMessage
}

func (e *rpcError) write(w http.ResponseWriter) {
	id := e.id
	if id == nil {
		id = json.RawMessage("null")
	}
	body, _ := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": e.code, "message": e.message},
	})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	_, _ = w.Write(body)
}
