package latchkey

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

type retryOptions struct {
	attemptsMax int
	pauseMax    time.Duration
}

const (
	backoff    = 250 * time.Millisecond
	backoffMax = 8 * time.Second
	// A call that has one of these is done once, however often it is sent.
	messageID protoreflect.Name = "client_message_id"
	orgID     protoreflect.Name = "client_org_id"
	requestID protoreflect.Name = "client_request_id"

	idempotencyKey = "Idempotency-Key"
)

var wholeSeconds = regexp.MustCompile(`^\d+$`)

// attempts puts the credentials on each attempt of a call, and makes calls again that failed for a passing reason:
//
//   - rate_limited, any call, after Retry-After: the limit is checked before anything is done;
//   - no answer, 503, or verifier_error, after Retry-After where it is sent: reads, and what has an id of the caller's or, where a
//     secret is made, of the client's. Such a call makes one key, whose value may be lost with an answer.
func (o options) attempts(credentials Credentials) connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
			ctx, cancel := context.WithTimeout(ctx, timeoutOf(ctx, o.timeout))
			defer cancel()
			setUserAgent(req.Header())
			isNamed := nameCall(req)
			replaced := false
			for attempt := 1; ; attempt++ {
				// The user's token may have changed since the last attempt.
				if err := credentials.apply(ctx, req.Header()); err != nil {
					return nil, err
				}
				attemptCtx, header := expectAnswer(ctx)
				res, err := next(attemptCtx, req)
				if !replaced && credentials.dropDenied(req.Header(), err) {
					replaced = true
					attempt--
					continue
				}
				if err == nil && isNamed {
					if lost := lostSecret(res); lost != nil {
						return nil, lost
					}
				}
				if err == nil || attempt >= o.retry.attemptsMax {
					return res, err
				}
				pause, ok := o.retry.pauseBefore(err, *header, attempt, req)
				if !ok || !sleep(ctx, pause) {
					return nil, err
				}
			}
		}
	}
}

// nameCall gives a call that makes a secret an id, unless its request has one, so that its attempts make one. It is in the header,
// since the caller's request must stay as it is. It reports whether it did so.
func nameCall(req connect.AnyRequest) bool {
	message, ok := req.Any().(proto.Message)
	if !ok {
		return false
	}
	reflected := message.ProtoReflect()
	field := reflected.Descriptor().Fields().ByName(requestID)
	if field == nil || reflected.Has(field) || req.Header().Get(idempotencyKey) != "" {
		return false
	}
	req.Header().Set(idempotencyKey, newID())
	return true
}

// lostSecret returns an error if the answer is that of an earlier attempt, whose own answer was lost with the secret: an empty one
// could be stored in its place.
func lostSecret(res connect.AnyResponse) error {
	message, ok := res.Any().(proto.Message)
	if !ok {
		return nil
	}
	response := message.ProtoReflect()
	made := response
	if result := response.Descriptor().Fields().ByName("result"); result != nil && result.Message() != nil {
		made = response.Get(result).Message()
	}
	if !isRepetition(response) && !isRepetition(made) {
		return nil
	}
	var id string
	for i := range made.Descriptor().Fields().Len() {
		if field := made.Descriptor().Fields().Get(i); id == "" && strings.HasSuffix(string(field.Name()), "_id") {
			id = made.Get(field).String()
		}
	}
	return connect.NewError(connect.CodeDataLoss, fmt.Errorf(
		"the answer of an earlier attempt, which held the secret, was lost: it made %s; revoke or rotate that, and call again", id))
}

func isRepetition(message protoreflect.Message) bool {
	field := message.Descriptor().Fields().ByName("already_created")
	return field != nil && message.Get(field).Bool()
}

// timeoutKey has the longest time for one call, where it is not that of the options.
type timeoutKey struct{}

func timeoutOf(ctx context.Context, usual time.Duration) time.Duration {
	if timeout, ok := ctx.Value(timeoutKey{}).(time.Duration); ok {
		return timeout
	}
	return usual
}

// pauseBefore returns how long to wait before the next attempt, or false if there must be none.
func (r retryOptions) pauseBefore(err error, header http.Header, attempt int, req connect.AnyRequest) (time.Duration, bool) {
	asked, isAsked := retryAfter(header.Get("Retry-After"), time.Now())
	switch {
	case IsDenial(err, ReasonRateLimited):
		// Without Retry-After the call's cost is above the limit: no retry is admitted.
		return asked, isAsked && asked <= r.pauseMax
	case !isPassing(err) || !isRepeatable(req):
		return 0, false
	case isAsked:
		return asked, asked <= r.pauseMax
	}
	ceiling := min(backoff<<(attempt-1), backoffMax, r.pauseMax)
	return ceiling/2 + time.Duration(rand.Int64N(int64(ceiling)/2+1)), true
}

// isPassing reports whether the service, or what it needs, is away.
func isPassing(err error) bool {
	return IsDenial(err, ReasonVerifierError) || connect.CodeOf(err) == connect.CodeUnavailable
}

func isRepeatable(req connect.AnyRequest) bool {
	// An RPC that does not say so in its proto is never repeated on a guess.
	if req.Spec().IdempotencyLevel == connect.IdempotencyNoSideEffects || req.Header().Get(idempotencyKey) != "" {
		return true
	}
	message, ok := req.Any().(proto.Message)
	if !ok {
		return false
	}
	reflected := message.ProtoReflect()
	for _, name := range []protoreflect.Name{messageID, orgID, requestID} {
		if field := reflected.Descriptor().Fields().ByName(name); field != nil && reflected.Has(field) {
			return true
		}
	}
	return false
}

// retryAfter reads whole seconds, as Latchkey sends them, or a date, as a proxy may (RFC 9110, 10.2.3).
func retryAfter(value string, now time.Time) (time.Duration, bool) {
	if wholeSeconds.MatchString(value) {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > math.MaxInt64/int64(time.Second) {
			return math.MaxInt64, true
		}
		return time.Duration(seconds) * time.Second, true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return max(0, at.Sub(now)), true
}

// sleep reports whether the pause ended before the call did.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
