package latchkey

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Resource is the guarded service as an OAuth 2.0 resource (RFC 9728, RFC 8707), such as an MCP server.
type Resource struct {
	// URL is as clients call it, https://mcp.example.com/mcp, without user name, password, query and fragment. It begins with
	// https://, but on this machine or with WithInsecureHTTP. A token must have it in its aud, compared as URLs are: scheme and host
	// in lower case, without the default port, and the path exactly.
	URL string
	// AuthorizationServers are the issuers that give tokens for it, at least one.
	AuthorizationServers []string
	// Scopes are those that these issuers grant for it. Of them, a token without an API key must have in its scope or scp what a
	// request needs, besides the rights of its user. Without any, only the user's rights decide.
	Scopes []string
}

// WithResource makes a guard that of a resource: it serves the metadata to anyone, names that in its challenges, and rejects
// tokens whose aud is another. Where a router keeps requests from the guard, mount [Guard.Metadata].
func WithResource(resource Resource) Option {
	return func(o *options) { o.resource = &resource }
}

// Metadata serves the metadata of the guard's resource at its path, and 404 elsewhere. It panics for a guard without one.
func (g *Guard) Metadata() http.Handler {
	if g.resource == nil {
		panic("latchkey: the guard has no resource whose metadata it could serve")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.resource.serve(w, r) {
			http.NotFound(w, r)
		}
	})
}

// checkedResource is a resource whose members are checked.
type checkedResource struct {
	id, path, metadataURL string
	scopes                []string
	document              []byte
}

// tokenUse is which token a request counts on.
type tokenUse int

const (
	// A secret key counts on none.
	noToken tokenUse = iota
	// Of a publishable key's user, whose rights are those of the key.
	tokenOfKey
	tokenForResource
	tokenForOther
	unknownToken
)

const (
	wellKnown     = "/.well-known/oauth-protected-resource"
	realm         = `Bearer realm="latchkey"`
	otherAudience = "The user token's aud claim does not name this resource; have the client ask for a token with this resource's URL as its resource parameter."
)

var (
	bearerForm     = regexp.MustCompile(`(?i)^Bearer[ \t]+([^\s,]+)$`)
	scopeAttribute = regexp.MustCompile(`, scope="[^"]*"`)
	// RFC 6749, 3.3.
	tokenScope = regexp.MustCompile(`^[\x21\x23-\x5b\x5d-\x7e]+$`)
)

func (o *options) checkedResource() (*checkedResource, error) {
	if o.resource == nil {
		return nil, nil
	}
	address, err := o.checkedResourceURL(o.resource.URL, "URL")
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(o.resource.URL, "?#") {
		return nil, errors.New("Resource.URL must be without query and fragment")
	}
	if len(o.resource.AuthorizationServers) == 0 {
		return nil, errors.New("Resource.AuthorizationServers must list at least one issuer, such as https://idp.example.com")
	}
	for index, server := range o.resource.AuthorizationServers {
		if _, err := o.checkedResourceURL(server, fmt.Sprintf("AuthorizationServers[%d]", index)); err != nil {
			return nil, err
		}
	}
	for _, scope := range o.resource.Scopes {
		if err := checkScope(scope, o.ownScopes); err != nil {
			return nil, fmt.Errorf("Resource.Scopes: %w", err)
		}
	}
	document, err := json.Marshal(struct {
		// As it was written: clients send it to the issuer, which may compare it as text.
		Resource               string   `json:"resource"`
		AuthorizationServers   []string `json:"authorization_servers"`
		ScopesSupported        []string `json:"scopes_supported,omitempty"`
		BearerMethodsSupported []string `json:"bearer_methods_supported"`
	}{strings.TrimSpace(o.resource.URL), o.resource.AuthorizationServers, o.resource.Scopes, []string{"header"}})
	if err != nil {
		return nil, err
	}
	path := wellKnown
	if address.EscapedPath() != "/" {
		path += address.EscapedPath()
	}
	origin := address.Scheme + "://" + address.Host
	return &checkedResource{address.String(), path, origin + path, slices.Clone(o.resource.Scopes), document}, nil
}

func (o *options) checkedResourceURL(text, member string) (*url.URL, error) {
	address := comparedURL(text)
	if address == nil || (address.Scheme != "https" && address.Scheme != "http") || address.User != nil {
		return nil, fmt.Errorf("Resource.%s must be a URL that begins with https://, without user name and password", member)
	}
	if address.Scheme == "http" && !o.insecureHTTP && !isLoopback(address.Hostname()) {
		return nil, fmt.Errorf("Resource.%s must begin with https://; in a private network use WithInsecureHTTP", member)
	}
	return address, nil
}

// comparedURL returns a URL in lower case as far as its case means nothing, without the default port. nil: not a URL with a host.
func comparedURL(text string) *url.URL {
	address, err := url.Parse(strings.TrimSpace(text))
	if err != nil || address.Hostname() == "" {
		return nil
	}
	address.Host = strings.ToLower(address.Host)
	if host, port, err := net.SplitHostPort(address.Host); err == nil &&
		((address.Scheme == "https" && port == "443") || (address.Scheme == "http" && port == "80")) {
		address.Host = host
		if strings.Contains(host, ":") {
			address.Host = "[" + host + "]"
		}
	}
	if address.Path == "" {
		address.Path = "/"
	}
	return address
}

// serve answers a request for the metadata; false: it is another request.
func (c *checkedResource) serve(w http.ResponseWriter, r *http.Request) bool {
	if c == nil || r.URL.EscapedPath() != c.path {
		return false
	}
	// It is public: pages of any origin may read it.
	w.Header().Set("Access-Control-Allow-Origin", "*")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "max-age=3600")
		_, _ = w.Write(c.document)
	case http.MethodOptions:
		w.Header().Set("Access-Control-Allow-Headers", "*")
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
	return true
}

func (c *checkedResource) tokenUse(header http.Header) tokenUse {
	keys := header.Values("X-Api-Key")
	if len(keys) > 0 && !strings.HasPrefix(keys[0], "pk_") || len(keys) == 0 && len(header.Values("Authorization")) == 0 {
		return noToken
	}
	claims, ok := claimsOf(header)
	if !ok {
		return unknownToken
	}
	if !slices.ContainsFunc(textsOf(claims["aud"]), func(audience string) bool {
		address := comparedURL(audience)
		return address != nil && address.String() == c.id
	}) {
		return tokenForOther
	}
	if len(keys) > 0 {
		return tokenOfKey
	}
	return tokenForResource
}

// lackedScope returns the first scope of the resource that is asked for and not in the request's token; else it is empty.
func (c *checkedResource) lackedScope(header http.Header, asked []string) string {
	held := tokenScopes(header)
	for _, scope := range asked {
		if slices.Contains(c.scopes, scope) && !slices.ContainsFunc(held, func(one string) bool { return grants(one, scope) }) {
			return scope
		}
	}
	return ""
}

// tokenScopes returns the scopes of the request's token.
func tokenScopes(header http.Header) []string {
	claims, _ := claimsOf(header)
	return strings.Fields(strings.Join(append(textsOf(claims["scope"]), textsOf(claims["scp"])...), " "))
}

func grants(held, scope string) bool {
	domain, isWildcard := strings.CutSuffix(held, ":*")
	return held == "*" || held == scope || isWildcard && strings.HasPrefix(scope, domain+":")
}

// challenged adds what clients need to a challenge: where the metadata is, and all scopes of the operation, so that one more
// authorization is enough (RFC 9728, 5.1; RFC 6750, 3). Where the request's token lacks one, those that it has come with them: clients
// ask for exactly these, and a token without the earlier ones would lack them at the next call.
func (c *checkedResource) challenged(denial *Verdict, scopes []string, header http.Header) *Verdict {
	given := denial.Header.Get("WWW-Authenticate")
	if given == "" {
		if denial.Status != http.StatusUnauthorized {
			return denial
		}
		given = realm
	}
	if len(scopes) > 0 {
		// A request with a key counts on no scope of a token.
		if denial.Status == http.StatusForbidden && len(header.Values("X-Api-Key")) == 0 {
			scopes = slices.Clone(scopes)
			for _, scope := range tokenScopes(header) {
				if tokenScope.MatchString(scope) && !slices.Contains(scopes, scope) {
					scopes = append(scopes, scope)
				}
			}
		}
		given = scopeAttribute.ReplaceAllString(given, "") + fmt.Sprintf(", scope=%q", strings.Join(scopes, " "))
	}
	denial.Header.Set("WWW-Authenticate", fmt.Sprintf("%s, resource_metadata=%q", given, c.metadataURL))
	return denial
}

// decide returns what ask does, unless the request's token is not for the resource or lacks one of its scopes.
func (c *checkedResource) decide(header http.Header, scopes []string, ask func() (*Verdict, error)) (*Verdict, error) {
	if c == nil {
		return ask()
	}
	use := c.tokenUse(header)
	// Latchkey would accept any audience of its configuration. The request spends nothing.
	if use == tokenForOther {
		return c.challenged(wrongAudience(), scopes, header), nil
	}
	decided, err := ask()
	if err != nil {
		return nil, err
	}
	if decided.Caller == nil {
		return c.challenged(decided, scopes, header), nil
	}
	// Admitted by a token that only Latchkey can read, or that was not looked at.
	if use == unknownToken || use == noToken && decided.Caller.Kind != SecretKeyCaller {
		return c.challenged(wrongAudience(), scopes, header), nil
	}
	if use != tokenForResource {
		return decided, nil
	}
	if lacked := c.lackedScope(header, scopes); lacked != "" {
		message := fmt.Sprintf("This token was not granted the scope %s; have the client ask the user for it.", lacked)
		denial := denialOf(http.StatusForbidden, "permission_denied", "insufficient_scope", message, `Bearer error="insufficient_scope"`)
		return c.challenged(denial, scopes, header), nil
	}
	return decided, nil
}

func wrongAudience() *Verdict {
	description, _, _ := strings.Cut(otherAudience, ";")
	challenge := fmt.Sprintf(`%s, error="invalid_token", error_description=%q`, realm, description)
	return denialOf(http.StatusUnauthorized, "unauthenticated", "jwt_invalid_audience", otherAudience, challenge)
}

// denialOf is a denial in the form of Latchkey's own.
func denialOf(status int, code, reason, sentence, challenge string) *Verdict {
	body, _ := json.Marshal(map[string]string{
		"code": code, "message": sentence, "reason": reason, "denial_reason": reason,
	})
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("WWW-Authenticate", challenge)
	return &Verdict{Status: status, Header: header, Body: body}
}

// claimsOf returns what a bearer token says of itself; false: it cannot be read. It is not verified here: Latchkey does that. The
// names of a map are compared exactly, as Latchkey does, and those of a struct would not be.
func claimsOf(header http.Header) (map[string]json.RawMessage, bool) {
	values := header.Values("Authorization")
	if len(values) != 1 {
		return nil, false
	}
	match := bearerForm.FindStringSubmatch(strings.TrimSpace(values[0]))
	if match == nil || strings.Count(match[1], ".") != 2 {
		return nil, false
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(match[1], ".")[1])
	if err != nil {
		return nil, false
	}
	var claims map[string]json.RawMessage
	if json.Unmarshal(payload, &claims) != nil {
		return nil, false
	}
	return claims, claims != nil
}

// textsOf returns the texts of a claim that is a text or a list.
func textsOf(claim json.RawMessage) []string {
	var text string
	if json.Unmarshal(claim, &text) == nil {
		return []string{text}
	}
	var list []any
	if json.Unmarshal(claim, &list) != nil {
		return nil
	}
	texts := []string{}
	for _, one := range list {
		if text, ok := one.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}
