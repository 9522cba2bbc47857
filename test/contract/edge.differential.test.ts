// promise: edges.same
import { request } from "node:http";
import { fromBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGuard, type Guard, type VerifiedCaller } from "../../clients/typescript/src/server/index.ts";
import { DenialReasonSchema, DenialSchema } from "../../gen/latchkey/v1/denial_pb.ts";
import { createEdge, type Edge } from "../../src/edge/edge.ts";
import type { EdgeVerdict } from "../../src/edge/verdicts.ts";
import { accessRules } from "../harness/access-rules.ts";
import {
  type EdgeCallers,
  type HeaderList,
  newEdgeCallers,
  OPERATOR_TENANT,
  OWN_SCOPE,
} from "../harness/edge-callers.ts";
import { EDGE_TOKEN, leased } from "../harness/edges.ts";
import { type PublishableService, startPublishable } from "../harness/publishable.ts";
import { HOUR } from "../harness/test-clock.ts";
import { trusting } from "../harness/trusted-proxies.ts";

const CALLS = process.env.TEST_LONG === "1" ? 10_000 : 500;
/** The calls of a caller with a limit go on beyond it. */
const REPEATS_MAX = 5;

/** What callers with a key are denied for. All others: of dashboard users, of the service's own tokens, and its faults. */
const REASONS = [
  "admitted",
  "API_KEY_NOT_FOUND",
  "API_KEY_EXPIRED",
  "API_KEY_DISABLED",
  "API_KEY_REVOKED",
  "API_KEY_INVALID",
  "INSUFFICIENT_SCOPE",
  "RATE_LIMITED",
  "PUBLISHABLE_KEY_REQUIRES_JWT",
  "JWT_EXPIRED",
  "JWT_MALFORMED",
  "JWT_INVALID_SIGNATURE",
  "JWT_INVALID_ISSUER",
  "JWT_INVALID_AUDIENCE",
  "USER_ID_CLAIM_NOT_FOUND",
  "ORIGIN_NOT_ALLOWED",
];
const SCOPES: readonly (readonly string[])[] = [
  [],
  ["plans:read"],
  ["plans:write"],
  ["plans:read", "plans:write"],
  ["users:impersonate"],
  ["system:read"],
  ["billing:read", "plans:read"],
  [OWN_SCOPE],
];
const COSTS = [undefined, 1, 2, 4, 1_000];
/** What the service answers with 400, at the latest after the caller's denial. */
const FAULTY_SCOPES: readonly (readonly string[])[] = [
  ["plans:*"],
  ["*"],
  ["plan:read"],
  ["plans:read", "nothing"],
  [""],
  Array.from({ length: 65 }, () => "plans:read"),
];
const FAULTY_COSTS = [0, -1, 1.5, 1_001];
const PLACES: readonly HeaderList[] = [
  [],
  [["X-Forwarded-For", "192.0.2.7"]],
  [["x-forwarded-for", "198.51.100.7, 192.0.2.7"]],
  [["x-forwarded-for", "192.0.2.7, 198.51.100.7"]],
  [["x-forwarded-for", "192.0.2.7, 203.0.113.9"]],
  [["x-forwarded-for", "192.0.2.7, nonsense"]],
  [["Origin", "https://app.example"]],
  [["origin", "https://other.example"]],
  [
    ["origin", "https://app.example"],
    ["origin", "https://other.example"],
  ],
  [["Sec-Fetch-Site", "cross-site"]],
  [["X-On-Behalf-Of", "anna"]],
];
const FAULTY_PLACES: readonly HeaderList[] = [
  [["x-on-behalf-of", "anna, otto"]],
  [
    ["x-on-behalf-of", "anna"],
    ["x-on-behalf-of", "otto"],
  ],
  [["x-on-behalf-of", ""]],
];

interface Case {
  readonly caller: string;
  readonly place: HeaderList;
  readonly scopes: readonly string[];
  readonly cost: number | undefined;
  readonly repeats: number;
}

/** What a caller sees of a verdict. */
interface Seen {
  readonly status: number;
  /** `admitted`, or the reason of the denial. Undefined: it is neither. */
  readonly verdict: string | undefined;
  /** Without what differs between any two answers. */
  readonly body: unknown;
  readonly challenge: string | undefined;
  readonly limit: { readonly limit: string | undefined; readonly hasReset: boolean; readonly hasRetryAfter: boolean };
  readonly remaining: number;
}

const errors: unknown[] = [];
let service: PublishableService;
let edge: Edge;
let callers: EdgeCallers;
let guard: Guard;

beforeAll(async () => {
  const scopes = [{ name: OWN_SCOPE, description: "Read reports.", publishable: true }];
  service = await startPublishable({
    access: accessRules({ scopes, operatorTenant: OPERATOR_TENANT }),
    trustedProxies: trusting(["127.0.0.1", "198.51.100.0/24"]),
    keyBrand: "acme",
    edgeTokens: [EDGE_TOKEN],
  });
  const { url, clock } = service.latchkey;
  // No hour ends meanwhile, in which a key and its twin would have other limits.
  clock.advance(HOUR - (clock.now().getTime() % HOUR) + 1_000);
  callers = await newEdgeCallers(service);
  edge = createEdge({ baseUrl: url, token: EDGE_TOKEN, onError: (err) => errors.push(err) });
  await leased(edge);
  const clientAddress = (asked: Request) => asked.headers.get("x-forwarded-for");
  guard = createGuard({ baseUrl: url, ownScopes: [OWN_SCOPE], clientAddress, onError: () => {}, timeoutMs: 60_000 });
});

afterAll(async () => {
  await edge.close();
  await service.latchkey.close();
  await service.keyHost.close();
});

test(`an edge decides as Verify and a guard do, in ${CALLS} calls of all callers, places, scopes and costs`, async () => {
  let asked = 0;
  const drawn = fc.record({
    caller: fc.constantFrom(...callers.names),
    place: mostly(PLACES, FAULTY_PLACES),
    scopes: mostly(SCOPES, FAULTY_SCOPES),
    cost: mostly(COSTS, FAULTY_COSTS),
    repeats: fc.integer({ min: 1, max: REPEATS_MAX }),
  });
  await fc.assert(
    fc.asyncProperty(drawn, async (one) => {
      const [atEdge, atService, atGuard] = await callers.three(one.caller);
      for (let n = 0; n < (callers.isLimited(one.caller) ? one.repeats : 1); n++) {
        const decided = await byEdge([...atEdge, ...one.place], one);
        const expected = await byVerify([...atService, ...one.place], one);
        const guarded = await byGuard([...atGuard, ...one.place], one);
        if (guarded !== undefined && expected.status < 500) expect(guarded).toEqual(expected);
        if (mustAsk(one, atEdge, expected)) {
          expect(decided).toBeUndefined();
          asked += 1;
          continue;
        }
        const { remaining, ...rest } = expected;
        expect(decided).toEqual({ ...rest, remaining: expect.toSatisfy((left: number) => left <= remaining) });
      }
    }),
    { numRuns: CALLS },
  );
  expect(edge.status.asked).toBe(asked);
  expect(errors).toEqual([]);
}, 1_800_000);

test("every denial of a caller with a key is among the verdicts", async () => {
  const seen = new Set<string | undefined>();
  for (const caller of callers.names) {
    for (const place of [[], PLACES[1] ?? []]) {
      const [headers] = await callers.three(caller);
      for (let n = 0; n < REPEATS_MAX; n++)
        seen.add((await byEdge([...headers, ...place], { scopes: ["plans:write"], cost: undefined }))?.verdict);
    }
  }
  seen.delete(undefined);
  expect([...seen].sort()).toEqual([...REASONS].sort());
});

/** Mostly those that are right, so that what follows their check is reached. */
function mostly<One>(right: readonly One[], faulty: readonly One[]): fc.Arbitrary<One> {
  return fc.oneof(
    { arbitrary: fc.constantFrom(...right), weight: 9 },
    { arbitrary: fc.constantFrom(...faulty), weight: 1 },
  );
}

/** Callers without a key, faults of the question, and what the service could not decide. */
function mustAsk({ place, scopes, cost }: Case, credentials: HeaderList, { status }: Seen): boolean {
  const hasKey = credentials.some(([name]) => name === "x-api-key");
  const users = [...credentials, ...place].filter(([name]) => name.toLowerCase() === "x-on-behalf-of");
  const isFaulty =
    users.length > 1 ||
    FAULTY_PLACES.includes(place) ||
    FAULTY_SCOPES.includes(scopes) ||
    FAULTY_COSTS.includes(cost ?? 1);
  return !hasKey || isFaulty || status >= 500;
}

async function byEdge(headers: HeaderList, { scopes, cost }: Pick<Case, "scopes" | "cost">): Promise<Seen | undefined> {
  const verdict = await edge.verify({ headers: headers.flat(), scopes, cost });
  return verdict && seenOf(verdict);
}

function seenOf(verdict: EdgeVerdict): Seen {
  const headers = new Headers();
  for (let n = 0; n < verdict.headers.length; n += 2)
    headers.append(verdict.headers[n] ?? "", verdict.headers[n + 1] ?? "");
  if (verdict.kind === "refused") return seen(verdict.status, headers, JSON.parse(verdict.body));
  const { kind, tenantId, keyId, userId = "", permissions } = verdict.caller;
  return seen(200, headers, { kind, tenantId, keyId, userId, permissions });
}

function byVerify(headers: HeaderList, { scopes, cost }: Case): Promise<Seen> {
  const { promise, resolve, reject } = Promise.withResolvers<Seen>();
  const raw = ["host", "x", "content-type", "application/json", ...headers.flat()];
  const req = request(`${service.latchkey.url}/api/v1/auth/verify`, { method: "POST", headers: raw }, (res) => {
    let text = "";
    res.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    res.on("end", () => {
      if (text === "") return reject(new Error(`no body, and the status ${res.statusCode}`));
      const json = JSON.parse(text);
      const answered = Object.entries(res.headers).map(([name, value]): [string, string] => [name, String(value)]);
      const caller = {
        ...{ kind: json.caller?.replace("CALLER_", "").toLowerCase(), tenantId: json.tenant_id, keyId: json.key_id },
        ...{ userId: json.user_id, permissions: json.permissions },
      };
      const status = res.statusCode ?? 0;
      resolve(seen(status, new Headers(answered), status === 200 ? caller : json));
    });
  });
  // No scope is left out: an empty list is refused, where it comes from a variable that was never set.
  req.on("error", reject).end(JSON.stringify({ scopes: scopes.length === 0 ? undefined : scopes, cost }));
  return promise;
}

/** Undefined: a guard asks no such question, or a web request has no such headers. */
async function byGuard(headers: HeaderList, { scopes, cost }: Case): Promise<Seen | undefined> {
  const names = headers.map(([name]) => name.toLowerCase());
  if (FAULTY_SCOPES.includes(scopes) || FAULTY_COSTS.includes(cost ?? 1) || new Set(names).size < names.length)
    return undefined;
  let caller: VerifiedCaller | undefined;
  const handler = guard.fetch(
    scopes,
    (_, admitted) => {
      caller = admitted;
      return new Response();
    },
    { cost },
  );
  const response = await handler(new Request("http://guarded.example/", { headers: headers.map(([...one]) => one) }));
  if (caller === undefined) return seen(response.status, response.headers, JSON.parse(await response.text()));
  const { kind, tenantId = "", keyId = "", userId = "", permissions } = caller;
  return seen(200, response.headers, { kind, tenantId, keyId, userId, permissions });
}

function seen(status: number, headers: Headers, body: Record<string, unknown>): Seen {
  return {
    status,
    verdict: status === 200 ? "admitted" : reasonIn(body),
    body: JSON.parse(JSON.stringify(body, steady)),
    challenge: headers.get("www-authenticate") ?? undefined,
    limit: {
      limit: headers.get("x-ratelimit-limit") ?? undefined,
      hasReset: headers.has("x-ratelimit-reset"),
      hasRetryAfter: headers.has("retry-after"),
    },
    remaining: Number(headers.get("x-ratelimit-remaining")),
  };
}

function reasonIn({ details }: Record<string, unknown>): string | undefined {
  const [detail] = Array.isArray(details) ? details : [];
  if (detail?.type !== DenialSchema.typeName) return undefined;
  return reasonOf(detail.value);
}

/** Twins have other ids, and what remains and when it comes back is of each moment. */
function steady(name: string, value: unknown): unknown {
  // A guard leaves out a page of Latchkey's own port.
  if (name === "message") return String(value).replace(/ See \/docs\/errors#\w+$/, "");
  if (name === "keyId" || name === "tenantId") return name;
  if (["reset_at", "request_id", "retry_after_seconds"].includes(name)) return undefined;
  if (typeof value === "object" && value !== null && "type" in value && "value" in value) {
    return value.type === DenialSchema.typeName ? reasonOf(String(value.value)) : value;
  }
  return value;
}

function reasonOf(detail: string): string | undefined {
  const { reason } = fromBinary(DenialSchema, Buffer.from(detail, "base64"));
  return DenialReasonSchema.value[reason]?.localName;
}
