package latchkey

import (
	"errors"
	"net"
	"net/url"
	"strings"
)

// checkedBaseURL returns the URL without a slash at its end. Its errors do not repeat the value, which may hold a password.
func checkedBaseURL(baseURL string, allowHTTP bool) (string, error) {
	parsed, err := url.Parse(strings.TrimSpace(baseURL))
	if err != nil || parsed.Host == "" || (parsed.Scheme != "https" && parsed.Scheme != "http") {
		return "", errors.New("baseURL must be a URL that begins with https://, such as https://api.example.com")
	}
	if parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
		return "", errors.New("baseURL must be without user name, password, query and fragment, such as https://api.example.com")
	}
	base := strings.TrimRight(parsed.String(), "/")
	if strings.HasSuffix(base, "/api/v1") {
		return "", errors.New("baseURL must be without /api/v1, such as https://api.example.com")
	}
	if parsed.Scheme == "http" && !allowHTTP && !isLoopback(parsed.Hostname()) {
		return "", errors.New("baseURL must begin with https://, since credentials would be sent in the clear; in a private network use WithInsecureHTTP")
	}
	return base, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}
