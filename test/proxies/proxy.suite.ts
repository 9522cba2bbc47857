import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, toAnswer } from "../harness/http.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";
import { freePort } from "../servers/free-port.ts";
import { accepting, type ProxyKind, type RunningProxy, startProxy } from "./proxy.ts";
import { SPOOFED } from "./spoofed.ts";

/** Where the proxies differ, and may. */
export interface Traits {
  /** `kept`: it reaches the check and the service. `removed`: the request counts as sent without it. */
  readonly namedInConnection: "kept" | "removed";
  /** Whether it can add the limit's headers to what the service responds. */
  readonly addsLimits: boolean;
  /** Its response while Latchkey is away. */
  readonly away: { readonly status: number; readonly code?: string };
}

/** What the service and a client get by the example of a proxy. */
export function describeProxy(name: string, kind: ProxyKind, traits: Traits): void {
  describe(`behind ${name}`, () => proxySuite(kind, traits));
}

function proxySuite(kind: ProxyKind, traits: Traits): void {
  let latchkey: Latchkey;
  let upstream: ChildProcess;
  let proxy: RunningProxy;
  const tenant = newTenant();

  beforeAll(async () => {
    latchkey = await startLatchkey();
    const port = await freePort();
    upstream = spawn(process.execPath, [fileURLToPath(new URL("../../examples/upstream.mjs", import.meta.url))], {
      env: { PORT: String(port) },
    });
    await accepting(port);
    proxy = await startProxy(kind, { latchkey: latchkey.url, upstream: port });
  }, 180_000);

  afterAll(async () => {
    await proxy?.stop();
    upstream.kill();
    await once(upstream, "exit");
    await latchkey.close();
  });

  async function newKey(fields: object = {}) {
    return latchkey.createKey(await latchkey.dashboard(tenant), { permissions: ["plans:read"], ...fields });
  }

  async function call(headers: Record<string, string>, init: RequestInit = {}): Promise<Answer> {
    return toAnswer(await fetch(`${proxy.url}/plans/today?scope=users:read`, { ...init, headers }));
  }

  /** With headers that `fetch` does not let anyone send. */
  function askRaw(headers: Record<string, string>): Promise<string> {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return sendRaw(proxy.url, `GET /plans/today HTTP/1.1\r\nHost: ${new URL(proxy.url).host}\r\n${lines.join("")}\r\n`);
  }

  test("an allowed request reaches the service, with its caller and without its credentials", async () => {
    const { key, key_id } = await newKey({ rate_limit: { requests_per_minute: 5 } });
    const answer = await call({ "x-api-key": key });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toMatchObject({
      method: "GET",
      path: "/plans/today?scope=users:read",
      caller: { "x-auth-caller": "secret_key", "x-auth-tenant-id": tenant, "x-auth-key-id": key_id },
      sawCredentials: false,
    });
    const added = ["5", "4", expect.stringMatching(/^\d+$/)];
    expect(limitHeaders(answer)).toEqual(traits.addsLimits ? added : [null, null, null]);
  });

  test("a caller without a limit gets no limit headers", async () => {
    const answer = await call(await latchkey.dashboard(tenant));
    expect(answer.status, answer.text).toBe(200);
    expect(limitHeaders(answer)).toEqual([null, null, null]);
  });

  test("an impersonated user arrives, percent-encoded", async () => {
    const { key } = await newKey({ permissions: ["plans:*", "users:impersonate"] });
    const answer = await call({ "x-api-key": key, "x-on-behalf-of": "user 7" });
    expect(answer.json.caller).toMatchObject({ "x-auth-user-id": "user%207" });
  });

  test("X-Auth-* of a client is replaced, whatever Latchkey answers", async () => {
    const { key, key_id } = await newKey();
    const spoofed = {
      "x-auth-caller": "dashboard_user",
      "x-auth-tenant-id": "ten_other",
      "x-auth-key-id": "key_other",
      "x-auth-user-id": "root",
      "x-auth-permissions": "*",
    };
    const { caller } = (await call({ ...spoofed, "x-api-key": key })).json;
    expect(caller).toMatchObject({ "x-auth-tenant-id": tenant, "x-auth-key-id": key_id });
    expect(caller["x-auth-user-id"] ?? "").toBe("");
    expect(JSON.stringify(caller)).not.toContain("other");
    expect((await call(spoofed)).status).toBe(401);
  });

  test("who names X-Auth-User-Id, X-Auth-Caller in Connection is the same caller to the service", async () => {
    const { key, key_id } = await newKey({ permissions: ["plans:*", "users:impersonate"] });
    const connection = "close, X-Auth-User-Id, X-Auth-Caller";
    const answer = await askRaw({ "X-API-Key": key, "X-On-Behalf-Of": "anna", Connection: connection });
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    for (const header of [`"x-auth-user-id":"anna"`, `"x-auth-caller":"secret_key"`, `"x-auth-key-id":"${key_id}"`])
      expect(answer).toContain(header);
  });

  test("a Connection header hides no header from the check that reaches the service", async () => {
    const { key } = await newKey({ permissions: ["plans:*", "users:impersonate"] });
    const impersonating = { "X-API-Key": key, "X-On-Behalf-Of": "anna" };
    const isKept = traits.namedInConnection === "kept";
    // In lines of their own, which mean the same.
    for (const connection of ["close, X-On-Behalf-Of", "close\r\nConnection: X-On-Behalf-Of"]) {
      const answer = await askRaw({ ...impersonating, Connection: connection });
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect([connection, answer.includes("anna")]).toEqual([connection, isKept]);
    }
    const withoutKey = await askRaw({ ...impersonating, Connection: "close, X-API-Key" });
    expect(withoutKey).toMatch(isKept ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 401 /);
  });

  test("a key that may act for no user is denied whatever its Connection header names", async () => {
    const { key } = await newKey();
    const impersonating = { "X-API-Key": key, "X-On-Behalf-Of": "anna" };
    expect(await askRaw({ ...impersonating, Connection: "close" })).toMatch(/^HTTP\/1\.1 403 /);
    for (const connection of ["close, X-On-Behalf-Of", "close\r\nConnection: X-On-Behalf-Of"]) {
      const answer = await askRaw({ ...impersonating, Connection: connection });
      if (traits.namedInConnection === "kept") expect(answer).toMatch(/^HTTP\/1\.1 403 /);
      // It acts for itself: the service sees no user.
      else expect(answer).not.toContain("anna");
    }
  });

  test.each(SPOOFED)("%s of a client, which the service may read as Latchkey's, does not reach it", async (name) => {
    const { key } = await newKey();
    const answer = await askRaw({ "X-API-Key": key, Connection: "close", [name]: "mallory" });
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain(`"x-auth-tenant-id":"${tenant}"`);
    expect(answer).not.toContain("mallory");
  });

  test("all else that a client sends reaches the service, with its body", async () => {
    const { key } = await newKey({ permissions: ["plans:write"] });
    const sent = {
      "content-type": "application/json",
      cookie: "a=b; c=d",
      "if-match": '"7"',
      traceparent: "00-1-2-00",
    };
    const { json } = await call({ ...sent, "x-api-key": key }, { method: "POST", body: '{"plan":7}' });
    expect(json).toMatchObject({ headers: sent, body: '{"plan":7}' });
  });

  test("a write requires the scope of a write", async () => {
    const [reader, writer] = [await newKey(), await newKey({ permissions: ["plans:write"] })];
    const write = { method: "POST", body: "{}" };
    const denied = await call({ "x-api-key": reader.key }, write);
    expect([denied.status, denied.json.denial_reason]).toEqual([403, "insufficient_scope"]);
    const allowed = await call({ "x-api-key": writer.key }, write);
    expect([allowed.status, allowed.json.method]).toEqual([200, "POST"]);
  });

  test("a denial has Latchkey's answer", async () => {
    const expired = await newKey({ expires_at: new Date(latchkey.clock.now().getTime() + 1_000).toISOString() });
    latchkey.clock.advance(2_000);
    const denied = await call({ "x-api-key": expired.key });
    expect(denied.status).toBe(401);
    // By which the log has it.
    const requestId = denied.headers.get("x-request-id");
    expect(latchkey.logLines.some((line) => line.includes(`"request_id":"${requestId}"`))).toBe(true);
    expect(denied.headers.get("www-authenticate")).toBe('Bearer realm="latchkey"');
    expect(denied.json).toMatchObject({
      code: "unauthenticated",
      denial_reason: "api_key_expired",
      message: expect.stringContaining("create a new key"),
    });
    const anonymous = await call({});
    expect([anonymous.status, anonymous.json.denial_reason]).toEqual([401, "missing_credentials"]);
    const { key } = await newKey({ permissions: ["plans:*", "users:impersonate"] });
    const invalid = await call({ "x-api-key": key, "x-on-behalf-of": "anna, bob" });
    expect([invalid.status, invalid.json.code]).toEqual([400, "invalid_argument"]);
  });

  test("a limited call has Latchkey's answer, too", async () => {
    const { key } = await newKey({ rate_limit: { requests_per_minute: 1 } });
    expect((await call({ "x-api-key": key })).status).toBe(200);
    const limited = await call({ "x-api-key": key });
    expect(limited.status).toBe(429);
    expect(limited.json).toMatchObject({ denial_reason: "rate_limited", rate_limit: { limit: 1, remaining: 0 } });
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(limited.headers.get("x-ratelimit-limit")).toBe("1");
  });

  test("no request passes while Latchkey is down, and requests pass when it is back", async () => {
    const { key } = await newKey();
    const { port } = new URL(latchkey.url);
    await latchkey.close();
    const closed = await call({ "x-api-key": key });
    expect({ status: closed.status, code: closed.json.code }).toEqual({ code: undefined, ...traits.away });
    latchkey = await startLatchkey({ config: { port: Number(port) } });
    const fresh = await newKey();
    await expect.poll(async () => (await call({ "x-api-key": fresh.key })).status, { timeout: 15_000 }).toBe(200);
  });
}

function limitHeaders({ headers }: Answer): (string | null)[] {
  return ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"].map((name) => headers.get(name));
}
