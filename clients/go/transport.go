package latchkey

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"

	"connectrpc.com/connect"
)

const (
	advice = "is baseURL that of a Latchkey service?"
	// Far above any error of Latchkey's; what exceeds it is some other server's page.
	errorBytesMax = 65_536
)

// codesOfStatuses is what connect takes a status for that comes without a code.
var codesOfStatuses = map[int]connect.Code{
	http.StatusBadRequest:   connect.CodeInternal,
	http.StatusUnauthorized: connect.CodeUnauthenticated,
	http.StatusForbidden:    connect.CodePermissionDenied,
	http.StatusNotFound:     connect.CodeUnimplemented,
}

// transport follows no redirect, so credentials go only to baseURL, and keeps each answer's header for the attempt that it
// belongs to: connect drops that of a proxy's error.
type transport struct {
	base http.RoundTripper
}

type answerKey struct{}

func withTransport(client *http.Client) *http.Client {
	own := *client
	base := own.Transport
	if base == nil {
		base = http.DefaultTransport
	}
	own.Transport = transport{base}
	return &own
}

// expectAnswer returns a context for one attempt, and where the header of its answer will be.
func expectAnswer(ctx context.Context) (context.Context, *http.Header) {
	var header http.Header
	return context.WithValue(ctx, answerKey{}, &header), &header
}

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	response, err := t.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if kept, ok := req.Context().Value(answerKey{}).(*http.Header); ok {
		*kept = response.Header
	}
	if response.StatusCode < 300 || response.StatusCode >= 400 {
		return checkHost(response)
	}
	_ = response.Body.Close()
	target := ""
	// Without the path, where a login page's ticket may be.
	if location, err := response.Location(); err == nil {
		target = fmt.Sprintf(" to %s://%s", location.Scheme, location.Host)
	}
	// Without a code of its own, connect would take it for an outage.
	return nil, connect.NewError(connect.CodeUnknown, fmt.Errorf(
		"the answer is a redirect (%d%s), and none is followed: %s", response.StatusCode, target, advice))
}

// checkHost returns an error for an answer that another server than Latchkey, or a proxy of its, has given.
func checkHost(response *http.Response) (*http.Response, error) {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	isJSON := kind == "application/json"
	switch response.StatusCode {
	case http.StatusOK:
		if isJSON || kind == "application/proto" {
			return response, nil
		}
	default:
		if isProxyStatus(response.StatusCode) {
			return response, nil
		}
		if isJSON && response.Header.Get("Content-Encoding") != "" {
			return response, nil
		}
		if isJSON && hasCode(response) {
			return response, nil
		}
	}
	_ = response.Body.Close()
	code, ok := codesOfStatuses[response.StatusCode]
	if !ok {
		code = connect.CodeUnknown
	}
	return nil, connect.NewError(code, fmt.Errorf("%s answered with status %d and a response that is not from Latchkey; %s",
		response.Request.URL.Host, response.StatusCode, advice))
}

// isProxyStatus reports whether a status is one that a proxy answers of itself, while the service is away or the caller too quick.
func isProxyStatus(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// hasCode reports whether an error has the code that each of Latchkey's has. Its body can be read again.
func hasCode(response *http.Response) bool {
	text, err := io.ReadAll(io.LimitReader(response.Body, errorBytesMax))
	if err != nil {
		return false
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(text), response.Body), response.Body}
	var body struct {
		Code string `json:"code"`
	}
	return json.Unmarshal(text, &body) == nil && isErrorCode(body.Code)
}

// isErrorCode reports whether a text is the code of an error of Latchkey's. Other APIs have codes of their own, such as NOT_FOUND.
func isErrorCode(text string) bool {
	var code connect.Code
	return code.UnmarshalText([]byte(text)) == nil
}
