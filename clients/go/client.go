package latchkey

import (
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"connectrpc.com/connect"
	"latchkey.example/latchkey/gen/latchkey/v1/latchkeyv1connect"
)

// Client is one caller of Latchkey. It shares the connections of its http.Client, so one for each user that a backend acts
// for costs nothing. It is safe for concurrent use.
//
// Calls return errors of connect; [DenialOf] has the reason of a denial.
type Client struct {
	// Dashboard users only.
	APIKeys latchkeyv1connect.ApiKeyServiceClient
	Audit   latchkeyv1connect.AuditServiceClient
	Auth    latchkeyv1connect.AuthServiceClient
	// Rules by which workloads get tokens without any stored secret.
	Federation latchkeyv1connect.FederationServiceClient
	Gateway    latchkeyv1connect.GatewayServiceClient
	// Dashboard users only.
	KeyPolicies latchkeyv1connect.KeyPolicyServiceClient
	// Needs no credentials.
	Leaks latchkeyv1connect.LeakServiceClient
	// Dashboard users only.
	Orgs     latchkeyv1connect.OrgServiceClient
	Requests latchkeyv1connect.RequestServiceClient
	Scopes   latchkeyv1connect.ScopeServiceClient
	// Access tokens with some of a key's permissions; DeriveToken is for secret keys.
	Tokens latchkeyv1connect.TokenServiceClient
	// Dashboard users only.
	Usage    latchkeyv1connect.UsageServiceClient
	Webhooks latchkeyv1connect.WebhookServiceClient
	// For those who run the service: the operator, or a dashboard user with system:*.
	Operator latchkeyv1connect.OperatorServiceClient
}

// Option changes how a client or a guard calls Latchkey.
type Option func(*options)

type options struct {
	httpClient   *http.Client
	timeout      time.Duration
	insecureHTTP bool
	retry        retryOptions
	onError      func(error)
	ownScopes    []string
}

const (
	clientTimeout = 60 * time.Second
	guardTimeout  = 2 * time.Second
)

// WithHTTPClient sets what makes the requests, such as one with a proxy or a transport of its own. No redirect is
// followed. Default: http.DefaultClient.
func WithHTTPClient(client *http.Client) Option {
	return func(o *options) { o.httpClient = client }
}

// WithTimeout sets the longest time for one call with all its attempts. Default: 60 s, of a guard 2 s.
func WithTimeout(timeout time.Duration) Option {
	return func(o *options) { o.timeout = timeout }
}

// WithInsecureHTTP allows a base URL that begins with http:// beyond this machine, as in a private network. Credentials are
// then sent in the clear.
func WithInsecureHTTP() Option {
	return func(o *options) { o.insecureHTTP = true }
}

// WithRetries sets the most attempts at one call of a client, the first included, and the longest pause between two: an
// error with a longer Retry-After is returned at once. 1 never repeats. Default: 3 and 30 s.
func WithRetries(attemptsMax int, pauseMax time.Duration) Option {
	return func(o *options) { o.retry = retryOptions{attemptsMax: attemptsMax, pauseMax: pauseMax} }
}

// WithOwnScopes names the platform's own scopes, those of Latchkey's SCOPES_FILE, for a guard that requires them. List scopes
// here that are built into a Latchkey newer than this package, too.
func WithOwnScopes(scopes ...string) Option {
	return func(o *options) { o.ownScopes = scopes }
}

// WithErrorLog is called by a guard with the reason why credentials could not be checked; the caller only gets 503. Default:
// the first reason goes to slog.Default, and no later one.
func WithErrorLog(onError func(error)) Option {
	return func(o *options) { o.onError = onError }
}

// New makes a client of the Latchkey at baseURL, which is without the API's path: https://api.example.com. It must begin
// with https://, but on this machine. The error names an argument with which no call could succeed.
func New(baseURL string, credentials Credentials, opts ...Option) (*Client, error) {
	o := optionsOf(clientTimeout, opts)
	if credentials.err != nil {
		return nil, credentials.err
	}
	if credentials.key == nil && credentials.userToken == nil && credentials.federation == nil {
		return nil, errors.New("credentials are empty; make them by SecretKey, PublishableKey, UserToken or Federation")
	}
	base, err := o.checkedBaseURL(baseURL)
	if err != nil {
		return nil, err
	}
	http := withTransport(o.httpClient)
	attempts := connect.WithInterceptors(o.attempts(credentials.exchangedAt(base, o.httpClient)))
	return &Client{
		APIKeys:     latchkeyv1connect.NewApiKeyServiceClient(http, base, attempts),
		Audit:       latchkeyv1connect.NewAuditServiceClient(http, base, attempts),
		Auth:        latchkeyv1connect.NewAuthServiceClient(http, base, attempts),
		Federation:  latchkeyv1connect.NewFederationServiceClient(http, base, attempts),
		Gateway:     gateway{latchkeyv1connect.NewGatewayServiceClient(http, base, attempts)},
		KeyPolicies: latchkeyv1connect.NewKeyPolicyServiceClient(http, base, attempts),
		Leaks:       latchkeyv1connect.NewLeakServiceClient(http, base, attempts),
		Orgs:        latchkeyv1connect.NewOrgServiceClient(http, base, attempts),
		Requests:    latchkeyv1connect.NewRequestServiceClient(http, base, attempts),
		Scopes:      latchkeyv1connect.NewScopeServiceClient(http, base, attempts),
		Tokens:      latchkeyv1connect.NewTokenServiceClient(http, base, attempts),
		Usage:       latchkeyv1connect.NewUsageServiceClient(http, base, attempts),
		Webhooks:    latchkeyv1connect.NewWebhookServiceClient(http, base, attempts),
		Operator:    latchkeyv1connect.NewOperatorServiceClient(http, base, attempts),
	}, nil
}

func optionsOf(timeout time.Duration, opts []Option) options {
	o := options{
		httpClient: http.DefaultClient,
		timeout:    timeout,
		retry:      retryOptions{attemptsMax: 3, pauseMax: 30 * time.Second},
	}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

func (o options) checkedBaseURL(baseURL string) (string, error) {
	switch {
	case o.httpClient == nil:
		return "", errors.New("WithHTTPClient: client is nil")
	case o.timeout <= 0:
		return "", errors.New("WithTimeout: timeout must be above 0")
	case o.retry.attemptsMax < 1:
		return "", errors.New("WithRetries: attemptsMax must be at least 1")
	}
	if err := checkOwnScopes(o.ownScopes); err != nil {
		return "", err
	}
	return checkedBaseURL(baseURL, o.insecureHTTP)
}

// reporter returns the receiver of a guard's reasons. Without a line in a log, a guard that can admit no caller would be a riddle.
func (o options) reporter() func(error) {
	if o.onError != nil {
		return o.onError
	}
	var once sync.Once
	return func(err error) {
		once.Do(func() {
			slog.Error("latchkey: credentials could not be checked; only the first reason is logged, see WithErrorLog", "error", err)
		})
	}
}
