// promise: callers.claims, dpop.checks
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { createQuestions } from "../../src/app/sidecar/questions.ts";
import { protectedResource } from "../../src/domain/access/protected-resource.ts";
import { makeSecret } from "../../src/domain/credentials/secret.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { loadPolicies } from "../../src/interceptors/policies.ts";
import { AUTH_CHECK_PATH } from "../../src/transport/endpoints/auth-check.ts";
import { ENVOY_CHECK } from "../../src/transport/endpoints/envoy-check.ts";
import { createHeldBodies } from "../../src/transport/request/held-bodies.ts";
import { allEndpoints, allRoutes, type Route } from "../fuzz/requests/routes.ts";
import { newBoundToken } from "../harness/bound-tokens.ts";
import {
  CLAIMED_HOST,
  CLAIMS,
  CLIENT,
  describedByEnvoy,
  enveloped,
  INSIDE,
  PROXY,
  type Received,
  STRANGER,
  sendHttp1,
  sendHttp2,
} from "../harness/claims.ts";
import { EDGE_TOKEN } from "../harness/edges.ts";
import { dashboardOf, PUBLISHABLE } from "../harness/key-management.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { REPORT_LEAK } from "../harness/leaks.ts";
import { mayDecide, openSidecar, type RunningSidecar } from "../harness/sidecars.ts";
import { TOKEN_ISSUER } from "../harness/token-settings.ts";
import { trusting } from "../harness/trusted-proxies.ts";

type Headers = Readonly<Record<string, string>>;
type Send = (headers: Headers, from: string) => Promise<Received>;

/** A path by which a call reaches the service. */
interface Door {
  readonly name: string;
  /** Whether keys are looked at there. */
  readonly hasKeys: boolean;
  /** Whether a bound token may be admitted there. */
  readonly hasTokens: boolean;
  readonly send: Send;
}

/** Who sends a request, and from where it comes as it is to be found out. */
interface Sender {
  readonly from: string;
  readonly headers: Headers;
  readonly address: string;
}

const LIMIT = 5_000;
const DENIED = "origin_not_allowed";
const ENVOY_PATH = `/${ENVOY_CHECK}`;
const GRPC = { "content-type": "application/grpc+proto", te: "trailers" };

const STRANGERS: Readonly<Record<string, Sender>> = {
  "a stranger": { from: STRANGER, headers: { ...CLAIMS, "x-forwarded-for": INSIDE }, address: STRANGER },
  "a client of the proxy": {
    from: PROXY,
    headers: { ...CLAIMS, "x-forwarded-for": `${INSIDE}, ${CLIENT}` },
    address: CLIENT,
  },
};
const TRUSTED: Sender = { from: PROXY, headers: { "x-forwarded-for": INSIDE }, address: INSIDE };

let latchkey: Latchkey;
let sidecar: RunningSidecar;
let tenant: string;
/** A key that only `INSIDE` may use, one that only a page may use, and one that says nothing of places. */
let fenced: string;
let paged: string;

beforeAll(async () => {
  latchkey = await startLatchkey({
    config: {
      trustedProxies: trusting([PROXY], "X-Forwarded-For"),
      edgeTokens: [EDGE_TOKEN],
      identityHookSecrets: ["hook-secret-of-the-tests-0123456789abcdef"],
      githubKeysUrl: "https://github.example/keys",
      resource: protectedResource(TOKEN_ISSUER, [TOKEN_ISSUER], []),
    },
  });
  tenant = newTenant();
  const dashboard = dashboardOf(latchkey, tenant);
  const limited = { permissions: ["plans:read"], rate_limit: { requests_per_minute: LIMIT } };
  fenced = (await dashboard.createKey({ ...limited, allowed_ips: [INSIDE] })).key;
  const page = { ...PUBLISHABLE, permissions: ["plans:read"], allowed_origins: ["https://app.example"] };
  paged = (await dashboard.createKey(page)).key;
  sidecar = await openSidecar(latchkey.url, { trustedProxies: trusting([PROXY], "X-Forwarded-For") });
  await mayDecide(sidecar);
});
afterAll(async () => {
  await sidecar.sidecar.close();
  await latchkey.close();
});

function doorsOf({ name, paths, grpc, method, callers, example }: Route): Door[] {
  const hasTokens = callers.includes("access token with DPoP") || name === ENVOY_PATH;
  const hasKeys = hasTokens || callers.some((caller) => caller === "dashboard user" || caller === "operator");
  return paths.map((path): Door => {
    const send: Send = (headers, from) => {
      const body = method === "POST" ? JSON.stringify(example) : "";
      const typed = method === "POST" ? { "content-type": "application/json", ...headers } : headers;
      return sendHttp1({ url: latchkey.url, path, method, from, headers: typed, body });
    };
    const overGrpc: Send = (headers, from) => {
      const sent = { ...GRPC, ...headers };
      return sendHttp2({ url: latchkey.url, path, method, from, headers: sent, body: enveloped(new Uint8Array()) });
    };
    return { name: path, hasKeys, hasTokens, send: grpc === undefined ? send : overGrpc };
  });
}

/** Every path of the service, by the header of a request itself. */
const DOORS = allRoutes()
  .filter(({ name }) => name !== ENVOY_PATH)
  .flatMap(doorsOf);

/**
 * What describes the call of another client in its body: how someone sends a description with these headers, of a connection from
 * `source`.
 */
const DESCRIPTIONS: Readonly<Record<string, (source: string | undefined, described: Headers) => Send>> = {
  [ENVOY_PATH]: (source, described) => (headers, from) => {
    const body = describedByEnvoy(source, described);
    return sendHttp2({
      ...{ url: latchkey.url, path: ENVOY_PATH, method: "POST", from },
      ...{ headers: { ...GRPC, ...headers }, body },
    });
  },
};

interface Logged {
  readonly client_address: string | null;
  readonly denial_reason?: string;
  readonly code: string;
}

async function logged(lines: readonly string[], requestId: string): Promise<Logged> {
  const found = () => lines.filter((text) => text.includes(`"request_id":"${requestId}"`));
  await expect.poll(found).toHaveLength(1);
  return JSON.parse(found().join(""));
}

/** What becomes of a request of a sender with these credentials. */
async function outcome(send: Send, { from, headers }: Sender, credentials: Headers, lines = latchkey.logLines) {
  const requestId = newId("req");
  const { text } = await send({ ...headers, ...credentials, "x-request-id": requestId }, from);
  return { ...(await logged(lines, requestId)), text };
}

async function everyDoor(doors: readonly Door[], visit: (door: Door) => Promise<void>): Promise<void> {
  // A walk over none would find nothing.
  expect(doors.length).toBeGreaterThan(10);
  await Promise.all(doors.map(visit));
}

describe.each(Object.entries(STRANGERS))("%s who claims to be somebody else", (_, stranger) => {
  // threat: Q6
  test("is at every path who they are: for the log, for keys of one network and for keys of one page", async () => {
    await everyDoor(DOORS, async ({ name, hasKeys, send }) => {
      const called = await outcome(send, stranger, { "x-api-key": fenced });
      expect(called, name).toMatchObject({ client_address: stranger.address });
      expect(called.text, name).not.toContain(CLAIMED_HOST);
      if (!hasKeys) return;
      expect(called, name).toMatchObject({ denial_reason: DENIED });
      expect(await outcome(send, stranger, { "x-api-key": paged }), name).toMatchObject({ denial_reason: DENIED });
    });
  });

  // threat: Q6
  test("chooses at no path for which request a proof of possession counts", async () => {
    const bound = await newBoundToken(latchkey);
    // It is used up where it is accepted alone.
    const proven = await bound.headers(`https://${CLAIMED_HOST}/plans`, {}, "GET");
    // What a trusted proxy passes on of its client is the proxy's word: it must set these headers at the check that it makes.
    const doors = DOORS.filter(
      ({ name, hasTokens }) => hasTokens && (name !== AUTH_CHECK_PATH || stranger.from !== PROXY),
    );
    await everyDoor(doors, async ({ name, send }) => {
      expect(await outcome(send, stranger, proven), name).toMatchObject({ denial_reason: "jwt_malformed" });
    });
  });
});

// threat: Q6
test("every path that takes a description of another client's call is in this test", () => {
  const describing = allEndpoints().filter(({ describedCaller }) => describedCaller !== undefined);
  expect(Object.keys(DESCRIPTIONS)).toEqual(describing.map(({ path }) => path));
});

describe.each(Object.entries(DESCRIPTIONS))("%s", (_path, describe) => {
  const described = async (by: Sender, source: string | undefined, headers: Headers) => {
    const requestId = newId("req");
    await describe(source, { ...headers, "x-request-id": requestId })(by.headers, by.from);
    return logged(latchkey.logLines, requestId);
  };

  // threat: Q6
  test.each(Object.entries(STRANGERS))("does not believe %s", async (_, stranger) => {
    const real = { client_address: stranger.address, denial_reason: DENIED };
    const claimed = { ...CLAIMS, "x-forwarded-for": INSIDE };
    for (const source of [INSIDE, PROXY, undefined]) {
      expect(await described(stranger, source, { ...claimed, "x-api-key": fenced })).toMatchObject(real);
      expect(await described(stranger, source, { "x-api-key": fenced })).toMatchObject(real);
      expect(await described(stranger, source, { ...claimed, "x-api-key": paged })).toMatchObject(real);
    }
    const bound = await newBoundToken(latchkey);
    const proven = await bound.headers(`https://${CLAIMED_HOST}/plans`, {}, "GET");
    expect(await described(stranger, INSIDE, proven)).toMatchObject({ denial_reason: "jwt_malformed" });
  });

  test("takes no claim of the described call's client for its address, whatever its proxy appends", async () => {
    const envoy = { from: PROXY, headers: {}, address: PROXY };
    for (const claimed of [{ "x-forwarded-for": INSIDE }, { forwarded: `for=${INSIDE}` }, CLAIMS, {}]) {
      const headers = { ...claimed, "x-api-key": fenced };
      expect(await described(envoy, CLIENT, headers)).toMatchObject({ client_address: CLIENT, denial_reason: DENIED });
    }
    for (const source of ["", "unknown", "@pipe"]) {
      const unknown = await described(envoy, source, { "x-forwarded-for": INSIDE, "x-api-key": fenced });
      expect(unknown).toMatchObject({ client_address: null, denial_reason: DENIED });
    }
  });

  // threat: Q6
  test("believes a trusted proxy, and the chain of trusted proxies before it", async () => {
    const inside = { client_address: INSIDE, code: "ok" };
    const envoy = { from: PROXY, headers: {}, address: PROXY };
    const headers = { "x-api-key": fenced };
    expect(await described(envoy, INSIDE, headers)).toMatchObject(inside);
    expect(await described(envoy, PROXY, { ...headers, "x-forwarded-for": INSIDE })).toMatchObject(inside);
    expect(await described(envoy, undefined, { ...headers, "x-forwarded-for": INSIDE })).toMatchObject(inside);
    const behindAnother = { ...envoy, headers: { "x-forwarded-for": PROXY } };
    expect(await described(behindAnother, INSIDE, headers)).toMatchObject(inside);
    const bound = await newBoundToken(latchkey);
    const proven = await bound.headers(`https://${CLAIMED_HOST}/plans`, {}, "GET");
    expect(await described(envoy, INSIDE, proven)).toMatchObject({ code: "ok" });
  });
});

test("a trusted proxy is believed at every path", async () => {
  await everyDoor(DOORS, async ({ name, hasKeys, send }) => {
    const called = await outcome(send, TRUSTED, { "x-api-key": fenced });
    expect(called, name).toMatchObject({ client_address: INSIDE });
    if (hasKeys) expect(called.denial_reason, name).not.toBe(DENIED);
  });
});

describe("a call of somebody who claims another address", () => {
  const stranger = STRANGERS["a client of the proxy"] ?? TRUSTED;
  const door = (path: string) =>
    DOORS.find(({ name }) => name === path)?.send ?? (() => Promise.reject(new Error(path)));

  test("spends nothing of the key's limit", async () => {
    const dashboard = dashboardOf(latchkey);
    const fields = { allowed_ips: [INSIDE], rate_limit: { requests_per_minute: 2 } };
    const { key } = await dashboard.createKey(fields);
    const credentials = { "x-api-key": key };
    for (const each of Object.values(STRANGERS)) {
      for (const path of ["/api/v1/auth/verify", AUTH_CHECK_PATH]) await outcome(door(path), each, credentials);
      const description = DESCRIPTIONS[ENVOY_PATH]?.(INSIDE, credentials);
      await description?.(each.headers, each.from);
    }
    expect((await outcome(door(AUTH_CHECK_PATH), TRUSTED, credentials)).text).toContain('"x-ratelimit-remaining","1"');
  });

  test("shares the bound of their real address", async () => {
    const reports = Array.from({ length: 100 }, () => ({ key: makeSecret("secret") }));
    const report = async (claimed: string) => {
      const headers = { "content-type": "application/json", "x-forwarded-for": `${claimed}, 192.0.2.99` };
      const sent = { url: latchkey.url, path: REPORT_LEAK, method: "POST", from: PROXY, headers } as const;
      return (await sendHttp1({ ...sent, body: JSON.stringify({ reports }) })).status;
    };
    expect([await report("10.0.0.1"), await report("10.0.0.2"), await report("10.0.0.3")]).toEqual([200, 200, 429]);
  });

  test("is in the audit trail, and among the recent requests, with their real address", async () => {
    const headers = { ...(await latchkey.dashboard(tenant)), "content-type": "application/json" };
    const body = JSON.stringify({ name: "made", permissions: ["plans:read"] });
    const sent = { url: latchkey.url, path: "/api/v1/api-keys/create", method: "POST", from: stranger.from } as const;
    expect((await sendHttp1({ ...sent, headers: { ...stranger.headers, ...headers }, body })).status).toBe(200);
    const { json } = await latchkey.call("/api/v1/audit/list", { action: "api_key.created", per_page: 1 }, headers);
    expect(json.events).toMatchObject([{ address: CLIENT }]);
    await outcome(door(AUTH_CHECK_PATH), stranger, { "x-api-key": fenced });
    await expect
      .poll(async () => (await latchkey.call("/api/v1/requests/list", { per_page: 1 }, headers)).json.requests)
      .toMatchObject([{ address: CLIENT }]);
  });
});

describe("at a sidecar", () => {
  const unreachable = (): never => {
    throw new Error("nothing is served here");
  };
  const paths = createQuestions({
    ...{ edge: { gate: unreachable, count: unreachable }, upstream: { pass: unreachable } },
    ...{ policies: loadPolicies([AuthService]), translate: unreachable, onFailure: unreachable },
    clientAddress: {} as never,
    bodies: createHeldBodies(0),
  }).map(({ path }) => path);

  const at = (path: string): Send => {
    const method = path === AUTH_CHECK_PATH ? "GET" : "POST";
    const type: Headers = method === "POST" ? { "content-type": "application/json" } : {};
    return (headers, from) =>
      sendHttp1({
        ...{ url: sidecar.sidecar.port?.url ?? "", path, method, from },
        ...{ headers: { ...type, ...headers }, body: method === "POST" ? "{}" : "" },
      });
  };

  test.each(Object.entries(STRANGERS))(
    "%s is who they are at every path, and to the service behind",
    async (_, stranger) => {
      for (const path of paths) {
        const decided = await outcome(at(path), stranger, { "x-api-key": fenced }, sidecar.logLines);
        expect(decided, path).toMatchObject({ client_address: stranger.address, denial_reason: DENIED });
        // Callers without a key are the service's.
        const passed = await outcome(at(path), stranger, { authorization: "Bearer none" });
        expect(passed, path).toMatchObject({ client_address: stranger.address });
      }
    },
  );

  test("a stranger does not choose for which request a proof counts, and a trusted proxy does", async () => {
    const bound = await newBoundToken(latchkey);
    const proven = await bound.headers(`https://${CLAIMED_HOST}/plans`, {}, "GET");
    const { "a stranger": stranger = TRUSTED } = STRANGERS;
    expect(await outcome(at(AUTH_CHECK_PATH), stranger, proven)).toMatchObject({ denial_reason: "jwt_malformed" });
    const proxy = { ...TRUSTED, headers: { ...CLAIMS, ...TRUSTED.headers } };
    expect(await outcome(at(AUTH_CHECK_PATH), proxy, proven)).toMatchObject({ client_address: INSIDE, code: "ok" });
  });

  test("a trusted proxy is believed at every path", async () => {
    for (const path of paths) {
      const decided = await outcome(at(path), TRUSTED, { "x-api-key": fenced }, sidecar.logLines);
      expect(decided, path).toMatchObject({ client_address: INSIDE, code: "ok" });
    }
  });
});
