package latchkey

import (
	"errors"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	latchkeyv1 "latchkey.example/latchkey/gen/latchkey/v1"
)

// Reason says why a call was denied, as denial_reason does in JSON.
type Reason string

// The reasons that this version knows. docs/errors.md has the cause and the remedy of each.
const (
	ReasonMissingCredentials          Reason = "missing_credentials"
	ReasonAPIKeyNotFound              Reason = "api_key_not_found"
	ReasonAPIKeyExpired               Reason = "api_key_expired"
	ReasonAPIKeyDisabled              Reason = "api_key_disabled"
	ReasonAPIKeyRevoked               Reason = "api_key_revoked"
	ReasonAPIKeyInvalid               Reason = "api_key_invalid"
	ReasonInsufficientScope           Reason = "insufficient_scope"
	ReasonRateLimited                 Reason = "rate_limited"
	ReasonPublishableKeyRequiresJWT   Reason = "publishable_key_requires_jwt"
	ReasonTokenRevoked                Reason = "token_revoked"
	ReasonJWTExpired                  Reason = "jwt_expired"
	ReasonJWTMalformed                Reason = "jwt_malformed"
	ReasonJWTInvalidSignature         Reason = "jwt_invalid_signature"
	ReasonJWTInvalidIssuer            Reason = "jwt_invalid_issuer"
	ReasonJWTInvalidAudience          Reason = "jwt_invalid_audience"
	ReasonUserIDClaimNotFound         Reason = "user_id_claim_not_found"
	ReasonTenantRequired              Reason = "tenant_required"
	ReasonVerifierError               Reason = "verifier_error"
	ReasonMisconfiguredPublishableKey Reason = "misconfigured_publishable_key"
	ReasonOIDCNotConfigured           Reason = "oidc_not_configured"
	ReasonTenantSuspended             Reason = "tenant_suspended"
	ReasonOriginNotAllowed            Reason = "origin_not_allowed"
	// ReasonUnknown is a reason that is younger than this client.
	ReasonUnknown Reason = "unknown"
)

// Denial is what the service said about a denied call.
type Denial struct {
	Reason Reason
	// What to do, for people. Do not parse it.
	Message string
	// With ReasonRateLimited only.
	RateLimit *RateLimit
	// How long until a retry is admitted (rate_limited) or can succeed (verifier_error); 0 where the service did not say.
	RetryAfter time.Duration
}

// RateLimit is the constraint that a call ran into.
type RateLimit struct {
	// Maximum number of requests that the constraint admits.
	Limit int
	// Requests it still admits.
	Remaining int
	// When it resets, to the second.
	ResetAt time.Time
	// Whether it is that of the request's user under the key; else it is the key's own.
	PerUser bool
}

// DenialOf returns the denial that a call failed with, and nil for every other error.
func DenialOf(err error) *Denial {
	var failed *connect.Error
	denial := detailOf[*latchkeyv1.Denial](err)
	if denial == nil || !errors.As(err, &failed) {
		return nil
	}
	return denialFrom(denial, failed)
}

// detailOf returns the detail of its type that an error has; the zero value, if it has none.
func detailOf[Detail proto.Message](err error) (none Detail) {
	var failed *connect.Error
	if !errors.As(err, &failed) {
		return none
	}
	for _, detail := range failed.Details() {
		value, err := detail.Value()
		if err != nil {
			continue
		}
		if found, ok := value.(Detail); ok {
			return found
		}
	}
	return none
}

// ReasonOf returns why a call failed: "key_not_found", "rule_exceeded", ...; of a denial, its reason, or
// a more specific one, such as "token_not_allowed". docs/errors.md lists all reasons. It is ReasonUnknown for a reason that is
// newer than this client, and empty for an error that is not from the service, such as a network error.
func ReasonOf(err error) Reason {
	info := detailOf[*latchkeyv1.ErrorInfo](err)
	if info == nil {
		if denial := DenialOf(err); denial != nil {
			return denial.Reason
		}
		return ""
	}
	name, ok := latchkeyv1.ErrorReason_name[int32(info.GetReason())]
	if !ok || info.GetReason() == latchkeyv1.ErrorReason_ERROR_REASON_UNSPECIFIED {
		return ReasonUnknown
	}
	return Reason(strings.ToLower(strings.TrimPrefix(name, "ERROR_REASON_")))
}

// FieldOf returns the member of the request at fault, as JSON spells it: "rate_limit.burst_size", "permissions[2]". It is
// empty where no single member is at fault.
func FieldOf(err error) string {
	if denial := detailOf[*latchkeyv1.Denial](err); denial != nil {
		return denial.GetField()
	}
	return detailOf[*latchkeyv1.ErrorInfo](err).GetField()
}

// IsDenial reports whether a call was denied for one of these reasons; for any reason, if none is given.
func IsDenial(err error, reasons ...Reason) bool {
	denial := DenialOf(err)
	return denial != nil && (len(reasons) == 0 || slices.Contains(reasons, denial.Reason))
}

func denialFrom(detail *latchkeyv1.Denial, failed *connect.Error) *Denial {
	denial := &Denial{Reason: reasonOf(detail.GetReason()), Message: failed.Message()}
	denial.RetryAfter, _ = retryAfter(failed.Meta().Get("Retry-After"), time.Now())
	if limit := detail.GetRateLimit(); limit != nil {
		denial.RateLimit = &RateLimit{
			Limit:     int(limit.GetLimit()),
			Remaining: int(limit.GetRemaining()),
			ResetAt:   limit.GetResetAt().AsTime(),
			PerUser:   limit.GetScope() == "user",
		}
	}
	return denial
}

func reasonOf(reason latchkeyv1.DenialReason) Reason {
	name, ok := latchkeyv1.DenialReason_name[int32(reason)]
	if !ok || reason == latchkeyv1.DenialReason_DENIAL_REASON_UNSPECIFIED {
		return ReasonUnknown
	}
	return Reason(strings.ToLower(strings.TrimPrefix(name, "DENIAL_REASON_")))
}
