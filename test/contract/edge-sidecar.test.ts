// promise: edges.sidecar, paths.admin
import { once } from "node:events";
import { connect } from "node:net";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { protectedResource } from "../../src/domain/access/protected-resource.ts";
import { EDGE_TOKEN } from "../harness/edges.ts";
import { type Latchkey, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { NO_BOUNDS } from "../harness/no-bounds.ts";
import { startPublishable } from "../harness/publishable.ts";
import {
  mayDecide,
  mayNotDecide,
  placeOf,
  runDecidingSidecar,
  runSidecar,
  type SidecarAnswer,
  send,
} from "../harness/sidecars.ts";
import { trusting } from "../harness/trusted-proxies.ts";

const VERIFY = "/api/v1/auth/verify";

let latchkey: Latchkey;
beforeAll(async () => {
  latchkey = await sharedLatchkey({ edgeTokens: [EDGE_TOKEN], trustedProxies: trusting(["127.0.0.0/8"]) });
});

const start = (changes?: Parameters<typeof runDecidingSidecar>[1]) => runDecidingSidecar(latchkey.url, changes);

const direct = (headers: Record<string, string>, body: object = {}) =>
  send({ ...placeOf(latchkey.url), method: "POST", path: VERIFY }, headers, JSON.stringify(body));
const directCheck = (query: string, headers: Record<string, string>) =>
  send({ ...placeOf(latchkey.url), method: "GET", path: `/auth/check${query}` }, headers);

/** What is compared: without what is of one request, its second included, or of a request from a page. */
function comparable({ status, headers, text }: SidecarAnswer): object {
  const ofOne = /^(?:date|x-request-id|connection|keep-alive|vary|access-control-.*)$/;
  const kept = Object.entries(headers).filter(([name]) => !ofOne.test(name));
  const withoutSecond = kept.map(([name, value]) => [name, name === "x-ratelimit-reset" ? "an instant" : value]);
  const { rate_limit: _, ...body }: Record<string, unknown> = text === "" ? {} : JSON.parse(text);
  return { status, headers: { ...Object.fromEntries(withoutSecond), "content-length": undefined }, body };
}

const reasonOf = ({ text }: SidecarAnswer): string => JSON.parse(text).reason;

test("an admitted key gets from the sidecar what the service answers, and the sidecar has decided", async () => {
  const running = await start();
  const user = await latchkey.dashboard();
  const fields = { permissions: ["plans:*"], metadata: { plan: "pro" }, external_id: "customer-7" };
  const { key } = await latchkey.createKey(user, fields);
  const headers = { "x-api-key": key };
  const [own, theirs] = [
    await running.verify(headers, { scope: "plans:read" }),
    await direct(headers, { scope: "plans:read" }),
  ];
  expect(own.status).toBe(200);
  expect(comparable(own)).toEqual(comparable(theirs));
  const [checked, theirCheck] = [
    await running.check("?scope=plans:read", headers),
    await directCheck("?scope=plans:read", headers),
  ];
  expect(checked.headers["x-auth-permissions"]).toBe("plans:*");
  expect(comparable(checked)).toEqual(comparable(theirCheck));
  expect(running.sidecar.status).toMatchObject({ decided: 2, asked: 0 });
});

test("a generated client finds Verify on its own path, in JSON and in binary", async () => {
  const running = await start();
  const { key } = await latchkey.createKey(await latchkey.dashboard());
  const place = {
    ...placeOf(running.sidecar.port?.url ?? ""),
    method: "POST",
    path: "/latchkey.v1.AuthService/Verify",
  };
  const json = await send(place, { "x-api-key": key }, "{}");
  expect(JSON.parse(json.text)).toMatchObject({ caller: "CALLER_SECRET_KEY" });
  const binary = await send(place, { "x-api-key": key, "content-type": "application/proto" });
  expect([binary.status, binary.headers["content-type"]]).toEqual([200, "application/proto"]);
  expect(running.sidecar.status).toMatchObject({ decided: 2, asked: 0 });
});

describe("a denied key gets from the sidecar what the service answers", () => {
  interface Denied {
    readonly reason: string;
    readonly headers: Record<string, string>;
    readonly body?: object;
    readonly query?: string;
  }

  async function changed(path: string): Promise<Record<string, string>> {
    const user = await latchkey.dashboard();
    const { key, key_id } = await latchkey.createKey(user);
    await latchkey.call(`/api/v1/api-keys/${path}`, { key_id }, user);
    return { "x-api-key": key };
  }

  async function keyWith(fields: object): Promise<Record<string, string>> {
    const { key } = await latchkey.createKey(await latchkey.dashboard(), { ...fields });
    return { "x-api-key": key };
  }

  const CASES: Record<string, () => Promise<Denied>> = {
    "an unknown key": async () => ({ reason: "api_key_not_found", headers: { "x-api-key": `sk_${"a".repeat(43)}` } }),
    "a revoked key": async () => ({ reason: "api_key_revoked", headers: await changed("revoke") }),
    "a disabled key": async () => ({ reason: "api_key_disabled", headers: await changed("disable") }),
    "a key without the scope": async () => ({
      reason: "insufficient_scope",
      headers: await keyWith({}),
      body: { scope: "billing:write" },
      query: "?scope=billing:write",
    }),
    "a key for another network": async () => ({
      reason: "origin_not_allowed",
      headers: await keyWith({ allowed_ips: ["198.51.100.0/24"] }),
    }),
    "a key of a browser that may not": async () => ({
      reason: "origin_not_allowed",
      headers: { ...(await keyWith({})), "sec-fetch-site": "cross-site", origin: "https://a.example" },
    }),
    "an act for a user without the scope": async () => ({
      reason: "insufficient_scope",
      headers: { ...(await keyWith({})), "x-on-behalf-of": "user-7" },
    }),
    "two keys": async () => ({ reason: "missing_credentials", headers: { "x-api-key": "sk_one, sk_two" } }),
  };

  test.each(Object.keys(CASES))("%s", async (name) => {
    const running = await start();
    const { reason, headers, body = {}, query = "" } = (await CASES[name]?.()) ?? { reason: "", headers: {} };
    const own = await running.verify(headers, body);
    expect(comparable(own)).toEqual(comparable(await direct(headers, body)));
    if (name !== "two keys") expect(reasonOf(own)).toBe(reason);
    const checked = await running.check(query, headers);
    expect(comparable(checked)).toEqual(comparable(await directCheck(query, headers)));
    expect(checked.headers["x-auth-denial-reason"]).toBe(reasonOf(own));
    expect(running.sidecar.status).toMatchObject({ decided: 2, asked: 0 });
  });

  test("a key that has expired meanwhile", async () => {
    const running = await start();
    const user = await latchkey.dashboard();
    // By PostgreSQL's clock, which no test moves.
    const { key } = await latchkey.createKey(user, { expires_at: new Date(latchkey.clock.now().getTime() + 5_000) });
    expect((await running.verify({ "x-api-key": key })).status).toBe(200);
    await expect.poll(async () => (await running.verify({ "x-api-key": key })).status).toBe(401);
    expect(reasonOf(await running.verify({ "x-api-key": key }))).toBe("api_key_expired");
  });

  test("a key over its limit, whose headers count down", async () => {
    const running = await start();
    const { key } = await latchkey.createKey(await latchkey.dashboard(), { rate_limit: { requests_per_hour: 3 } });
    const remaining: (string | undefined)[] = [];
    for (let n = 0; n < 3; n++)
      remaining.push((await running.verify({ "x-api-key": key })).headers["x-ratelimit-remaining"]);
    // Never more than there is: it is what is left of the slice.
    expect(remaining.map(Number).every((left, n) => left <= 2 - n)).toBe(true);
    expect(remaining.at(-1)).toBe("0");
    const own = await running.check("", { "x-api-key": key });
    const theirs = await directCheck("", { "x-api-key": key });
    expect([own.status, own.headers["x-auth-denial-reason"]]).toEqual([429, "rate_limited"]);
    expect([own.headers["x-ratelimit-limit"], own.headers["x-ratelimit-remaining"]]).toEqual(["3", "0"]);
    expect(theirs.status).toBe(429);
  });

  test("an invalid message", async () => {
    const running = await start();
    const headers = await keyWith({});
    for (const body of ["{", "[]", '{"scopes":"plans:read"}', '{"nonsense":1}', '{"cost":1001}']) {
      const place = { ...placeOf(running.sidecar.port?.url ?? ""), method: "POST", path: VERIFY };
      const own = await send(place, headers, body);
      const theirs = await send({ ...place, ...placeOf(latchkey.url) }, headers, body);
      expect(own.status).toBe(400);
      expect(comparable(own)).toEqual(comparable(theirs));
    }
    expect((await running.check("?scopes=plans:read", headers)).status).toBe(400);
  });
});

test("a key that was changed or revoked is decided again after the answer", async () => {
  const running = await start();
  const user = await latchkey.dashboard();
  const { key, key_id } = await latchkey.createKey(user);
  const headers = { "x-api-key": key };
  expect((await running.verify(headers)).status).toBe(200);
  await latchkey.call(
    "/api/v1/api-keys/update",
    { key_id, permissions: ["plans:read"], update_mask: "permissions" },
    user,
  );
  expect((await running.verify(headers, { scope: "conversations:read" })).status).toBe(403);
  await latchkey.call("/api/v1/api-keys/revoke", { key_id }, user);
  expect(reasonOf(await running.verify(headers))).toBe("api_key_revoked");
  expect(running.sidecar.status.asked).toBe(0);
});

describe("what the sidecar cannot decide is passed on as it came", () => {
  test("a dashboard user's token, and a call without credentials", async () => {
    const running = await start();
    const headers = await latchkey.dashboard();
    const own = await running.verify(headers, { scope: "plans:read" });
    expect(JSON.parse(own.text)).toMatchObject({ caller: "CALLER_DASHBOARD_USER", user_id: "user-1" });
    expect(comparable(own)).toEqual(comparable(await direct(headers, { scope: "plans:read" })));
    const checked = await running.check("?scope=plans:read", headers);
    expect(comparable(checked)).toEqual(comparable(await directCheck("?scope=plans:read", headers)));
    const none = await running.check("", {});
    expect(comparable(none)).toEqual(comparable(await directCheck("", {})));
    expect(none.headers["www-authenticate"]).toBe('Bearer realm="latchkey"');
    expect(running.sidecar.status).toMatchObject({ decided: 0, asked: 3 });
  });

  test("an access token of the service", async () => {
    const running = await start();
    const { key } = await latchkey.createKey(await latchkey.dashboard());
    const derived = await latchkey.call(
      "/api/v1/tokens/derive",
      { scopes: ["conversations:read"] },
      { "x-api-key": key },
    );
    const headers = { authorization: `Bearer ${derived.json.result.token}` };
    const own = await running.verify(headers);
    expect(JSON.parse(own.text)).toMatchObject({ token_id: derived.json.result.token_id });
  });

  test("with its request id, by which the service's log has it, and its client's address", async () => {
    const running = await start();
    const id = `req_${crypto.randomUUID()}`;
    const headers = {
      ...(await latchkey.dashboard()),
      "x-request-id": id,
      "x-forwarded-for": "203.0.113.7, 198.51.100.9",
    };
    const answer = await running.verify(headers);
    expect(answer.headers["x-request-id"]).toBe(id);
    const line = latchkey.logLines.map((text) => JSON.parse(text)).find(({ request_id }) => request_id === id);
    expect(line).toMatchObject({ client_address: "198.51.100.9", user_id: "user-1" });
  });

  test("except a body that is longer than 64 KiB", async () => {
    const running = await start();
    const long = await running.verify(await latchkey.dashboard(), { scope: "a".repeat(70_000) });
    expect([long.status, reasonOf(long)]).toEqual([413, "body_too_large"]);
  });

  test("a call while there is no lease is decided by the service, and counted once", async () => {
    const other = await startLatchkey({ config: { edgeTokens: [] } });
    onTestFinished(() => other.close());
    const running = await runSidecar(other.url);
    const user = await other.dashboard();
    const { key, key_id } = await other.createKey(user, { rate_limit: { requests_per_hour: 10 } });
    const answer = await running.verify({ "x-api-key": key });
    expect([answer.status, answer.headers["x-ratelimit-remaining"]]).toEqual([200, "9"]);
    expect(running.sidecar.status).toMatchObject({ decided: 0, asked: 1, isConnected: false });
    const used = await other.call("/api/v1/api-keys/usage", { key_id }, user);
    expect(used.json).toMatchObject({ result: { total_verifications: 1 } });
  });
});

test("users of a publishable key are decided here, and a resource of OAuth takes only tokens for itself", async () => {
  const RESOURCE = "https://mcp.example/mcp";
  const service = await startPublishable({
    edgeTokens: [EDGE_TOKEN],
    resource: protectedResource(RESOURCE, ["https://idp.example"], ["plans:read"]),
  });
  onTestFinished(() => service.latchkey.close());
  const running = await runSidecar(service.latchkey.url);
  await mayDecide(running);
  const app = await service.newApp();
  const verified = await running.verify(app.headers());
  expect(JSON.parse(verified.text)).toMatchObject({ caller: "CALLER_PUBLISHABLE_KEY", user_id: "user_1" });
  const forResource = app.token({ aud: [app.audience, RESOURCE] });
  expect((await running.check("", app.headers(forResource))).headers["x-auth-user-id"]).toBe("user_1");
  const other = await running.check("?scope=plans:read", app.headers());
  expect([other.status, other.headers["x-auth-denial-reason"]]).toEqual([401, "jwt_invalid_audience"]);
  expect(other.headers["www-authenticate"]).toContain("resource_metadata=");
  const theirs = { ...placeOf(service.latchkey.url), method: "GET", path: "/auth/check?scope=plans:read" };
  expect(comparable(other)).toEqual(comparable(await send(theirs, app.headers())));
  expect(running.sidecar.status.asked).toBe(0);
});

describe("the client's address decides about a key's networks", () => {
  test("as the local proxy says it", async () => {
    const running = await start();
    const { key } = await latchkey.createKey(await latchkey.dashboard(), { allowed_ips: ["203.0.113.0/24"] });
    const from = async (address: string) =>
      (await running.check("", { "x-api-key": key, "x-forwarded-for": address })).status;
    expect(await from("203.0.113.9")).toBe(200);
    expect(await from("198.51.100.9")).toBe(403);
    expect(await from("203.0.113.9, 198.51.100.9")).toBe(403);
    expect((await running.check("", { "x-api-key": key })).status).toBe(403);
  });

  test("and as the connection says it, where the proxy is not trusted", async () => {
    const running = await start({ trustedProxies: trusting(["10.0.0.0/8"]) });
    const { key } = await latchkey.createKey(await latchkey.dashboard(), { allowed_ips: ["203.0.113.0/24"] });
    expect((await running.check("", { "x-api-key": key, "x-forwarded-for": "203.0.113.9" })).status).toBe(403);
  });
});

test("without the service nothing is admitted: 503 once the lease has ended, and denials until then", async () => {
  const other = await startLatchkey({ config: { edgeTokens: [EDGE_TOKEN] } });
  let isClosed = false;
  onTestFinished(async () => void (isClosed || (await other.close())));
  const running = await runSidecar(other.url);
  await mayDecide(running);
  const { key } = await other.createKey(await other.dashboard());
  expect((await running.verify({ "x-api-key": key })).status).toBe(200);
  expect((await running.get("/readyz")).status).toBe(200);
  await other.close();
  isClosed = true;
  await mayNotDecide(running);
  for (const answer of [await running.verify({ "x-api-key": key }), await running.check("", { "x-api-key": key })]) {
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.text)).toMatchObject({ code: "unavailable", reason: "verifier_error" });
    expect(answer.headers).toMatchObject({ "retry-after": "1", "cache-control": "no-store" });
  }
  expect((await running.get("/readyz")).status).toBe(503);
  expect((await running.get("/healthz")).status).toBe(200);
});

test("on the admin port of the service a sidecar can follow and ask", async () => {
  const other = await startLatchkey({ config: { edgeTokens: [EDGE_TOKEN], adminPort: 0 } });
  onTestFinished(() => other.close());
  const running = await runSidecar(other.adminUrl ?? "");
  await mayDecide(running);
  const user = await other.dashboard();
  const { key } = await other.createKey(user);
  expect((await running.verify({ "x-api-key": key })).status).toBe(200);
  expect((await running.verify(user)).status).toBe(200);
  expect((await running.check("", user)).status).toBe(200);
  expect(running.sidecar.status).toMatchObject({ decided: 1, asked: 2 });
});

test("an address that is not trusted has as many connections to the sidecar as the setting says", async () => {
  const overload = { ...NO_BOUNDS, connectionsPerAddressMax: 1 };
  const { sidecar } = await start({ overload, trustedProxies: trusting(["192.0.2.1"]) });
  const { host, port } = placeOf(sidecar.port?.url ?? "");
  const open = () => {
    const socket = connect(Number(port), host).setEncoding("utf8");
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  const first = open();
  first.write("GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n");
  expect(String((await once(first, "data"))[0])).toMatch(/^HTTP\/1.1 200 /);
  expect(String((await once(open(), "data"))[0])).toMatch(/^HTTP\/1.1 503 .*"reason":"overloaded"/s);
});

test("metrics say what the edge does, and other paths are not there", async () => {
  const running = await start();
  const user = await latchkey.dashboard();
  const { key } = await latchkey.createKey(user);
  await running.verify({ "x-api-key": key });
  await running.verify(user);
  const { text } = await running.get("/metrics");
  const sample = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  expect(sample("latchkey_edge_decided_total")).toBe(1);
  expect(sample("latchkey_edge_asked_total")).toBe(1);
  expect(sample("latchkey_edge_records")).toBe(2);
  expect(sample("latchkey_edge_lease_seconds")).toBeGreaterThan(0);
  expect(sample("latchkey_edge_lag_seconds")).toBeGreaterThanOrEqual(0);
  expect(text).toContain('latchkey_request_duration_seconds_count{procedure="latchkey.v1.AuthService/Verify"');
  for (const path of ["/openapi.json", "/docs", "/console"]) expect((await running.get(path)).status).toBe(404);
  const list = { ...placeOf(running.sidecar.port?.url ?? ""), method: "POST", path: "/api/v1/api-keys/list" };
  expect((await send(list, user, "{}")).status).toBe(404);
});

test("uses that the sidecar has decided are the key's, once it has ended", async () => {
  const running = await start();
  const user = await latchkey.dashboard();
  const { key, key_id } = await latchkey.createKey(user, { rate_limit: { requests_per_hour: 1_000 } });
  for (let n = 0; n < 5; n++) expect((await running.verify({ "x-api-key": key })).status).toBe(200);
  await running.sidecar.close();
  const used = await latchkey.call("/api/v1/api-keys/usage", { key_id }, user);
  expect(used.json).toMatchObject({ result: { total_verifications: 5 } });
  // What was not spent of its slice is the key's again.
  expect((await direct({ "x-api-key": key })).headers["x-ratelimit-remaining"]).toBe("994");
});
