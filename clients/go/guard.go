package latchkey

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	latchkeyv1 "latchkey.example/latchkey/gen/latchkey/v1"
)

// Caller is who is calling, as Latchkey verified it.
type Caller struct {
	Kind     CallerKind
	TenantID string
	// Begins with key_; empty for a dashboard user.
	KeyID string
	// The token's user, or the one a secret key acts for; empty without a user.
	UserID string
	// What the caller may do: scopes and wildcards of the API key, or of the dashboard user's roles.
	Permissions []string
	// The user a secret key acts for, by X-On-Behalf-Of or by a token with that user; empty if it does not.
	ActingFor string
	// Begins with tok_, if a token that stands for the secret key was sent; empty otherwise.
	TokenID string
	// The tenant's own identifier for what the key belongs to; empty if the key has none.
	ExternalID string
	// The tenant's data of the key; nil without any. All requests have values of their own.
	Metadata map[string]any
}

// CallerKind is what credentials a caller has.
type CallerKind string

const (
	DashboardUser        CallerKind = "dashboard_user"
	SecretKeyCaller      CallerKind = "secret_key"
	PublishableKeyCaller CallerKind = "publishable_key"
)

var callerKinds = map[latchkeyv1.Caller]CallerKind{
	latchkeyv1.Caller_CALLER_DASHBOARD_USER:  DashboardUser,
	latchkeyv1.Caller_CALLER_SECRET_KEY:      SecretKeyCaller,
	latchkeyv1.Caller_CALLER_PUBLISHABLE_KEY: PublishableKeyCaller,
}

// Guard keeps requests from handlers until Latchkey has admitted them.
//
// Each request's X-API-Key, Authorization and X-On-Behalf-Of are put to Latchkey's Verify, which spends one request of the
// key's limit. So are its address, Origin and Sec-Fetch-Site, for keys that may be used only from some places; name the
// guarded service in Latchkey's TRUSTED_PROXIES.
type Guard struct {
	url     string
	client  *http.Client
	timeout time.Duration
	onError func(error)
	own     []string
	cost    int32
}

type callerKey struct{}

const (
	costMax = 1_000
	// Far above any answer of Latchkey's; what exceeds it is some other server's page.
	answerBytesMax = 65_536
	unverified     = `{"code":"unavailable","message":"The credentials could not be checked just now: they are neither accepted nor refused. Retry.","reason":"verifier_error"}`
)

var (
	// Headers that a proxy in front may have from Latchkey, and that any client can write. Some frameworks read both alike.
	claimForm = regexp.MustCompile(`(?i)^x[-_]auth[-_]`)
	// At the end of a message. It leads nowhere on the host of the guarded service.
	relativeLink   = regexp.MustCompile(` See /docs/errors#\w+"`)
	checkedHeaders = []string{"X-Api-Key", "Authorization", "X-On-Behalf-Of", "Origin", "Sec-Fetch-Site"}
	// By the id of its request, Latchkey's requests/explain finds the decision.
	answerHeaders = []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After", "X-Request-Id"}
	denialHeaders = append([]string{"Content-Type", "WWW-Authenticate"}, answerHeaders...)
	// Statuses by which Latchkey denies. Its own faults and those of servers between are not a verdict.
	denialStatuses = []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests}
)

// NewGuard makes a guard that asks the Latchkey at baseURL, such as https://api.example.com.
func NewGuard(baseURL string, opts ...Option) (*Guard, error) {
	o := optionsOf(guardTimeout, opts)
	base, err := o.checkedBaseURL(baseURL)
	if err != nil {
		return nil, err
	}
	return &Guard{
		url:     base + "/api/v1/auth/verify",
		client:  withTransport(o.httpClient),
		timeout: o.timeout,
		onError: o.reporter(),
		own:     o.ownScopes,
		cost:    1,
	}, nil
}

// Cost returns a guard whose requests count as so many of the key's limit each, 1 to 1,000. It panics for another number,
// so that a mistake shows when the service starts.
func (g *Guard) Cost(cost int) *Guard {
	if cost < 1 || cost > costMax {
		panic(fmt.Sprintf("latchkey: cost must be from 1 to %d, not %d", costMax, cost))
	}
	costly := *g
	costly.cost = int32(cost)
	return &costly
}

// Require returns middleware that lets a request pass if its caller has all the scopes, such as "plans:read"; without any,
// every valid caller. [CallerFrom] returns the caller of a request that passed.
//
// A denied request gets Latchkey's own status, body and limit headers. Where Latchkey gives no verdict in time, the answer is
// 503 and the handler does not run; [WithErrorLog] gets the reason. X-Auth-* headers of a request are removed.
//
// It panics for a scope that Latchkey does not have, a wildcard among them: one that is neither built in nor of [WithOwnScopes].
// So a mistake shows when the service starts.
func (g *Guard) Require(scopes ...string) func(http.Handler) http.Handler {
	if err := g.checkScopes(scopes); err != nil {
		panic("latchkey: " + err.Error())
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if caller := g.decided(w, r, scopes); caller != nil {
				next.ServeHTTP(w, admitted(r, *caller))
			}
		})
	}
}

func (g *Guard) checkScopes(scopes []string) error {
	for _, scope := range scopes {
		if err := checkScope(scope, g.own); err != nil {
			return err
		}
	}
	return nil
}

// Verdict is what was decided about a request.
type Verdict struct {
	// nil: the request is denied.
	Caller *Caller
	// The response to a denied request.
	Status int
	Body   []byte
	// For the answer to the request: the limit of its key, X-Request-Id, by which Latchkey knows the decision, and what a denial has
	// besides.
	Header http.Header
}

// Check decides on one request, for a framework that has no guard here: by its header, and by the address of its connection, with or
// without a port; empty if that is not known. Answer a denied request as the [Verdict] says, and add the header of an admitted one to
// its answer. Remove X-Auth-* headers of the request if anything reads them.
//
// Where Latchkey gives no verdict in time, the request is denied with 503. The error is about a scope that Latchkey does not have.
func (g *Guard) Check(ctx context.Context, header http.Header, remoteAddr string, scopes ...string) (Verdict, error) {
	if err := g.checkScopes(scopes); err != nil {
		return Verdict{}, err
	}
	return *g.check(ctx, header, remoteAddr, scopes), nil
}

func (g *Guard) check(ctx context.Context, header http.Header, remoteAddr string, scopes []string) *Verdict {
	verdict, err := g.verify(ctx, header, remoteAddr, scopes)
	if err == nil {
		return verdict
	}
	// A caller that is gone is not a failure.
	if ctx.Err() == nil {
		g.onError(err)
	}
	return &Verdict{
		Status: http.StatusServiceUnavailable,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   []byte(unverified),
	}
}

// decided returns the caller of a request that may pass, with the verdict's header on the answer; nil: the request was answered.
func (g *Guard) decided(w http.ResponseWriter, r *http.Request, scopes []string) *Caller {
	verdict := g.check(r.Context(), r.Header, r.RemoteAddr, scopes)
	for name, values := range verdict.Header {
		// An id of the service's own stays: its log has that one.
		if verdict.Caller == nil || name != "X-Request-Id" || w.Header().Get(name) == "" {
			w.Header()[name] = values
		}
	}
	if verdict.Caller == nil {
		w.WriteHeader(verdict.Status)
		_, _ = w.Write(verdict.Body)
	}
	return verdict.Caller
}

// admitted is a request as its handler gets it: with its caller, and without X-Auth-*.
func admitted(r *http.Request, caller Caller) *http.Request {
	request := r.Clone(ContextWithCaller(r.Context(), caller))
	for name := range request.Header {
		if claimForm.MatchString(name) {
			delete(request.Header, name)
		}
	}
	return request
}

// CallerFrom returns the caller of a request that a guard let pass, of the request's context; false where none did.
func CallerFrom(ctx context.Context) (Caller, bool) {
	caller, ok := ctx.Value(callerKey{}).(Caller)
	return caller, ok
}

// ContextWithCaller returns a context that has the caller for [CallerFrom], after [Guard.Check] and in tests of handlers.
func ContextWithCaller(ctx context.Context, caller Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// verify returns an error for every answer that is not a decision of Latchkey's.
func (g *Guard) verify(ctx context.Context, header http.Header, remoteAddr string, scopes []string) (*Verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	body, err := protojson.Marshal(&latchkeyv1.VerifyRequest{Scopes: scopes, Cost: &g.cost})
	if err != nil {
		return nil, err
	}
	question, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	question.Header = questionHeader(header, remoteAddr)
	response, err := g.client.Do(question)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, answerBytesMax+1))
	if err != nil {
		return nil, err
	}
	if len(answer) > answerBytesMax {
		return nil, errors.New("the answer is not a verdict: it is too long; " + advice)
	}
	decided, err := toVerdict(response, answer)
	// Of credentials, only X-On-Behalf-Of gets 400. All else is the guard's own question, such as an unknown scope.
	if err == nil && response.StatusCode == http.StatusBadRequest && header.Get("X-On-Behalf-Of") == "" {
		return nil, fmt.Errorf("the guard's question is wrong: %s", answer)
	}
	return decided, err
}

func toVerdict(response *http.Response, answer []byte) (*Verdict, error) {
	if response.StatusCode == http.StatusOK {
		caller, err := toCaller(answer)
		if err != nil {
			return nil, err
		}
		return &Verdict{Caller: caller, Status: http.StatusOK, Header: pick(response.Header, answerHeaders)}, nil
	}
	if !isDenialBody(response.StatusCode, answer) {
		return nil, fmt.Errorf("the answer is not a verdict: its status is %d; %s", response.StatusCode, advice)
	}
	return &Verdict{Status: response.StatusCode, Header: pick(response.Header, denialHeaders), Body: relativeLink.ReplaceAll(answer, []byte(`"`))}, nil
}

func toCaller(answer []byte) (*Caller, error) {
	var verified latchkeyv1.VerifyResponse
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(answer, &verified); err != nil {
		return nil, fmt.Errorf("the answer is not a verdict; %s %w", advice, err)
	}
	kind, ok := callerKinds[verified.GetCaller()]
	if !ok || verified.GetTenantId() == "" {
		return nil, errors.New("the answer is not a verdict: it names no caller that is known here; " + advice)
	}
	return &Caller{
		Kind:        kind,
		TenantID:    verified.GetTenantId(),
		KeyID:       verified.GetKeyId(),
		UserID:      verified.GetUserId(),
		Permissions: verified.GetPermissions(),
		ActingFor:   verified.GetActingFor(),
		TokenID:     verified.GetTokenId(),
		ExternalID:  verified.GetExternalId(),
		Metadata:    metadataOf(&verified),
	}, nil
}

func metadataOf(verified *latchkeyv1.VerifyResponse) map[string]any {
	if verified.GetMetadata() == nil {
		return nil
	}
	return verified.GetMetadata().AsMap()
}

func isDenialBody(status int, answer []byte) bool {
	var body struct {
		Code         string `json:"code"`
		DenialReason string `json:"denial_reason"`
	}
	if json.Unmarshal(answer, &body) != nil {
		return false
	}
	if body.DenialReason != "" {
		return status >= http.StatusBadRequest
	}
	return isErrorCode(body.Code) && slices.Contains(denialStatuses, status)
}

// questionHeader has what Latchkey checks of a request, as it came: two values stay two, which Latchkey rejects. After the
// addresses that proxies have written it has that of the connection, as a proxy adds it.
func questionHeader(request http.Header, remoteAddr string) http.Header {
	header := pick(request, checkedHeaders)
	header.Set("Content-Type", "application/json")
	setUserAgent(header)
	host, _, err := net.SplitHostPort(remoteAddr)
	if err != nil {
		host = remoteAddr
	}
	address, _, _ := strings.Cut(host, "%")
	if net.ParseIP(address) == nil {
		// A client could have written what would then be last.
		return header
	}
	header["X-Forwarded-For"] = append(slices.Clone(request.Values("X-Forwarded-For")), address)
	if forwarded := request.Values("Forwarded"); len(forwarded) > 0 {
		// A proxy that reads this one alone would else see a chain that lacks its end.
		if strings.Contains(address, ":") {
			address = `"[` + address + `]"`
		}
		header["Forwarded"] = append(slices.Clone(forwarded), "for="+address)
	}
	return header
}

func pick(header http.Header, names []string) http.Header {
	picked := http.Header{}
	for _, name := range names {
		if values := header.Values(name); len(values) > 0 {
			picked[http.CanonicalHeaderKey(name)] = slices.Clone(values)
		}
	}
	return picked
}
