// Package grpcguard guards services of grpc-go, by the guard of latchkey.example/latchkey.
package grpcguard

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/anypb"
	"latchkey.example/latchkey"
)

// Methods says who may call which RPC, by its full name, as generated code has it: PlanService_GetPlan_FullMethodName. A call of an RPC
// that is not here fails with the code Internal.
type Methods struct {
	// Scopes that the caller of each RPC needs, all of them; without any, a valid caller.
	Scopes map[string][]string
	// Open are RPCs that anyone may call, such as health checks. Their handlers have no caller.
	Open []string
}

// Interceptors keep calls from handlers until Latchkey has admitted them:
//
//	grpc.NewServer(grpc.UnaryInterceptor(interceptors.Unary), grpc.StreamInterceptor(interceptors.Stream))
type Interceptors struct {
	guard  *latchkey.Guard
	scopes map[string][]string
	open   map[string]bool
}

// Headers that a proxy in front may have from Latchkey, and that any client can write.
var claimForm = regexp.MustCompile(`^x[-_]auth[-_]`)

// New panics for a scope that Latchkey does not have, as [latchkey.Guard.Require] does: when the service starts.
//
// [latchkey.CallerFrom] returns the caller of a call that passed. A denied call gets the code, message, details and headers of Latchkey's
// denial; without a verdict in time, the code is Unavailable. An admitted call gets the headers of its key's limit, and x-request-id.
func New(guard *latchkey.Guard, methods Methods) *Interceptors {
	open := map[string]bool{}
	for _, method := range methods.Open {
		open[method] = true
	}
	for _, scopes := range methods.Scopes {
		guard.Require(scopes...)
	}
	return &Interceptors{guard, methods.Scopes, open}
}

// Unary is a [grpc.UnaryServerInterceptor].
func (i *Interceptors) Unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	admitted, err := i.admit(ctx, info.FullMethod)
	if err != nil {
		return nil, err
	}
	return handler(admitted, req)
}

// Stream is a [grpc.StreamServerInterceptor]. It decides when the stream begins.
func (i *Interceptors) Stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	admitted, err := i.admit(stream.Context(), info.FullMethod)
	if err != nil {
		return err
	}
	return handler(srv, &guardedStream{stream, admitted})
}

type guardedStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s *guardedStream) Context() context.Context { return s.ctx }

// admit returns the context of a call that may pass: with its caller, and without x-auth-*.
func (i *Interceptors) admit(ctx context.Context, method string) (context.Context, error) {
	sent, _ := metadata.FromIncomingContext(ctx)
	header, kept := http.Header{}, metadata.MD{}
	for name, values := range sent {
		for _, value := range values {
			header.Add(name, value)
		}
		if !claimForm.MatchString(name) {
			kept[name] = values
		}
	}
	ctx = metadata.NewIncomingContext(ctx, kept)
	if i.open[method] {
		return ctx, nil
	}
	scopes, ok := i.scopes[method]
	if !ok {
		return nil, status.Errorf(codes.Internal, "%s is not among the methods that the guard was given; list it there", method)
	}
	address := ""
	if from, ok := peer.FromContext(ctx); ok {
		address = from.Addr.String()
	}
	verdict, err := i.guard.Check(ctx, header, address, scopes...)
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	answered := metadata.MD{}
	for name, values := range verdict.Header {
		answered.Append(name, values...)
	}
	// Of the body of a denial, which is not a gRPC answer.
	answered.Delete("content-type")
	if err := grpc.SetHeader(ctx, answered); err != nil {
		return nil, err
	}
	if verdict.Caller == nil {
		return nil, denial(verdict.Body)
	}
	return latchkey.ContextWithCaller(ctx, *verdict.Caller), nil
}

// denial is the error that Latchkey's own RPCs would give.
func denial(body []byte) error {
	var read struct {
		Code, Message string
		Details       []struct{ Type, Value string }
	}
	_ = json.Unmarshal(body, &read)
	var code codes.Code
	if code.UnmarshalJSON([]byte(strconv.Quote(strings.ToUpper(read.Code)))) != nil || code == codes.OK {
		code = codes.Unavailable
	}
	denied := &spb.Status{Code: int32(code), Message: read.Message}
	for _, detail := range read.Details {
		if value, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(detail.Value, "=")); err == nil {
			denied.Details = append(denied.Details, &anypb.Any{TypeUrl: "type.googleapis.com/" + detail.Type, Value: value})
		}
	}
	return status.ErrorProto(denied)
}
