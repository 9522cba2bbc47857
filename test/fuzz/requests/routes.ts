import type { DescMessage, DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Registry } from "prom-client";
import { Health } from "../../../gen/health/v1/health_pb.ts";
import { SERVICES } from "../../../gen/latchkey/v1/services.ts";
import type { CallerKind } from "../../../src/domain/access/principal.ts";
import { loadPolicies } from "../../../src/interceptors/policies.ts";
import { createEndpoints } from "../../../src/transport/endpoints/endpoints.ts";
import { OPEN_RPCS, RPCS } from "../../harness/rpcs.ts";
import type { JsonMembers } from "./messages.ts";

/** What is sent to. */
export interface Route {
  readonly name: string;
  /** An RPC has two, one of its annotation and one of Connect. */
  readonly paths: readonly string[];
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
  secret_key: ["secret key"],
  publishable_key: ["publishable key and user's token"],
  dashboard_user: ["dashboard user", "owner of an organization", "user without a tenant"],
  operator: ["operator"],
};
/** An erasure is waited for. Of other RPCs the requests themselves say for how long. */
const WAITS_MS: Readonly<Record<string, number>> = { EraseTenant: 10_000, EraseUser: 10_000 };
const ENDPOINT_CALLERS = ["secret key", "login hook", "GitHub"];
const KEY_ID = "key_of_the_example";

/** Every RPC of the protos, and every other path of the route table. */
export function allRoutes(): Route[] {
  return [...rpcs(), ...health(), ...endpoints()];
}

function rpcs(): Route[] {
  const examples = new Map([...RPCS, ...OPEN_RPCS].map((rpc) => [rpc.procedure, rpc.body(KEY_ID)]));
  return [...loadPolicies(SERVICES)].map(([method, policy]) => {
    const connect = connectPath(method);
    const callers = [...policy.callers].flatMap((caller) => CALLERS[caller]);
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

/** The parts that answer are not called: only the table is read. */
function endpoints(): Route[] {
  const notCalled = (): never => {
    throw new Error("nothing is served here");
  };
  const table = createEndpoints({
    checkCaller: notCalled,
    identityClaims: { memberships: { findMemberships: notCalled } } as never,
    githubLeaks: {} as never,
    oauthToken: {} as never,
    console: { main: { has: notCalled, answer: notCalled } },
    clientAddress: { of: notCalled, ofSocket: notCalled },
    readiness: { isReady: notCalled, reason: notCalled, draining: new AbortController().signal },
    metrics: new Registry(),
  });
  return table.map(({ path, method }) => ({
    ...{ name: path, paths: [path], input: undefined, example: {}, callers: ENDPOINT_CALLERS },
    ...{ method: method === "POST" ? "POST" : "GET", isRead: true, waitMs: 0 },
  }));
}

function connectPath({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

/** Examples are JSON. */
function membersOf(example: object = {}): JsonMembers {
  return JSON.parse(JSON.stringify(example));
}
