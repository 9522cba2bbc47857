package latchkey

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	latchkeyv1 "latchkey.example/latchkey/gen/latchkey/v1"
)

// WebhookEventType is what happened. A later service may send types that are not listed here: ignore them.
type WebhookEventType string

const (
	WebhookAPIKeyCreated      WebhookEventType = "api_key.created"
	WebhookAPIKeyUpdated      WebhookEventType = "api_key.updated"
	WebhookAPIKeyRotated      WebhookEventType = "api_key.rotated"
	WebhookAPIKeyDisabled     WebhookEventType = "api_key.disabled"
	WebhookAPIKeyEnabled      WebhookEventType = "api_key.enabled"
	WebhookAPIKeyRevoked      WebhookEventType = "api_key.revoked"
	WebhookAPIKeyLeaked       WebhookEventType = "api_key.leaked"
	WebhookAPIKeyExpiring     WebhookEventType = "api_key.expiring"
	WebhookAPIKeyExpired      WebhookEventType = "api_key.expired"
	WebhookAPIKeyUnused       WebhookEventType = "api_key.unused"
	WebhookAPIKeyRateLimited  WebhookEventType = "api_key.rate_limited"
	WebhookKeyPolicyUpdated   WebhookEventType = "key_policy.updated"
	WebhookMemberAdded        WebhookEventType = "org.member.added"
	WebhookMemberRoleChanged  WebhookEventType = "org.member.role_changed"
	WebhookMemberRemoved      WebhookEventType = "org.member.removed"
	WebhookInvitationCreated  WebhookEventType = "org.invitation.created"
	WebhookInvitationAccepted WebhookEventType = "org.invitation.accepted"
	WebhookTenantSuspended    WebhookEventType = "tenant.suspended"
	WebhookTenantResumed      WebhookEventType = "tenant.resumed"
	WebhookUserErased         WebhookEventType = "user.erased"
	WebhookRunCompleted       WebhookEventType = "run.completed"
	WebhookRunFailed          WebhookEventType = "run.failed"
	WebhookTest               WebhookEventType = "webhook.test"
	webhookToleranceDefault                    = 5 * time.Minute
	webhookSigningKeyBytesMin                  = 24
	// Latchkey sends at most 64 KiB.
	webhookBodyBytesMax = 131_072
	// Latchkey sends two signatures at most. A longer header would have us decode and compare what no sender of webhooks sends.
	webhookSignatureBytesMax = 4_096
)

// WebhookEvent is what a webhook was sent.
type WebhookEvent struct {
	// The header webhook-id: the same on every attempt, so store it to drop repetitions.
	ID   string
	Type WebhookEventType
	// When it happened.
	Timestamp time.Time
	// Empty for webhook.test.
	TenantID string
	// Grows from each event of a record to the next: of two events of a key, the one with the higher number is later.
	// 0 for webhook.test.
	Sequence int64
	// All members of data, as JSON.
	Data json.RawMessage
}

// APIKey is the key of an event whose type begins with api_key., as GetApiKey returned it when the event was prepared. A key
// that was removed since has only its id.
func (e *WebhookEvent) APIKey() (*latchkeyv1.ApiKey, error) {
	key := &latchkeyv1.ApiKey{}
	return key, e.read("api_key.", key)
}

// KeyPolicy is the policy of key_policy.updated.
func (e *WebhookEvent) KeyPolicy() (*latchkeyv1.KeyPolicy, error) {
	policy := &latchkeyv1.KeyPolicy{}
	return policy, e.read("key_policy.", policy)
}

// Run is the run of run.completed and run.failed, without any text of its conversation.
func (e *WebhookEvent) Run() (*latchkeyv1.Run, error) {
	run := &latchkeyv1.Run{}
	return run, e.read("run.", run)
}

func (e *WebhookEvent) read(prefix string, into proto.Message) error {
	if !strings.HasPrefix(string(e.Type), prefix) {
		return fmt.Errorf("latchkey: the event is of type %s, and not of %s*", e.Type, prefix)
	}
	return protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(e.Data, into)
}

// WebhookProblem is what was wrong with a request.
type WebhookProblem string

const (
	WebhookHeaderMissing     WebhookProblem = "header_missing"
	WebhookHeaderMalformed   WebhookProblem = "header_malformed"
	WebhookTimestampTooOld   WebhookProblem = "timestamp_too_old"
	WebhookTimestampTooNew   WebhookProblem = "timestamp_too_new"
	WebhookSignatureMismatch WebhookProblem = "signature_mismatch"
	WebhookBodyMalformed     WebhookProblem = "body_malformed"
)

// WebhookError is the error of a request that is not an event of this webhook: answer 400, and do nothing else with it.
type WebhookError struct {
	Problem WebhookProblem
	// The header at fault, or body.
	Field   string
	message string
}

func (e *WebhookError) Error() string { return e.Field + ": " + e.message }

// WebhookVerifier checks requests to a webhook's endpoint (Standard Webhooks 1.0). Many goroutines may use it.
type WebhookVerifier struct {
	keys [][]byte
	// How far the time of an attempt may be from now, against replays. 0 is 5 minutes.
	Tolerance time.Duration
	// Nil is time.Now.
	Now func() time.Time
}

// NewWebhookVerifier takes the webhook's secret, whsec_...; several while you change from one to the next.
func NewWebhookVerifier(secret string, others ...string) (*WebhookVerifier, error) {
	verifier := &WebhookVerifier{}
	for _, each := range append([]string{secret}, others...) {
		key, ok := fromBase64(strings.TrimPrefix(each, "whsec_"))
		if !ok || len(key) < webhookSigningKeyBytesMin {
			return nil, errors.New("latchkey: the secret is not a webhook's: whsec_ and Base64")
		}
		verifier.keys = append(verifier.keys, key)
	}
	return verifier, nil
}

// Format prints no secret.
func (v WebhookVerifier) Format(state fmt.State, _ rune) {
	io.WriteString(state, "latchkey.WebhookVerifier")
}

// Verify returns the event of a request, or a *WebhookError that says what was wrong. body is the body as it came.
func (v *WebhookVerifier) Verify(body []byte, header http.Header) (*WebhookEvent, error) {
	var values [3]string
	for index, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		values[index] = strings.Join(header.Values(name), " ")
		if values[index] == "" {
			return nil, &WebhookError{WebhookHeaderMissing, name, "is missing"}
		}
	}
	id, timestamp := values[0], values[1]
	if len(values[2]) > webhookSignatureBytesMax {
		return nil, &WebhookError{WebhookHeaderMalformed, "webhook-signature", fmt.Sprintf("is longer than %d bytes", webhookSignatureBytesMax)}
	}
	signatures := signaturesIn(values[2])
	if len(signatures) == 0 {
		return nil, &WebhookError{WebhookHeaderMalformed, "webhook-signature", "has no v1 signature"}
	}
	if err := v.checkTime(timestamp); err != nil {
		return nil, err
	}
	if !v.isAnySigned(signatures, append([]byte(id+"."+timestamp+"."), body...)) {
		return nil, &WebhookError{WebhookSignatureMismatch, "webhook-signature", "no signature is of this secret and body"}
	}
	return eventIn(id, body)
}

// Handler answers 204 for events that onEvent took, 400 for other requests, and 500 where onEvent fails: Latchkey then
// tries again. An event may come more than once.
func (v *WebhookVerifier) Handler(onEvent func(context.Context, *WebhookEvent) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, webhookBodyBytesMax))
		if err != nil {
			http.Error(w, "body: cannot be read, or is too long", http.StatusRequestEntityTooLarge)
			return
		}
		event, err := v.Verify(body, r.Header)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := onEvent(r.Context(), event); err != nil {
			http.Error(w, "the event could not be handled", http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// signaturesIn has those of the scheme that we know: others may stand beside it.
func signaturesIn(header string) [][]byte {
	var found [][]byte
	for _, each := range strings.Split(header, " ") {
		encoded, isKnown := strings.CutPrefix(each, "v1,")
		if signature, ok := fromBase64(encoded); isKnown && ok && len(signature) > 0 {
			found = append(found, signature)
		}
	}
	return found
}

func (v *WebhookVerifier) checkTime(timestamp string) error {
	const name = "webhook-timestamp"
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil {
		return &WebhookError{WebhookHeaderMalformed, name, "is not a number of seconds"}
	}
	tolerance, now := v.Tolerance, time.Now
	if tolerance == 0 {
		tolerance = webhookToleranceDefault
	}
	if v.Now != nil {
		now = v.Now
	}
	age := now().Sub(time.Unix(int64(seconds), 0))
	if age > tolerance {
		return &WebhookError{WebhookTimestampTooOld, name, fmt.Sprintf("is more than %v ago", tolerance)}
	}
	if -age > tolerance {
		return &WebhookError{WebhookTimestampTooNew, name, fmt.Sprintf("is more than %v ahead", tolerance)}
	}
	return nil
}

func (v *WebhookVerifier) isAnySigned(signatures [][]byte, signed []byte) bool {
	for _, key := range v.keys {
		mac := hmac.New(sha256.New, key)
		mac.Write(signed)
		expected := mac.Sum(nil)
		for _, signature := range signatures {
			// In constant time.
			if hmac.Equal(signature, expected) {
				return true
			}
		}
	}
	return false
}

func eventIn(id string, body []byte) (*WebhookEvent, error) {
	var parsed struct {
		Type      WebhookEventType `json:"type"`
		Timestamp time.Time        `json:"timestamp"`
		Data      json.RawMessage  `json:"data"`
	}
	var data struct {
		TenantID string `json:"tenant_id"`
		Sequence int64  `json:"sequence"`
	}
	if err := json.Unmarshal(body, &parsed); err != nil {
		return nil, &WebhookError{WebhookBodyMalformed, "body", "is not an event: " + err.Error()}
	}
	if err := json.Unmarshal(parsed.Data, &data); err != nil || parsed.Type == "" || parsed.Timestamp.IsZero() {
		return nil, &WebhookError{WebhookBodyMalformed, "body", "is not an event with type, timestamp and data"}
	}
	return &WebhookEvent{id, parsed.Type, parsed.Timestamp, data.TenantID, data.Sequence, parsed.Data}, nil
}

func fromBase64(text string) ([]byte, bool) {
	standard := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	bytes, err := base64.RawStdEncoding.DecodeString(standard)
	return bytes, err == nil
}
