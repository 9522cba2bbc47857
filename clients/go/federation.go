package latchkey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"connectrpc.com/connect"
)

const (
	exchangeType = "urn:ietf:params:oauth:grant-type:token-exchange"
	jwtType      = "urn:ietf:params:oauth:token-type:jwt"
	// A token that is as near to its end may arrive too late.
	tokenMargin = 5 * time.Second
	// Longest time for one exchange, with the time for the assertion.
	exchangeTimeout = 60 * time.Second
	// Pause after an exchange that failed; it doubles up to the most.
	exchangePause    = time.Second
	exchangePauseMax = 60 * time.Second
)

var ruleForm = regexp.MustCompile(`^fed_[0-9a-f]{32}$`)

// Federation is a workload without any stored secret, such as a CI job or a pod, by the token that its own platform gives it.
//
// rule is the tenant's rule for the workload, fed_..., and assertion returns the workload's token. It is called before each
// exchange, and must return one that was not exchanged before. scopes are those of the tokens, among the rule's; without any they
// are all of them.
//
// One exchange serves all calls of the client. It holds the token only in memory, and renews it in the background of a call
// after two thirds of its life. While that fails, the one from before is used as long as it is valid.
func Federation(rule string, assertion TokenSource, scopes ...string) Credentials {
	if !ruleForm.MatchString(rule) {
		return Credentials{err: errors.New("rule must be the id of a federation rule, fed_...")}
	}
	if assertion == nil {
		return Credentials{err: errors.New("assertion is nil; it must return the workload's own token")}
	}
	for _, scope := range scopes {
		// The exchange reads an empty scope as none, and gives all that the rule has.
		if scope == "" || strings.ContainsAny(scope, " \t\r\n") {
			return Credentials{err: fmt.Errorf("scopes: %q is not a scope; leave it out for all of the rule's", scope)}
		}
	}
	return Credentials{federation: &federation{rule: rule, scopes: scopes, assertion: assertion}}
}

type federation struct {
	rule      string
	scopes    []string
	assertion TokenSource
	drop      func(token string)
}

// exchangedAt returns credentials whose tokens a service exchanges. Others stay as they are.
func (c Credentials) exchangedAt(base string, client *http.Client) Credentials {
	if c.federation == nil {
		return c
	}
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	exchange := &exchanger{federation: *c.federation, url: base + "/oauth/token", client: &own, now: time.Now}
	bound := *c.federation
	bound.drop = exchange.dropToken
	c.federation = &bound
	c.userToken = exchange.token
	return c
}

// dropDenied reports whether another attempt has another token: the one of this attempt was exchanged, and has expired or was
// revoked.
func (c Credentials) dropDenied(header http.Header, err error) bool {
	if c.federation == nil || !(IsDenial(err, ReasonJWTExpired) || IsDenial(err, ReasonTokenRevoked)) {
		return false
	}
	c.federation.drop(strings.TrimPrefix(header.Get("Authorization"), "Bearer "))
	return true
}

// exchanger gets tokens for a workload, once for all calls.
type exchanger struct {
	federation
	url    string
	client *http.Client
	now    func() time.Time

	mu          sync.Mutex
	held        *heldToken
	flight      *flight
	failures    int
	pausedUntil time.Time
}

type heldToken struct {
	token      string
	renew, end time.Time
}

// flight is one exchange. Its token and error are there once it is done.
type flight struct {
	done  chan struct{}
	token string
	err   error
}

func (e *exchanger) token(ctx context.Context) (string, error) {
	e.mu.Lock()
	now := e.now()
	if held := e.held; held != nil && now.Before(held.end.Add(-tokenMargin)) {
		// No call waits for it: after a failure comes a pause, and the error is that of a call without a token.
		if !now.Before(held.renew) && !now.Before(e.pausedUntil) {
			e.begin()
		}
		e.mu.Unlock()
		return held.token, nil
	}
	begun := e.begin()
	e.mu.Unlock()
	select {
	case <-begun.done:
		return begun.token, begun.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (e *exchanger) dropToken(token string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.held != nil && e.held.token == token {
		e.held = nil
	}
}

// begin returns the exchange that is under way, or begins one. The lock is held.
func (e *exchanger) begin() *flight {
	if e.flight == nil {
		e.flight = &flight{done: make(chan struct{})}
		go e.fly(e.flight)
	}
	return e.flight
}

func (e *exchanger) fly(own *flight) {
	// Of its own: it serves other calls than the one that began it.
	ctx, cancel := context.WithTimeout(context.Background(), exchangeTimeout)
	defer cancel()
	// Counted from before the exchange: the answer may take a while.
	start := e.now()
	token, life, err := e.exchange(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	own.token, own.err = token, err
	e.flight = nil
	if err == nil {
		e.held = &heldToken{token: token, renew: start.Add(life * 2 / 3), end: start.Add(life)}
		e.failures, e.pausedUntil = 0, time.Time{}
	} else {
		e.pausedUntil = e.now().Add(min(exchangePause<<min(e.failures, 6), exchangePauseMax))
		e.failures++
	}
	close(own.done)
}

func (e *exchanger) exchange(ctx context.Context) (string, time.Duration, error) {
	given, err := e.assertion(ctx)
	if err != nil {
		return "", 0, connect.NewError(connect.CodeUnauthenticated, fmt.Errorf("the workload's token could not be had: %w", err))
	}
	assertion := strings.TrimSpace(given)
	if assertion == "" {
		return "", 0, connect.NewError(connect.CodeUnauthenticated, errors.New("assertion returned no token"))
	}
	form := url.Values{"grant_type": {exchangeType}, "client_id": {e.rule}, "subject_token": {assertion}, "subject_token_type": {jwtType}}
	if len(e.scopes) > 0 {
		form.Set("scope", strings.Join(e.scopes, " "))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, connect.NewError(connect.CodeInternal, err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	setUserAgent(req.Header)
	response, err := e.client.Do(req)
	if err != nil {
		return "", 0, connect.NewError(connect.CodeUnavailable, fmt.Errorf("%s could not be reached to exchange a token: %w", req.URL.Host, err))
	}
	defer func() { _ = response.Body.Close() }()
	var answer exchangeAnswer
	if text, err := io.ReadAll(io.LimitReader(response.Body, errorBytesMax)); err != nil || json.Unmarshal(text, &answer) != nil {
		answer = exchangeAnswer{}
	}
	if response.StatusCode != http.StatusOK {
		return "", 0, answer.refusal(response.StatusCode, req.URL.Host)
	}
	if answer.AccessToken == "" || answer.ExpiresIn <= 0 {
		return "", 0, connect.NewError(connect.CodeUnknown, fmt.Errorf("%s answered the exchange without a token; %s", req.URL.Host, advice))
	}
	return answer.AccessToken, time.Duration(answer.ExpiresIn) * time.Second, nil
}

// exchangeAnswer is that of RFC 6749, 5.1 and 5.2.
type exchangeAnswer struct {
	AccessToken      string `json:"access_token"`
	ExpiresIn        int64  `json:"expires_in"`
	Error            string `json:"error"`
	ErrorDescription string `json:"error_description"`
	// Of an error that is not OAuth's.
	Code string `json:"code"`
}

func (a exchangeAnswer) refusal(status int, host string) error {
	code := connect.CodeInvalidArgument
	switch {
	case a.Error == "invalid_grant":
		code = connect.CodeUnauthenticated
	case a.Error == "invalid_scope":
		code = connect.CodePermissionDenied
	case a.Error == "temporarily_unavailable" || status >= http.StatusInternalServerError:
		code = connect.CodeUnavailable
	}
	said := fmt.Sprintf("%s answered with status %d", host, status)
	switch {
	case a.Error != "" && a.ErrorDescription != "":
		said = a.Error + ": " + a.ErrorDescription
	case !isErrorCode(a.Code) && !isProxyStatus(status):
		said += " and a response that is not from Latchkey; " + advice
	}
	return connect.NewError(code, fmt.Errorf("the workload's token was not exchanged: %s", said))
}
