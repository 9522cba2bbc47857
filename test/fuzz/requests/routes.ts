import type { DescMessage, DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Registry } from "prom-client";
import { Authorization } from "../../../gen/envoy/service/auth/v3/external_auth_pb.ts";
import { ServerReflection } from "../../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionV1Alpha } from "../../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { Health } from "../../../gen/health/v1/health_pb.ts";
import { EdgeService } from "../../../gen/latchkey/v1/edge_service_pb.ts";
import { SERVICES } from "../../../gen/latchkey/v1/services.ts";
import type { CallerKind } from "../../../src/domain/access/principal.ts";
import { protectedResource } from "../../../src/domain/access/protected-resource.ts";
import { RULES } from "../../../src/domain/edges/rules.ts";
import { loadPolicies } from "../../../src/interceptors/policies.ts";
import { AUTH_CHECK_PATH } from "../../../src/transport/endpoints/auth-check.ts";
import type { Endpoint } from "../../../src/transport/endpoints/endpoint.ts";
import { createEndpoints, type EndpointsContext } from "../../../src/transport/endpoints/endpoints.ts";
import { ENVOY_CHECK } from "../../../src/transport/endpoints/envoy-check.ts";
import { OPEN_RPCS, RPCS } from "../../harness/rpcs.ts";
import { TOKEN_ISSUER } from "../../harness/token-settings.ts";
import type { JsonMembers } from "./messages.ts";
import { RESOURCE_URL } from "./service.ts";

/** What is sent to. */
export interface Route {
  readonly name: string;
  /** An RPC has two, one of its annotation and one of Connect. */
  readonly paths: readonly string[];
  /** Whether it takes gRPC over HTTP/2 alone. `endless`: it answers until its client ends the call. */
  readonly grpc?: "unary" | "stream" | "endless";
  /** Undefined: it is no RPC, and its bodies are bytes. */
  readonly input: DescMessage | undefined;
  /** A valid message of the documentation. */
  readonly example: JsonMembers;
  readonly method: "GET" | "POST";
  /** The kinds of credentials, as a lane names them, of which one may be admitted. */
  readonly callers: readonly string[];
  /** How long it may wait for work that it has begun, in ms. */
  readonly waitMs: number;
  /** Whether it changes nothing, so that a second call is answered as the first. */
  readonly isRead: boolean;
}

/** A lane's names for the kinds of callers of a policy. */
const CALLERS: Readonly<Record<CallerKind, readonly string[]>> = {
  anonymous: ["none"],
  secret_key: ["secret key", "access token", "access token with DPoP"],
  publishable_key: ["publishable key and user's token"],
  dashboard_user: ["dashboard user", "owner of an organization", "user without a tenant"],
  operator: ["operator"],
};
/** An erasure is waited for. Of other RPCs the requests themselves say for how long. */
const WAITS_MS: Readonly<Record<string, number>> = { EraseTenant: 10_000, EraseUser: 10_000 };
/** Who may be admitted to an endpoint. Others are pages, which anyone may read. */
const ENDPOINT_CALLERS: Readonly<Record<string, readonly string[]>> = {
  [AUTH_CHECK_PATH]: [...CALLERS.secret_key, ...CALLERS.publishable_key, ...CALLERS.dashboard_user],
  "/oauth/token": ["workload", "workload with DPoP"],
  "/api/v1/identity/claims": ["login hook"],
  "/api/v1/api-keys/report-leak/github": ["GitHub"],
};
const KEY_ID = "key_of_the_example";

/** Every RPC of the protos, every other path of the route table, and what is served over gRPC alone. */
export function allRoutes(): Route[] {
  return [...rpcs(), ...health(), ...endpoints(), ...overGrpc()];
}

function rpcs(): Route[] {
  const examples = new Map([...RPCS, ...OPEN_RPCS].map((rpc) => [rpc.procedure, rpc.body(KEY_ID)]));
  return [...loadPolicies(SERVICES)].map(([method, policy]) => {
    const connect = connectPath(method);
    const admitted = [...policy.callers].flatMap((caller) => CALLERS[caller]);
    const callers = admitted.filter((caller) => policy.tokens || !caller.startsWith("access token"));
    return { ...rpcOf(method), callers, paths: [policy.path, connect], example: membersOf(examples.get(connect)) };
  });
}

/** gRPC's own service, for as far as it does not stream. */
function health(): Route[] {
  return Health.methods
    .filter(({ methodKind }) => methodKind === "unary")
    .map((method) => ({
      ...rpcOf(method),
      paths: [connectPath(method)],
      example: {},
      callers: ["none"],
      isRead: true,
    }));
}

function rpcOf({
  name,
  input,
  idempotency,
}: DescMethod): Pick<Route, "name" | "input" | "method" | "waitMs" | "isRead"> {
  const isRead = idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  return { name, input, method: "POST", waitMs: WAITS_MS[name] ?? 0, isRead };
}

/** With every part, so that one more does not compile without a line here. */
type Whole<Context> = { readonly [Name in keyof Context]-?: NonNullable<Context[Name]> };

/** Every path that is no RPC's. The parts that answer are not called: only the table is read. */
export function allEndpoints(): Endpoint[] {
  const notCalled = (): never => {
    throw new Error("nothing is served here");
  };
  const ctx: Whole<EndpointsContext> = {
    checkCaller: notCalled,
    resource: protectedResource(RESOURCE_URL, [TOKEN_ISSUER], []),
    tokenIssuer: { issuer: TOKEN_ISSUER, publicJwks: [], scopes: [] },
    identityClaims: { memberships: { findMemberships: notCalled } } as never,
    githubLeaks: {} as never,
    oauthToken: {} as never,
    console: { main: { has: notCalled, answer: notCalled } },
    clientAddress: {
      of: notCalled,
      ofDescribed: notCalled,
      isProxys: notCalled,
      isFromProxy: notCalled,
      ofSocket: notCalled,
    },
    readiness: { isReady: notCalled, reason: notCalled, draining: new AbortController().signal },
    metrics: new Registry(),
    checksPort: "admin",
    hasAdminPort: false,
  };
  return createEndpoints(ctx);
}

function endpoints(): Route[] {
  const table = allEndpoints().filter(({ path }) => path !== `/${ENVOY_CHECK}`);
  return table.map(({ path, method }) => ({
    ...{ name: path, paths: [path], input: undefined, example: {}, callers: ENDPOINT_CALLERS[path] ?? ["none"] },
    // A workload's token is exchanged once.
    ...{ method: method === "POST" ? "POST" : "GET", isRead: path !== "/oauth/token", waitMs: 0 },
  }));
}

/** A call as Envoy describes it. Its values are replaced by those of the lane with the same name. */
const DESCRIBED: JsonMembers = {
  attributes: {
    request: {
      http: {
        ...{ method: "POST", scheme: "https", host: "a.example", path: "/a?b=c" },
        headers: { "x-api-key": "", authorization: "", "x-forwarded-for": "203.0.113.7" },
      },
    },
    source: { address: { socketAddress: { address: "203.0.113.7" } } },
    contextExtensions: { scope: "plans:read", cost: "1", remove: "x-api-key" },
  },
};
const REPORTED: JsonMembers = {
  batchId: "",
  uses: [{ keyId: "", failure: "", count: "1", atMs: "1767225600000" }],
  requests: [
    {
      request: { request_id: "req-1", at: "2026-01-01T00:00:00Z", caller: "secret_key", rpc: "a.B/C" },
      failedCheck: "",
    },
  ],
  impersonations: [{ hourMs: "1767225600000", tenantId: "", keyId: "", userId: "user-7", calls: 2 }],
};
const ASKED: JsonMembers = {
  ...{ number: "1", budgetId: "", limit: { requests_per_minute: 60 }, spending: { cost: 2 }, most: 2 },
};

/** Envoy's check, the protocol of edges, and gRPC's own services that stream. */
function overGrpc(): Route[] {
  const route = (method: DescMethod, caller: string, example: JsonMembers, grpc: Route["grpc"] = "unary"): Route => ({
    ...rpcOf(method),
    ...{ name: connectPath(method), paths: [connectPath(method)], callers: [caller], example, grpc },
  });
  const { follow, resolve, report } = EdgeService.method;
  return [
    { ...route(Authorization.method.check, "Envoy", DESCRIBED), isRead: true },
    route(follow, "edge", { askSlice: ASKED }, "stream"),
    { ...route(resolve, "edge", { edgeId: "", secretHash: "", rules: RULES }), isRead: true },
    route(report, "edge", REPORTED),
    { ...route(Health.method.watch, "none", { service: "" }, "endless"), isRead: true },
    ...[ServerReflection, ServerReflectionV1Alpha].map(({ method }) => ({
      ...route(method.serverReflectionInfo, "none", { listServices: "" }, "stream"),
      isRead: true,
    })),
  ];
}

function connectPath({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

/** Examples are JSON. */
function membersOf(example: object = {}): JsonMembers {
  return JSON.parse(JSON.stringify(example));
}
