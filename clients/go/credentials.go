package latchkey

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"connectrpc.com/connect"
)

// TokenSource returns the user's current token, without "Bearer ".
//
// It is called before every attempt of every call, so that a token that was refreshed meanwhile is the one that is sent:
// let it cache. Its error fails the call.
type TokenSource func(ctx context.Context) (string, error)

// Credentials are those of one caller, made by [SecretKey], [PublishableKey], [UserToken] or [Federation]. No verb of fmt prints a
// secret of them.
type Credentials struct {
	// A closure, since fmt prints the strings of a nested struct without calling its methods.
	key        func() string
	userToken  TokenSource
	federation *federation
	onBehalfOf string
	err        error
}

var (
	// Characters of a key or a token. An error about any other would repeat the value.
	secretForm = regexp.MustCompile(`^[\x21-\x7e]+$`)
	// No controls, halves of surrogate pairs or commas. The service is stricter.
	userIDForm = regexp.MustCompile(`^[^\p{Cc},]+$`)
)

const userIDCharsMax = 256

// SecretKey is a customer's backend, for its tenant. Never put a secret key in an app, whose users can read it.
func SecretKey(key string) Credentials {
	return keyed(key, "sk_", nil)
}

// PublishableKey is a client app: the publishable key, which is public, together with the token of the app's own user.
func PublishableKey(key string, userToken TokenSource) Credentials {
	if userToken == nil {
		return Credentials{err: errors.New("a publishable key (pk_...) needs its user's token beside it: userToken is nil")}
	}
	return keyed(key, "pk_", userToken)
}

// UserToken is a dashboard user, with the operator's token the operator of the service, or with one that [Client.Tokens] derived
// a job or an agent that has less than a key.
func UserToken(userToken TokenSource) Credentials {
	if userToken == nil {
		return Credentials{err: errors.New("userToken is nil")}
	}
	return Credentials{userToken: userToken}
}

// OnBehalfOf returns the credentials of a secret key that acts for one user, 1 to 256 printable characters. The key needs
// the scope users:impersonate.
func (c Credentials) OnBehalfOf(userID string) Credentials {
	c.onBehalfOf = strings.TrimSpace(userID)
	if c.userToken != nil || c.federation != nil {
		c.err = errors.New("OnBehalfOf needs a secret key; a user's token already names the user")
	} else if !utf8.ValidString(userID) || !userIDForm.MatchString(c.onBehalfOf) ||
		utf8.RuneCountInString(c.onBehalfOf) > userIDCharsMax {
		c.err = errors.Join(c.err, errors.New("OnBehalfOf: userID must be one user id: 1 to 256 printable characters, without a comma"))
	}
	return c
}

// Format prints only the type, whatever the verb.
func (Credentials) Format(state fmt.State, _ rune) {
	_, _ = fmt.Fprint(state, "latchkey.Credentials")
}

func keyed(given, prefix string, userToken TokenSource) Credentials {
	key := strings.TrimSpace(given)
	if !secretForm.MatchString(key) || !strings.HasPrefix(key, prefix) {
		return Credentials{err: fmt.Errorf("key must be one whole API key that begins with %s", prefix)}
	}
	return Credentials{key: func() string { return key }, userToken: userToken}
}

// apply puts the credentials on one attempt.
func (c Credentials) apply(ctx context.Context, header http.Header) error {
	if c.key != nil {
		header.Set("X-API-Key", c.key())
	}
	if c.onBehalfOf != "" {
		header.Set("X-On-Behalf-Of", c.onBehalfOf)
	}
	if c.userToken == nil {
		return nil
	}
	given, err := c.userToken(ctx)
	if ctx.Err() != nil {
		// A call that ended meanwhile sends nothing: connect makes its error of the context's.
		return nil
	}
	if err != nil && c.federation != nil {
		return err
	}
	if err != nil {
		return connect.NewError(connect.CodeUnauthenticated, fmt.Errorf("the user's token could not be had: %w", err))
	}
	token := strings.TrimSpace(given)
	if !secretForm.MatchString(token) {
		return connect.NewError(connect.CodeUnauthenticated,
			errors.New(`userToken must return only the token, without "Bearer ", spaces or line ends`))
	}
	header.Set("Authorization", "Bearer "+token)
	return nil
}
