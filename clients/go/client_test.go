package latchkey_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"latchkey.example/latchkey"
	latchkeyv1 "latchkey.example/latchkey/gen/latchkey/v1"
)

// A running service. `npm run test:peers` in the root of the repository starts one.
var (
	serviceURL     = os.Getenv("LATCHKEY_URL")
	dashboardToken = os.Getenv("LATCHKEY_TOKEN")
	publishableKey = os.Getenv("LATCHKEY_PUBLISHABLE_KEY")
	userToken      = os.Getenv("LATCHKEY_USER_TOKEN")
)

func TestMain(m *testing.M) {
	for _, name := range []string{"LATCHKEY_URL", "LATCHKEY_TOKEN", "LATCHKEY_PUBLISHABLE_KEY", "LATCHKEY_USER_TOKEN"} {
		if os.Getenv(name) == "" {
			fmt.Fprintf(os.Stderr, "%s is not set: run npm run test:peers in the root of the repository\n", name)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func token(value string) latchkey.TokenSource {
	return func(context.Context) (string, error) { return value, nil }
}

func newClient(t *testing.T, baseURL string, credentials latchkey.Credentials, opts ...latchkey.Option) *latchkey.Client {
	t.Helper()
	client, err := latchkey.New(baseURL, credentials, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// createKey makes a secret key with these scopes, and a limit if one is given.
func createKey(t *testing.T, limit *latchkeyv1.RateLimit, permissions ...string) *latchkeyv1.IssuedKey {
	t.Helper()
	dashboard := newClient(t, serviceURL, latchkey.UserToken(token(dashboardToken)))
	created, err := dashboard.APIKeys.CreateApiKey(t.Context(), &latchkeyv1.CreateApiKeyRequest{
		Name: t.Name(), Permissions: permissions, RateLimit: limit,
	})
	if err != nil {
		t.Fatal(err)
	}
	return created.GetResult()
}

func expectDenial(t *testing.T, err error, reason latchkey.Reason) *latchkey.Denial {
	t.Helper()
	denial := latchkey.DenialOf(err)
	if denial == nil || denial.Reason != reason {
		t.Fatalf("expected the denial %s, got %v", reason, err)
	}
	return denial
}

func TestSecretKeySendsAMessageAndReadsItsConversation(t *testing.T) {
	client := newClient(t, serviceURL, latchkey.SecretKey(" "+createKey(t, nil, "conversations:*").GetKey()+"\n"))
	_, err := client.Gateway.SendMessage(t.Context(), &latchkeyv1.SendMessageRequest{
		ConversationKey: "go",
		UserMessage: &latchkeyv1.UserMessage{
			Role:    latchkeyv1.Role_ROLE_USER,
			Content: []*latchkeyv1.ContentPart{{Type: latchkeyv1.ContentPartType_CONTENT_PART_TYPE_TEXT, Content: "Hi"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	state, err := client.Gateway.GetConversationState(t.Context(), &latchkeyv1.GetConversationStateRequest{ConversationKey: "go"})
	if err != nil {
		t.Fatal(err)
	}
	if got := state.GetMessages()[0].GetContent()[0].GetContent(); got != "Hi" {
		t.Errorf("expected the message, got %q", got)
	}
}

func TestSecretKeyActsForAUser(t *testing.T) {
	key := createKey(t, nil, "conversations:*", "users:impersonate").GetKey()
	client := newClient(t, serviceURL, latchkey.SecretKey(key).OnBehalfOf("Zoë 7"))
	caller, err := client.Auth.Verify(t.Context(), &latchkeyv1.VerifyRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if caller.GetActingFor() != "Zoë 7" {
		t.Errorf("expected to act for Zoë 7, got %q", caller.GetActingFor())
	}
}

func TestPublishableKeySendsItsUsersToken(t *testing.T) {
	client := newClient(t, serviceURL, latchkey.PublishableKey(publishableKey, token(userToken)))
	caller, err := client.Auth.Verify(t.Context(), &latchkeyv1.VerifyRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if caller.GetCaller() != latchkeyv1.Caller_CALLER_PUBLISHABLE_KEY || caller.GetUserId() == "" {
		t.Errorf("expected a publishable key's user, got %v", caller)
	}
	malformed := newClient(t, serviceURL, latchkey.PublishableKey(publishableKey, token("not-a-token")))
	_, err = malformed.Auth.Verify(t.Context(), &latchkeyv1.VerifyRequest{})
	expectDenial(t, err, latchkey.ReasonJWTMalformed)
}

func TestDenialsHaveTheirReason(t *testing.T) {
	key := createKey(t, nil, "plans:read")
	client := newClient(t, serviceURL, latchkey.SecretKey(key.GetKey()))
	_, err := client.Gateway.ListThreads(t.Context(), &latchkeyv1.ListThreadsRequest{})
	denial := expectDenial(t, err, latchkey.ReasonInsufficientScope)
	if !strings.Contains(denial.Message, "conversations:read") {
		t.Errorf("expected the scope in %q", denial.Message)
	}
	dashboard := newClient(t, serviceURL, latchkey.UserToken(token(dashboardToken)))
	if _, err := dashboard.APIKeys.RevokeApiKey(t.Context(), &latchkeyv1.RevokeApiKeyRequest{KeyId: key.GetKeyId()}); err != nil {
		t.Fatal(err)
	}
	_, err = client.Gateway.ListThreads(t.Context(), &latchkeyv1.ListThreadsRequest{})
	expectDenial(t, err, latchkey.ReasonAPIKeyRevoked)
	_, err = dashboard.APIKeys.GetApiKey(t.Context(), &latchkeyv1.GetApiKeyRequest{KeyId: "key_none"})
	if latchkey.ReasonOf(err) != "key_not_found" || latchkey.FieldOf(err) != "key_id" {
		t.Errorf("the reason is %q, the field %q", latchkey.ReasonOf(err), latchkey.FieldOf(err))
	}
	if latchkey.DenialOf(err) != nil || connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("expected not_found, which is no denial, got %v", err)
	}
}

func TestRateLimitedCallsWaitForRetryAfter(t *testing.T) {
	limit := &latchkeyv1.RateLimit{RequestsPerMinute: 60, BurstSize: 1}
	key := latchkey.SecretKey(createKey(t, limit, "conversations:*").GetKey())
	once := newClient(t, serviceURL, key, latchkey.WithRetries(1, time.Minute))
	var err error
	for range 3 {
		if _, err = once.Gateway.ListThreads(t.Context(), &latchkeyv1.ListThreadsRequest{}); err != nil {
			break
		}
	}
	denial := expectDenial(t, err, latchkey.ReasonRateLimited)
	if denial.RetryAfter < time.Second || denial.RateLimit.Limit != 60 || denial.RateLimit.ResetAt.IsZero() {
		t.Errorf("expected the limit, got %+v", denial)
	}
	patient := newClient(t, serviceURL, key)
	if _, err := patient.Gateway.ListThreads(t.Context(), &latchkeyv1.ListThreadsRequest{}); err != nil {
		t.Errorf("expected a retry after %s to be admitted, got %v", denial.RetryAfter, err)
	}
}

// What a program reads from an unset variable is an empty text, which must not be taken for an absent member.
func TestAnEmptyMemberNeverWidensARequest(t *testing.T) {
	key := newClient(t, serviceURL, latchkey.SecretKey(createKey(t, nil, "plans:read", "users:impersonate").GetKey()))
	derive := func(change func(*latchkeyv1.DeriveTokenRequest)) error {
		request := &latchkeyv1.DeriveTokenRequest{Scopes: []string{"plans:read"}}
		change(request)
		_, err := key.Tokens.DeriveToken(t.Context(), request)
		return err
	}
	for _, empty := range []string{"", " ", "\u200b"} {
		_, verified := key.Auth.Verify(t.Context(), &latchkeyv1.VerifyRequest{Scope: &empty})
		for member, err := range map[string]error{
			"user_id":          derive(func(r *latchkeyv1.DeriveTokenRequest) { r.UserId = &empty }),
			"audience":         derive(func(r *latchkeyv1.DeriveTokenRequest) { r.Audience = &empty }),
			"confirmation_jkt": derive(func(r *latchkeyv1.DeriveTokenRequest) { r.ConfirmationJkt = &empty }),
			"scope":            verified,
		} {
			if connect.CodeOf(err) != connect.CodeInvalidArgument || !strings.Contains(err.Error(), member+": ") {
				t.Errorf("%s %q: expected an error that names it, got %v", member, empty, err)
			}
		}
		if _, err := latchkey.New(serviceURL, latchkey.SecretKey("sk_x").OnBehalfOf(empty)); empty != "\u200b" && err == nil {
			t.Errorf("OnBehalfOf(%q) was accepted", empty)
		}
	}
	if err := derive(func(r *latchkeyv1.DeriveTokenRequest) {}); err != nil {
		t.Fatal(err)
	}
}

func TestDerivedTokenHasLessThanItsKeyAndIsRevoked(t *testing.T) {
	key := newClient(t, serviceURL, latchkey.SecretKey(createKey(t, nil, "conversations:*", "plans:read").GetKey()))
	derived, err := key.Tokens.DeriveToken(t.Context(), &latchkeyv1.DeriveTokenRequest{Scopes: []string{"plans:read"}})
	if err != nil {
		t.Fatal(err)
	}
	agent := newClient(t, serviceURL, latchkey.UserToken(token(derived.GetResult().GetToken())))
	caller, err := agent.Auth.Verify(t.Context(), &latchkeyv1.VerifyRequest{Scope: proto.String("plans:read")})
	if err != nil {
		t.Fatal(err)
	}
	if caller.GetTokenId() != derived.GetResult().GetTokenId() {
		t.Fatalf("the caller has the token %s", caller.GetTokenId())
	}
	_, err = agent.Gateway.ListThreads(t.Context(), &latchkeyv1.ListThreadsRequest{})
	expectDenial(t, err, latchkey.ReasonInsufficientScope)
	tokenID := derived.GetResult().GetTokenId()
	if _, err := key.Tokens.RevokeToken(t.Context(), &latchkeyv1.RevokeTokenRequest{TokenId: tokenID}); err != nil {
		t.Fatal(err)
	}
	_, err = agent.Auth.Verify(t.Context(), &latchkeyv1.VerifyRequest{})
	expectDenial(t, err, latchkey.ReasonTokenRevoked)
	listed, err := key.Tokens.ListTokens(t.Context(), &latchkeyv1.ListTokensRequest{})
	if err != nil || len(listed.GetTokens()) != 1 || listed.GetTokens()[0].GetRevokedAt() == nil {
		t.Fatalf("expected one revoked token, got %v, %v", listed, err)
	}
}
