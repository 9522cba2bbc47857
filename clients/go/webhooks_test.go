package latchkey_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"latchkey.example/latchkey"
)

var (
	webhookSecret = "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x07", 32)))
	otherSecret   = "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x08", 32)))
	webhookNow    = time.Unix(1_795_759_200, 0)
)

const webhookBody = `{"type":"api_key.expiring","timestamp":"2026-11-27T05:59:58.000Z",` +
	`"data":{"tenant_id":"ten_1","key_id":"key_1","name":"für CI","created_at":"2026-01-01T00:00:00Z","expires_in_days":7,"sequence":7}}`

// The example of the specification: the secret, the id, the time, the body and the signature that they have.
const (
	specSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	specID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	specTime      = 1_614_265_330
	specBody      = `{"test": 2432232314}`
	specSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

func sign(id string, at time.Time, body string, secrets ...string) http.Header {
	var signatures []string
	timestamp := strconv.FormatInt(at.Unix(), 10)
	for _, secret := range secrets {
		key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "." + body))
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	header := http.Header{}
	header.Set("webhook-id", id)
	header.Set("webhook-timestamp", timestamp)
	header.Set("webhook-signature", strings.Join(signatures, " "))
	return header
}

func newVerifier(t *testing.T, secret string, others ...string) *latchkey.WebhookVerifier {
	t.Helper()
	verifier, err := latchkey.NewWebhookVerifier(secret, others...)
	if err != nil {
		t.Fatal(err)
	}
	verifier.Now = func() time.Time { return webhookNow }
	return verifier
}

func TestSignaturesAreThoseOfTheSpecification(t *testing.T) {
	header := sign(specID, time.Unix(specTime, 0), specBody, specSecret)
	if got := header.Get("webhook-signature"); got != specSignature {
		t.Errorf("the signature is %s, expected %s", got, specSignature)
	}
	verifier := newVerifier(t, specSecret)
	verifier.Now = func() time.Time { return time.Unix(specTime, 0) }
	var problem *latchkey.WebhookError
	// Its body is not an event: what comes after the signature.
	if _, err := verifier.Verify([]byte(specBody), header); !errors.As(err, &problem) || problem.Problem != latchkey.WebhookBodyMalformed {
		t.Errorf("expected body_malformed, got %v", err)
	}
}

func TestASignedRequestIsAnEvent(t *testing.T) {
	for _, secrets := range [][]string{{webhookSecret}, {otherSecret, webhookSecret}, {webhookSecret, otherSecret}} {
		header := sign("evt_1", webhookNow, webhookBody, secrets...)
		event, err := newVerifier(t, otherSecret, webhookSecret).Verify([]byte(webhookBody), header)
		if err != nil {
			t.Fatal(err)
		}
		if event.ID != "evt_1" || event.Type != latchkey.WebhookAPIKeyExpiring || event.TenantID != "ten_1" || event.Sequence != 7 {
			t.Errorf("unexpected event %+v", event)
		}
		key, err := event.APIKey()
		if err != nil || key.KeyId != "key_1" || key.Name != "für CI" || key.CreatedAt.AsTime().Year() != 2026 {
			t.Errorf("unexpected key %v, %v", key, err)
		}
		if _, err := event.Run(); err == nil {
			t.Error("an event of a key has no run")
		}
	}
}

func TestEachProblemOfARequestIsNamed(t *testing.T) {
	signed := func(change func(http.Header)) http.Header {
		header := sign("evt_1", webhookNow, webhookBody, webhookSecret)
		change(header)
		return header
	}
	set := func(name, value string) http.Header { return signed(func(h http.Header) { h.Set(name, value) }) }
	at := func(seconds int) http.Header {
		return sign("evt_1", webhookNow.Add(time.Duration(seconds)*time.Second), webhookBody, webhookSecret)
	}
	for _, each := range []struct {
		header http.Header
		body   string
		want   string
	}{
		{signed(func(http.Header) {}), webhookBody, ""},
		{set("webhook-signature", "v1a,AAAA "+signed(func(http.Header) {}).Get("webhook-signature")), webhookBody, ""},
		{at(-300), webhookBody, ""},
		{at(300), webhookBody, ""},
		{at(-301), webhookBody, "timestamp_too_old webhook-timestamp"},
		{at(301), webhookBody, "timestamp_too_new webhook-timestamp"},
		{set("webhook-timestamp", "soon"), webhookBody, "header_malformed webhook-timestamp"},
		{signed(func(h http.Header) { h.Del("webhook-id") }), webhookBody, "header_missing webhook-id"},
		{set("webhook-signature", "v2,AAAA"), webhookBody, "header_malformed webhook-signature"},
		{set("webhook-signature", strings.Repeat("v1,AAAA ", 500)), webhookBody, "signature_mismatch webhook-signature"},
		{set("webhook-signature", strings.Repeat("v1,AAAA ", 513)), webhookBody, "header_malformed webhook-signature"},
		{set("webhook-signature", "v1,AAAA"), webhookBody, "signature_mismatch webhook-signature"},
		{set("webhook-id", "evt_2"), webhookBody, "signature_mismatch webhook-signature"},
		{signed(func(http.Header) {}), webhookBody + " ", "signature_mismatch webhook-signature"},
		{sign("evt_1", webhookNow, webhookBody, otherSecret), webhookBody, "signature_mismatch webhook-signature"},
		{sign("evt_1", webhookNow, "{", webhookSecret), "{", "body_malformed body"},
		{sign("evt_1", webhookNow, `{"data":[]}`, webhookSecret), `{"data":[]}`, "body_malformed body"},
	} {
		_, err := newVerifier(t, webhookSecret).Verify([]byte(each.body), each.header)
		got := ""
		var problem *latchkey.WebhookError
		if errors.As(err, &problem) {
			got = string(problem.Problem) + " " + problem.Field
		}
		if got != each.want {
			t.Errorf("expected %q, got %q (%v)", each.want, got, err)
		}
	}
}

func TestAVerifierNeedsASecretAndPrintsNone(t *testing.T) {
	for _, secret := range []string{"", "whsec_", "whsec_AAAA", "whsec_%%%"} {
		if _, err := latchkey.NewWebhookVerifier(secret); err == nil {
			t.Errorf("%q is not a secret", secret)
		}
	}
	verifier := newVerifier(t, webhookSecret)
	for _, value := range []any{verifier, *verifier} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
			if text := fmt.Sprintf(verb, value); text != "latchkey.WebhookVerifier" {
				t.Errorf("%s prints %s", verb, text)
			}
		}
	}
}

func TestTheHandlerAnswersForItsCallback(t *testing.T) {
	verifier := newVerifier(t, webhookSecret)
	var events []*latchkey.WebhookEvent
	var failure error
	handler := verifier.Handler(func(_ context.Context, event *latchkey.WebhookEvent) error {
		events = append(events, event)
		return failure
	})
	post := func(body string, secret string) int {
		request := httptest.NewRequest(http.MethodPost, "/webhooks", strings.NewReader(body))
		request.Header = sign("evt_1", webhookNow, body, secret)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		return recorder.Code
	}
	for _, each := range []struct {
		body, secret string
		failure      error
		want         int
	}{
		{webhookBody, webhookSecret, nil, http.StatusNoContent},
		{webhookBody, otherSecret, nil, http.StatusBadRequest},
		{strings.Repeat("x", 200_000), webhookSecret, nil, http.StatusRequestEntityTooLarge},
		{webhookBody, webhookSecret, errors.New("the database is away"), http.StatusInternalServerError},
	} {
		failure = each.failure
		if got := post(each.body, each.secret); got != each.want {
			t.Errorf("expected %d, got %d", each.want, got)
		}
	}
	if len(events) != 2 {
		t.Errorf("%d events came", len(events))
	}
}
