// promise: errors.form, bodies.size, limits.headers, paths.both, http.versions
import {
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  fromJson,
  type JsonValue,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Transport, type UnaryResponse } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Denial, DenialReason, DenialSchema } from "../../gen/latchkey/v1/denial_pb.ts";
import { SERVICES } from "../../gen/latchkey/v1/services.ts";
import { type Latchkey, sharedLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";
import { isFirstOfItsKind, OPEN_RPCS, RPCS, type Rpc } from "../harness/rpcs.ts";
import { startSecureLatchkey } from "../harness/secure-latchkey.ts";
import { WIRES } from "../harness/wires.ts";

/** The RPCs whose example is about a record that the tenant does not have. */
const FINDS_NOTHING = [
  /get-conversation-state$/,
  /\/orgs\/(?!create|list)/,
  /\/tenants\/erase$/,
  /\/requests\/explain$/,
  /\/federation\/rules\/(?!create$|list$)/,
  /\/key-formats\/delete$/,
  /\/tokens\/revoke$/,
  /\/webhooks\/(?!create$|list$|deliveries\/list$)/,
];

const METHODS = SERVICES.flatMap((service) => service.methods);
const ONE_OF_EACH_KIND = RPCS.filter(isFirstOfItsKind);
const UNLIMITED = "2147483647";

let plain: Latchkey;
let secure: Latchkey;

beforeAll(async () => {
  plain = await sharedLatchkey();
  secure = await startSecureLatchkey();
});

afterAll(() => secure.close());

test("the list has every RPC", () => {
  expect([...RPCS, ...OPEN_RPCS].map(({ procedure }) => procedure).toSorted()).toEqual(
    METHODS.map(procedureOf).toSorted(),
  );
});

describe.each(WIRES)("$name", (wire) => {
  const latchkey = () => (wire.secure ? secure : plain);
  // One connection for all tests: over TLS, to open one costs more than a call.
  let transport: Transport;
  beforeAll(() => {
    transport = wire.transport(latchkey().url);
  });

  test.each(RPCS)("$procedure is denied without credentials", async (rpc) => {
    const anonymous = await refusal(call(transport, rpc, "key_x", {}));
    expect(anonymous).toMatchObject({
      code: Code.Unauthenticated,
      denial: { reason: DenialReason.MISSING_CREDENTIALS },
    });
    expect(anonymous.metadata.get("x-ratelimit-limit")).toBeNull();
    expect(anonymous.metadata.get("x-request-id")).toMatch(/^req_/);
    expect(anonymous.metadata.get("access-control-allow-origin")).toBe("*");
  });

  // threat: K16
  test.each(ONE_OF_EACH_KIND)(
    "$procedure is authorized, limited and answered as over any other protocol",
    async (rpc) => {
      const dashboard = await latchkey().dashboard();

      const unknown = await refusal(call(transport, rpc, "key_x", { "x-api-key": "sk_unknown" }));
      expect(unknown).toMatchObject({ code: Code.Unauthenticated, denial: { reason: DenialReason.API_KEY_NOT_FOUND } });
      expect(limitHeaders(unknown.metadata)).toMatchObject({ limit: "0", remaining: "0" });

      const { key } = await latchkey().createKey(dashboard, { rate_limit: { requests_per_minute: 1 } });
      const withKey = { "x-api-key": key };
      // The domain answers that the conversation does not exist: the call has passed every check.
      const first = await outcome(call(transport, rpc, "key_x", withKey));
      const isOpen = rpc.callers === "anyone" || (rpc.callers === "backend" && rpc.scope === undefined);
      if (!isOpen) expect(first).toMatchObject({ code: Code.PermissionDenied });
      else expect([undefined, Code.NotFound]).toContain(first.code);
      expect(limitHeaders(first.metadata)).toMatchObject({ limit: "1", remaining: "0" });

      const second = await refusal(call(transport, rpc, "key_x", withKey));
      expect(second).toMatchObject({ code: Code.ResourceExhausted, denial: { reason: DenialReason.RATE_LIMITED } });
      const limit = limitHeaders(second.metadata);
      expect(limit).toMatchObject({ limit: "1", remaining: "0" });
      expect(Number(limit.retryAfter)).toBeGreaterThanOrEqual(1);
      expect(second.denial.rateLimit).toMatchObject({ limit: 1, remaining: 0 });
      expect(resetSeconds(second.denial)).toBe(Number(limit.reset));
    },
  );

  test.each(RPCS)("$procedure serves a dashboard user, the operator, or a key where they may not call", async (rpc) => {
    // Which the operator's requests name.
    const dashboard = await latchkey().dashboard(rpc.callers === "operator" ? "ten_keys" : undefined);
    const { key_id, key } = await latchkey().createKey(dashboard, { permissions: ["*"] });
    const callers = { operator: OPERATOR, key: { "x-api-key": key } };
    const headers = rpc.callers === "operator" || rpc.callers === "key" ? callers[rpc.callers] : dashboard;
    const answer = await outcome(call(transport, rpc, key_id, headers));
    // The tenant has no such conversation, no organization, no such request and no webhook; of the one to erase nothing is stored.
    const findsNothing = FINDS_NOTHING.some((path) => path.test(rpc.path));
    // The format is too weak: another one could be created once.
    const isRefused = rpc.path.endsWith("/key-formats/create");
    const isFault = [...(findsNothing ? [Code.NotFound] : []), ...(isRefused ? [Code.InvalidArgument] : [])];
    expect([undefined, ...isFault]).toContain(answer.code);
    expect(answer.metadata.get("x-ratelimit-limit")).toBe(rpc.callers === "key" ? UNLIMITED : null);
    const carriesSecret = /(?:keys|webhooks)\/create$|\/derive$/.test(rpc.path);
    if (carriesSecret || rpc.path.endsWith("/rotate")) expect(answer.metadata.get("cache-control")).toBe("no-store");
  });

  test("a value that the schema forbids is rejected with the member's name, and spends a request", async () => {
    const { key } = await latchkey().createKey(await latchkey().dashboard());
    const [sendMessage] = RPCS.filter(({ path }) => path.endsWith("send-message"));
    if (sendMessage === undefined) throw new Error("no such RPC");
    const bad = { ...sendMessage, body: () => ({ conversation_key: "a\0b" }) };
    const refused = await outcome(call(transport, bad, "", { "x-api-key": key }));
    expect(refused.code).toBe(Code.InvalidArgument);
    expect(refused.message).toContain("conversation_key");
    expect(limitHeaders(refused.metadata)).toMatchObject({ limit: UNLIMITED });
  });

  test("a body beyond 1 MiB is resource_exhausted without a rate limit", async () => {
    const { key } = await latchkey().createKey(await latchkey().dashboard());
    const [sendMessage] = RPCS.filter(({ path }) => path.endsWith("send-message"));
    if (sendMessage === undefined) throw new Error("no such RPC");
    const large = { ...sendMessage, body: () => ({ conversation_key: "a".repeat(1_100_000) }) };
    const refused = await outcome(call(transport, large, "", { "x-api-key": key }));
    expect(refused.code).toBe(Code.ResourceExhausted);
    expect(refused.message).toContain("1048576");
    expect(refused.details).toMatchObject([{ type: "latchkey.v1.ErrorInfo" }]);
    expect(limitHeaders(refused.metadata)).toMatchObject({ limit: UNLIMITED });
  });
});

function procedureOf(method: (typeof METHODS)[number]): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function call(transport: Transport, rpc: Rpc, keyId: string, headers: Record<string, string>): Promise<UnaryResponse> {
  const method = METHODS.find((each) => procedureOf(each) === rpc.procedure);
  if (method === undefined || !isUnary(method)) throw new Error(`no unary method for ${rpc.procedure}`);
  // The list's bodies are the JSON of the contract.
  const message: MessageInitShape<DescMessage> = fromJson(method.input, rpc.body(keyId) as JsonValue);
  return transport.unary(method, undefined, 10_000, headers, message);
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

/** What became of a call: its code if it failed, and the headers and trailers that a client sees either way. */
async function outcome(calling: Promise<UnaryResponse>) {
  try {
    const { header, trailer } = await calling;
    return { code: undefined, message: "", details: [], metadata: new Headers([...header, ...trailer]) };
  } catch (err) {
    const { code, rawMessage, details, metadata } = ConnectError.from(err);
    return { code, message: rawMessage, details, metadata };
  }
}

/** A denial with its typed detail. */
async function refusal(calling: Promise<UnaryResponse>) {
  const err: unknown = await calling.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(err instanceof ConnectError)) throw new Error("the call was admitted");
  const [denial] = err.findDetails(DenialSchema);
  if (denial === undefined) throw new Error(`no typed detail: ${err.message}`);
  return { code: err.code, metadata: err.metadata, denial };
}

function limitHeaders(metadata: Headers) {
  return {
    limit: metadata.get("x-ratelimit-limit"),
    remaining: metadata.get("x-ratelimit-remaining"),
    reset: metadata.get("x-ratelimit-reset"),
    retryAfter: metadata.get("retry-after"),
  };
}

function resetSeconds({ rateLimit }: Denial): number | undefined {
  return rateLimit?.resetAt && timestampDate(rateLimit.resetAt).getTime() / 1_000;
}
