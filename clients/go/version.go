package latchkey

import (
	"net/http"
	"strings"
)

// version is that of the service's release.
const version = "0.1.0"

// setUserAgent names the client, by which a service's operator sees which versions are in use. A caller's own name stays.
func setUserAgent(header http.Header) {
	if given := header.Get("User-Agent"); given == "" || strings.HasPrefix(given, "connect-go/") {
		header.Set("User-Agent", "latchkey-go/"+version)
	}
}
