package grpcguard_test

import (
	"context"
	"net"
	"os"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"latchkey.example/latchkey"
	latchkeyv1 "latchkey.example/latchkey/gen/latchkey/v1"
	"latchkey.example/latchkey/grpcguard"
)

var serviceURL = os.Getenv("LATCHKEY_URL")

// service answers the kind of its caller in a trailer, and fails the test for a claim of a client.
type service struct {
	health.UnimplementedHealthServer
	t *testing.T
}

func (s service) Check(ctx context.Context, _ *health.HealthCheckRequest) (*health.HealthCheckResponse, error) {
	grpc.SetTrailer(ctx, s.seen(ctx))
	return &health.HealthCheckResponse{}, nil
}

func (s service) Watch(_ *health.HealthCheckRequest, stream grpc.ServerStreamingServer[health.HealthCheckResponse]) error {
	stream.SetTrailer(s.seen(stream.Context()))
	return stream.Send(&health.HealthCheckResponse{})
}

func (s service) seen(ctx context.Context) metadata.MD {
	sent, _ := metadata.FromIncomingContext(ctx)
	for name := range sent {
		if strings.HasPrefix(name, "x-auth") || strings.HasPrefix(name, "x_auth") {
			s.t.Errorf("the handler got %s", name)
		}
	}
	caller, _ := latchkey.CallerFrom(ctx)
	return metadata.Pairs("kind", string(caller.Kind), "key", caller.KeyID)
}

// serve returns a client of the guarded service.
func serve(t *testing.T, baseURL string, methods grpcguard.Methods) health.HealthClient {
	t.Helper()
	guard, err := latchkey.NewGuard(baseURL, latchkey.WithErrorLog(func(error) {}))
	if err != nil {
		t.Fatal(err)
	}
	interceptors := grpcguard.New(guard, methods)
	server := grpc.NewServer(grpc.UnaryInterceptor(interceptors.Unary), grpc.StreamInterceptor(interceptors.Stream))
	health.RegisterHealthServer(server, service{t: t})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	connection, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return health.NewHealthClient(connection)
}

func createKey(t *testing.T, permissions ...string) *latchkeyv1.IssuedKey {
	t.Helper()
	client, err := latchkey.New(serviceURL, latchkey.UserToken(func(context.Context) (string, error) { return os.Getenv("LATCHKEY_TOKEN"), nil }))
	if err != nil {
		t.Fatal(err)
	}
	created, err := client.APIKeys.CreateApiKey(t.Context(), &latchkeyv1.CreateApiKeyRequest{Name: t.Name(), Permissions: permissions})
	if err != nil {
		t.Fatal(err)
	}
	return created.GetResult()
}

// answer is what a call got.
type answer struct {
	header, trailer metadata.MD
	err             error
}

func (a answer) first(name string) string {
	return strings.Join(append(a.header.Get(name), a.trailer.Get(name)...), ", ")
}

// calls call an RPC of each form.
var calls = map[string]func(context.Context, health.HealthClient) answer{
	health.Health_Check_FullMethodName: func(ctx context.Context, client health.HealthClient) (a answer) {
		_, a.err = client.Check(ctx, &health.HealthCheckRequest{}, grpc.Header(&a.header), grpc.Trailer(&a.trailer))
		return a
	},
	health.Health_Watch_FullMethodName: func(ctx context.Context, client health.HealthClient) (a answer) {
		stream, err := client.Watch(ctx, &health.HealthCheckRequest{})
		if err != nil {
			return answer{err: err}
		}
		if _, a.err = stream.Recv(); a.err == nil {
			_, _ = stream.Recv()
		}
		a.header, _ = stream.Header()
		a.trailer = stream.Trailer()
		return a
	},
}

func with(t *testing.T, pairs ...string) context.Context {
	return metadata.AppendToOutgoingContext(t.Context(), pairs...)
}

func TestACallWithTheScopesPasses(t *testing.T) {
	key := createKey(t, "plans:*")
	for method, call := range calls {
		client := serve(t, serviceURL, grpcguard.Methods{Scopes: map[string][]string{method: {"plans:read", "plans:write"}}})
		got := call(with(t, "x-api-key", key.GetKey(), "x-auth-tenant-id", "other", "x_auth_tenant_id", "other"), client)
		if got.err != nil || got.first("kind") != "secret_key" || got.first("key") != key.GetKeyId() {
			t.Errorf("%s: expected the key as the caller, got %+v", method, got)
		}
		if got.first("x-ratelimit-limit") == "" || !strings.HasPrefix(got.first("x-request-id"), "req_") {
			t.Errorf("%s: the answer lacks the limit or the id of the decision: %v", method, got.header)
		}
	}
}

func TestADeniedCallGetsLatchkeysDenial(t *testing.T) {
	key := createKey(t, "billing:read").GetKey()
	for method, call := range calls {
		client := serve(t, serviceURL, grpcguard.Methods{Scopes: map[string][]string{method: {"plans:read"}}})
		for reason, test := range map[latchkeyv1.DenialReason]struct {
			ctx  context.Context
			code codes.Code
		}{
			latchkeyv1.DenialReason_DENIAL_REASON_MISSING_CREDENTIALS: {t.Context(), codes.Unauthenticated},
			latchkeyv1.DenialReason_DENIAL_REASON_INSUFFICIENT_SCOPE:  {with(t, "x-api-key", key), codes.PermissionDenied},
			latchkeyv1.DenialReason_DENIAL_REASON_API_KEY_INVALID:     {with(t, "x-api-key", key, "x-api-key", key), codes.Unauthenticated},
		} {
			got := call(test.ctx, client)
			denied := status.Convert(got.err)
			found := false
			for _, detail := range denied.Details() {
				if denial, ok := detail.(*latchkeyv1.Denial); ok {
					found = denial.GetReason() == reason
				}
			}
			if denied.Code() != test.code || !found || got.first("www-authenticate") == "" || got.first("x-request-id") == "" {
				t.Errorf("%s: expected %s, got %v %v %v", method, reason, denied, denied.Details(), got.header)
			}
		}
	}
}

func TestACallWithoutAVerdictIsUnavailable(t *testing.T) {
	for method, call := range calls {
		client := serve(t, "http://127.0.0.1:1", grpcguard.Methods{Scopes: map[string][]string{method: nil}})
		if got := call(with(t, "x-api-key", "sk_x"), client); status.Code(got.err) != codes.Unavailable {
			t.Errorf("%s: expected Unavailable, got %v", method, got.err)
		}
	}
}

func TestACallOfAnotherMethodIsInternalAndAnOpenOnePasses(t *testing.T) {
	for method, call := range calls {
		if got := call(t.Context(), serve(t, serviceURL, grpcguard.Methods{})); status.Code(got.err) != codes.Internal {
			t.Errorf("%s: expected Internal, got %v", method, got.err)
		}
		open := serve(t, "http://127.0.0.1:1", grpcguard.Methods{Open: []string{method}})
		if got := call(with(t, "x-auth-tenant-id", "other"), open); got.err != nil || got.first("kind") != "" {
			t.Errorf("%s: expected an answer without a caller, got %+v", method, got)
		}
	}
}

func TestAMisspeltScopeEndsTheStart(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	guard, err := latchkey.NewGuard(serviceURL)
	if err != nil {
		t.Fatal(err)
	}
	grpcguard.New(guard, grpcguard.Methods{Scopes: map[string][]string{health.Health_Check_FullMethodName: {"plan:read"}}})
}
