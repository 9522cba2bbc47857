// promise: limits.dashboard
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterAll, describe, expect, test } from "vitest";
import { DenialReason, DenialSchema } from "../../gen/latchkey/v1/denial_pb.ts";
import { ScopeService } from "../../gen/latchkey/v1/scope_service_pb.ts";
import { type Answer, toAnswer } from "../harness/http.ts";
import { sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { SECOND } from "../harness/test-clock.ts";

const SCOPES = "/api/v1/scopes/list";
const VERIFY = "/api/v1/auth/verify";

const latchkey = await startLatchkey({ config: { dashboardRequestsPerMinute: 3 } });
const unlimited = await sharedLatchkey();
afterAll(() => latchkey.close());

let users = 0;

/** A user of their own, with a new tenant at each token. */
async function newUser(service = latchkey) {
  const sub = `limited-${++users}`;
  const headers = async () => ({ authorization: `Bearer ${await service.dashboardToken({ sub })}` });
  const call = async (path = SCOPES, body: object = {}) => service.call(path, body, await headers());
  return { headers, call };
}

function statusesOf(answers: readonly Answer[]): number[] {
  return answers.map(({ status }) => status);
}

describe("the limit of a dashboard user", () => {
  test("admits so many requests in a minute, whatever the tenant, and none of another user's", async () => {
    const [anna, ben] = [await newUser(), await newUser()];
    const answers = [
      await anna.call(),
      await anna.call(VERIFY),
      await anna.call("/api/v1/orgs/list"),
      await anna.call(),
    ];
    expect(statusesOf(answers)).toEqual([200, 200, 200, 429]);
    expect((await ben.call()).status).toBe(200);
  });

  test("is reported where it denies, as a key's is, and a retry after Retry-After is admitted", async () => {
    const { call } = await newUser();
    const admitted = await call();
    for (const name of ["x-ratelimit-limit", "retry-after"]) expect(admitted.headers.has(name)).toBe(false);
    latchkey.clock.advance(20 * SECOND);
    for (let n = 0; n < 2; n++) await call();
    const denied = await call();
    expect(denied).toMatchObject({
      status: 429,
      json: {
        code: "resource_exhausted",
        denial_reason: "rate_limited",
        message: expect.stringContaining("that each dashboard user has"),
        rate_limit: { limit: 3, remaining: 0 },
      },
    });
    expect([denied.headers.get("x-ratelimit-limit"), denied.headers.get("x-ratelimit-remaining")]).toEqual(["3", "0"]);
    const seconds = Number(denied.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(40);
    latchkey.clock.advance(seconds * SECOND);
    expect((await call()).status).toBe(200);
  });

  test("is spent by what is refused afterwards, and not by a token that is refused", async () => {
    const { call, headers } = await newUser();
    const { authorization } = await headers();
    for (let n = 0; n < 5; n++) {
      const forged = { authorization: `${authorization.slice(0, -4)}AAAA` };
      expect((await latchkey.call(SCOPES, {}, forged)).status).toBe(401);
    }
    const answers = [
      await call("/api/v1/operator/tenants/list"),
      await call("/api/v1/api-keys/get", { key_id: "key_unknown" }),
      await call("/api/v1/api-keys/get", { unknown: 1 }),
      await call(),
    ];
    expect(statusesOf(answers)).toEqual([403, 404, 400, 429]);
  });

  test.each([
    ["Connect", createConnectTransport({ baseUrl: latchkey.url, httpVersion: "1.1" })],
    ["gRPC", createGrpcTransport({ baseUrl: latchkey.url })],
    ["gRPC-Web", createGrpcWebTransport({ baseUrl: latchkey.url, httpVersion: "1.1" })],
  ])("denies over %s with the same facts", async (_, transport) => {
    const { call, headers } = await newUser();
    for (let n = 0; n < 3; n++) await call();
    const client = createClient(ScopeService, transport);
    const err = await client.listScopes({}, { headers: await headers() }).then(() => undefined, ConnectError.from);
    expect(err?.code).toBe(Code.ResourceExhausted);
    expect(Number(err?.metadata.get("retry-after"))).toBeGreaterThan(0);
    const [detail] = err?.findDetails(DenialSchema) ?? [];
    expect(detail).toMatchObject({ reason: DenialReason.RATE_LIMITED, rateLimit: { limit: 3, remaining: 0 } });
  });

  test("denies on /auth/check", async () => {
    const { call, headers } = await newUser();
    for (let n = 0; n < 3; n++) await call();
    const check = await fetch(`${latchkey.url}/auth/check`, { headers: await headers() });
    expect((await toAnswer(check)).json).toMatchObject({ denial_reason: "rate_limited" });
  });

  test("is of no key, and not of the operator's token", async () => {
    const { key } = await latchkey.createKey(await (await newUser()).headers());
    for (let n = 0; n < 6; n++) expect((await latchkey.call(VERIFY, {}, { "x-api-key": key })).status).toBe(200);
    const operator = operatorOf(latchkey);
    for (let n = 0; n < 6; n++) expect((await operator.call("tenants/list", {})).status).toBe(200);
  });

  test("is absent where it is 0", async () => {
    const { call } = await newUser(unlimited);
    for (let n = 0; n < 10; n++) expect((await call()).status).toBe(200);
  });
});
