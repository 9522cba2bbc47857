package latchkey_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"latchkey.example/latchkey"
)

// The audience of the tokens of LATCHKEY_PUBLISHABLE_KEY.
const (
	resourceURL  = "https://mcp.example.com/mcp"
	metadataPath = "/.well-known/oauth-protected-resource/mcp"
	metadataURL  = "https://mcp.example.com" + metadataPath
)

func resourceOf(address string, scopes ...string) latchkey.Option {
	return latchkey.WithResource(latchkey.Resource{
		URL: address, AuthorizationServers: []string{"https://idp.example.com"}, Scopes: scopes,
	})
}

func userOfPublishableKey() http.Header {
	return http.Header{
		"X-Api-Key":     {os.Getenv("LATCHKEY_PUBLISHABLE_KEY")},
		"Authorization": {"Bearer " + os.Getenv("LATCHKEY_USER_TOKEN")},
	}
}

func TestGuardOfAResourceServesItsMetadataToAnyone(t *testing.T) {
	guard, err := latchkey.NewGuard(serviceURL, resourceOf(resourceURL, "conversations:read"))
	if err != nil {
		t.Fatal(err)
	}
	mounted := httptest.NewServer(guard.Metadata())
	defer mounted.Close()
	for _, address := range []string{guarded(t, serviceURL, require(), resourceOf(resourceURL, "conversations:read")).URL, mounted.URL} {
		response, body := get(t, address+metadataPath, http.Header{})
		expected := `{"resource":"https://mcp.example.com/mcp","authorization_servers":["https://idp.example.com"],"scopes_supported":["conversations:read"],"bearer_methods_supported":["header"]}`
		if response.StatusCode != http.StatusOK || body != expected || response.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("expected the metadata, got %d %s", response.StatusCode, body)
		}
		if response, _ := get(t, address+metadataPath+"/more", http.Header{}); response.StatusCode == http.StatusOK {
			t.Error("another path was served")
		}
	}
}

func TestGuardOfAResourceNamesItsMetadataAndAllScopes(t *testing.T) {
	server := guarded(t, serviceURL, require("conversations:read", "plans:read"), resourceOf(resourceURL))
	response, _ := get(t, server.URL, http.Header{})
	expected := fmt.Sprintf(`Bearer realm="latchkey", scope="conversations:read plans:read", resource_metadata=%q`, metadataURL)
	if got := response.Header.Get("WWW-Authenticate"); response.StatusCode != http.StatusUnauthorized || got != expected {
		t.Errorf("expected %s, got %s", expected, got)
	}
	key := http.Header{"X-Api-Key": {createKey(t, nil, "plans:read").GetKey()}}
	response, _ = get(t, server.URL, key)
	expected = fmt.Sprintf(`Bearer error="insufficient_scope", scope="conversations:read plans:read", resource_metadata=%q`, metadataURL)
	if got := response.Header.Get("WWW-Authenticate"); response.StatusCode != http.StatusForbidden || got != expected {
		t.Errorf("expected %s, got %s", expected, got)
	}
}

func TestGuardOfAResourceTakesTokensForItAlone(t *testing.T) {
	for _, address := range []string{resourceURL, "https://MCP.example.com:443/mcp"} {
		server := guarded(t, serviceURL, require("conversations:read"), resourceOf(address))
		if response, body := get(t, server.URL, userOfPublishableKey()); response.StatusCode != http.StatusOK {
			t.Errorf("%s: expected the user to pass, got %d %s", address, response.StatusCode, body)
		}
	}
	for _, address := range []string{"https://mcp.example.com", resourceURL + "/", resourceURL + "/more", "https://other.example.com/mcp"} {
		server := guarded(t, serviceURL, require("conversations:read"), resourceOf(address))
		response, body := get(t, server.URL, userOfPublishableKey())
		challenge := response.Header.Get("WWW-Authenticate")
		if response.StatusCode != http.StatusUnauthorized || !strings.Contains(body, `"reason":"jwt_invalid_audience"`) ||
			!strings.Contains(challenge, `error="invalid_token"`) || !strings.Contains(challenge, "resource_metadata=") {
			t.Errorf("%s: expected the audience to be rejected, got %d %s %s", address, response.StatusCode, body, challenge)
		}
	}
	server := guarded(t, serviceURL, require(), resourceOf(resourceURL))
	if response, body := get(t, server.URL, http.Header{"Authorization": {"Bearer abc"}}); !strings.Contains(body, "jwt_malformed") {
		t.Errorf("expected Latchkey's own answer, got %d %s", response.StatusCode, body)
	}
	// For the resource, with a signature that is none.
	if response, _ := get(t, server.URL, unsigned(t, map[string]any{"aud": resourceURL})); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("a forged token got %d", response.StatusCode)
	}
	secret := http.Header{"X-Api-Key": {createKey(t, nil, "plans:read").GetKey()}}
	if response, body := get(t, server.URL, secret); response.StatusCode != http.StatusOK {
		t.Errorf("expected a secret key to pass, got %d %s", response.StatusCode, body)
	}
}

func unsigned(t *testing.T, claims map[string]any) http.Header {
	t.Helper()
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	return http.Header{"Authorization": {"Bearer e30." + base64.RawURLEncoding.EncodeToString(payload) + ".c2ln"}}
}

func TestGuardOfAResourceAsksATokenForTheScopesThatItsIssuerGrants(t *testing.T) {
	// Admits everyone, so that only what the guard itself checks is left.
	admitting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"caller":"CALLER_DASHBOARD_USER","tenant_id":"ten_1","user_id":"u"}`))
	}))
	defer admitting.Close()
	server := guarded(t, admitting.URL, require("plans:read"), resourceOf(resourceURL, "plans:read"))
	for _, test := range []struct {
		claims map[string]any
		status int
	}{
		{map[string]any{"aud": []any{7, resourceURL}, "scope": "openid plans:read"}, http.StatusOK},
		{map[string]any{"aud": resourceURL, "scp": []string{"plans:*"}}, http.StatusOK},
		{map[string]any{"aud": resourceURL, "scope": "openid"}, http.StatusForbidden},
		{map[string]any{"aud": resourceURL}, http.StatusForbidden},
		{map[string]any{"AUD": resourceURL, "scope": "plans:read"}, http.StatusUnauthorized},
	} {
		if response, body := get(t, server.URL, unsigned(t, test.claims)); response.StatusCode != test.status {
			t.Errorf("%v: expected %d, got %d %s", test.claims, test.status, response.StatusCode, body)
		}
	}
	// Clients ask for the scopes of a challenge and no others: those of the token stay in it, as far as it can hold them.
	response, _ := get(t, server.URL, unsigned(t, map[string]any{
		"aud": resourceURL, "scope": "openid a\"b \u00e9", "scp": []string{"plans:write", "x\r\ny"},
	}))
	if got := response.Header.Get("WWW-Authenticate"); !strings.Contains(got, `scope="plans:read openid plans:write x y", resource_metadata`) {
		t.Errorf("the challenge has not the scopes of the token: %s", got)
	}
	for _, header := range []http.Header{{"Authorization": {"Bearer opaque"}}, {}, {"X-Api-Key": {"sk_x"}}} {
		if response, body := get(t, server.URL, header); response.StatusCode != http.StatusUnauthorized {
			t.Errorf("%v: what was not looked at was admitted: %d %s", header, response.StatusCode, body)
		}
	}
}

func TestGuardOfAResourceWithoutAPathIsThatOfItsRoot(t *testing.T) {
	admitting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"caller":"CALLER_DASHBOARD_USER","tenant_id":"ten_1","user_id":"u"}`))
	}))
	defer admitting.Close()
	for address, audience := range map[string]string{"https://mcp.example.com": "https://mcp.example.com/", "https://mcp.example.com/": "https://mcp.example.com"} {
		server := guarded(t, admitting.URL, require(), resourceOf(address))
		if response, body := get(t, server.URL, unsigned(t, map[string]any{"aud": audience})); response.StatusCode != http.StatusOK {
			t.Errorf("%s: a token for %s got %d %s", address, audience, response.StatusCode, body)
		}
	}
}

func TestNewGuardRejectsAWrongResource(t *testing.T) {
	issuers := []string{"https://idp.example.com"}
	for problem, resource := range map[string]latchkey.Resource{
		"Resource.URL must be a URL":                     {URL: "mcp.example.com", AuthorizationServers: issuers},
		"Resource.URL must begin with https://":          {URL: "http://mcp.example.com", AuthorizationServers: issuers},
		"Resource.URL must be without query":             {URL: resourceURL + "?x", AuthorizationServers: issuers},
		"Resource.AuthorizationServers must list":        {URL: resourceURL},
		"Resource.AuthorizationServers[0] must be a URL": {URL: resourceURL, AuthorizationServers: []string{"idp"}},
		"Resource.Scopes: ":                              {URL: resourceURL, AuthorizationServers: issuers, Scopes: []string{"plans:reed"}},
	} {
		_, err := latchkey.NewGuard("https://api.example.com", latchkey.WithResource(resource))
		if err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("expected %q, got %v", problem, err)
		}
	}
}
