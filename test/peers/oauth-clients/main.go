// Exchanges a workload's tokens by OAuth clients for Go, and verifies the answers by the service's metadata. Prints a line for each:
// the client and the access token.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/zitadel/oidc/v3/pkg/client/tokenexchange"
	zitadel "github.com/zitadel/oidc/v3/pkg/oidc"
	"golang.org/x/oauth2/google/externalaccount"
)

func main() {
	ctx := context.Background()
	issuer, rule, text, file := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		log.Fatal("go-oidc: ", err)
	}
	// A client of this library is one with a secret; a rule takes any.
	exchanger, err := tokenexchange.NewTokenExchangerClientCredentials(ctx, issuer, rule, "any")
	if err != nil {
		log.Fatal("zitadel/oidc: ", err)
	}
	exchanged, err := tokenexchange.ExchangeToken(ctx, exchanger, text, zitadel.JWTTokenType, "", "", nil, nil, nil, "")
	if err != nil {
		log.Fatal("zitadel/oidc: ", err)
	}
	source, err := externalaccount.NewTokenSource(ctx, externalaccount.Config{
		Audience:         issuer,
		SubjectTokenType: "urn:ietf:params:oauth:token-type:jwt",
		TokenURL:         provider.Endpoint().TokenURL,
		ClientID:         rule,
		ClientSecret:     "any",
		CredentialSource: &externalaccount.CredentialSource{File: file},
		Scopes:           []string{"conversations:read"},
	})
	if err != nil {
		log.Fatal("x/oauth2: ", err)
	}
	external, err := source.Token()
	if err != nil {
		log.Fatal("x/oauth2: ", err)
	}
	for client, token := range map[string]string{"zitadel/oidc": exchanged.AccessToken, "x/oauth2": external.AccessToken} {
		if _, err := provider.Verifier(&oidc.Config{ClientID: issuer}).Verify(ctx, token); err != nil {
			log.Fatalf("go-oidc on the token of %s: %v", client, err)
		}
		fmt.Printf("%s\t%s\n", client, token)
	}
}
