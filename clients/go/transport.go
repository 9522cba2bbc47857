package latchkey

import (
	"context"
	"fmt"
	"net/http"

	"connectrpc.com/connect"
)

// transport follows no redirect, so credentials go to baseURL alone, and keeps each answer's header for the attempt that it
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
		return response, nil
	}
	_ = response.Body.Close()
	target := ""
	// Without the path, where a login page's ticket may be.
	if location, err := response.Location(); err == nil {
		target = fmt.Sprintf(" to %s://%s", location.Scheme, location.Host)
	}
	// Without a code of its own, connect would take it for an outage.
	return nil, connect.NewError(connect.CodeUnknown, fmt.Errorf(
		"the answer is a redirect (%d%s), and none is followed: is baseURL that of a Latchkey service?", response.StatusCode, target))
}
