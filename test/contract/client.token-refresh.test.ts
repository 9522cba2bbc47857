import { afterAll, beforeAll, expect, test } from "vitest";
import {
  ConnectError,
  createLatchkeyClient,
  denialOf,
  isDenial,
  type TokenSource,
} from "../../clients/typescript/src/index.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";

let latchkey: Latchkey;
beforeAll(async () => {
  latchkey = await startLatchkey();
});
afterAll(() => latchkey.close());

const TWO_HOURS_MS = 7_200_000;

/** A client whose token source caches its token, as those of identity providers do; with what it was asked. */
async function cachingClient(renew: TokenSource) {
  let token = await latchkey.dashboardToken({ tenant_id: newTenant() });
  const asked: boolean[] = [];
  let requests = 0;
  const client = createLatchkeyClient({
    baseUrl: latchkey.url,
    getUserToken: async (options) => {
      asked.push(options.refresh);
      if (options.refresh) token = await renew(options);
      return token;
    },
    fetch: (...args) => {
      requests += 1;
      return fetch(...args);
    },
  });
  return { client, refreshes: () => asked.filter(Boolean).length, requests: () => requests };
}

test("calls that are denied since their token expired share one new one, and are made once more", async () => {
  const tenant = newTenant();
  const { client, refreshes, requests } = await cachingClient(() => latchkey.dashboardToken({ tenant_id: tenant }));
  await client.gateway.listThreads({});
  expect([refreshes(), requests()]).toEqual([0, 1]);
  latchkey.clock.advance(TWO_HOURS_MS);
  const answers = await Promise.all(Array.from({ length: 5 }, () => client.auth.verify({})));
  expect(new Set(answers.map(({ tenantId }) => tenantId))).toEqual(new Set([tenant]));
  expect([refreshes(), requests()]).toEqual([1, 11]);
  await client.apiKeys.createApiKey({ name: "k", permissions: ["plans:read"] });
  expect([refreshes(), requests()]).toEqual([1, 12]);
  latchkey.clock.advance(TWO_HOURS_MS);
  await client.auth.verify({});
  expect([refreshes(), requests()]).toEqual([2, 14]);
});

test("a call is made no third time", async () => {
  const stale = [await latchkey.dashboardToken(), await latchkey.dashboardToken()];
  const { client, refreshes, requests } = await cachingClient(() => stale[0] ?? "");
  latchkey.clock.advance(TWO_HOURS_MS);
  const err = await client.auth.verify({}).catch((err: unknown) => err);
  expect(denialOf(err)?.reason).toBe("jwt_expired");
  expect([refreshes(), requests()]).toEqual([1, 2]);
});

test("a call is not made again with the same token, nor for another denial", async () => {
  const same = await latchkey.dashboardToken();
  let asked = 0;
  const getUserToken = () => {
    asked += 1;
    return same;
  };
  const client = createLatchkeyClient({ baseUrl: latchkey.url, getUserToken });
  latchkey.clock.advance(TWO_HOURS_MS);
  await expect(client.auth.verify({})).rejects.toSatisfy((err) => isDenial(err, "jwt_expired"));
  expect(asked).toBe(2);
  asked = 0;
  const malformed = createLatchkeyClient({ baseUrl: latchkey.url, getUserToken: () => `a.b.c${asked++}` });
  await expect(malformed.auth.verify({})).rejects.toSatisfy((err) => isDenial(err, "jwt_malformed"));
  expect(asked).toBe(1);
});

test("a refresh that fails ends the call that needs it, and the next one asks again", async () => {
  let fails = true;
  const { client, refreshes } = await cachingClient(() => {
    if (fails) throw new Error("signed out");
    return latchkey.dashboardToken();
  });
  latchkey.clock.advance(TWO_HOURS_MS);
  const err = await client.auth.verify({}).catch((err: unknown) => err);
  expect(ConnectError.from(err).message).toContain("signed out");
  expect(refreshes()).toBe(1);
  fails = false;
  expect((await client.auth.verify({})).tenantId).toMatch(/^ten_/);
  expect(refreshes()).toBe(2);
});

test("a call's own signal ends the call, and not the refresh that others wait for", async () => {
  const gate = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const { client } = await cachingClient(async ({ signal }) => {
    signals.push(signal);
    await gate.promise;
    return latchkey.dashboardToken();
  });
  latchkey.clock.advance(TWO_HOURS_MS);
  const controller = new AbortController();
  const ended = client.auth.verify({}, { signal: controller.signal });
  const waiting = client.auth.verify({});
  await expect.poll(() => signals.length).toBe(1);
  controller.abort();
  await expect(ended).rejects.toThrow("abort");
  expect(signals[0]?.aborted).toBe(false);
  gate.resolve();
  expect((await waiting).tenantId).toMatch(/^ten_/);
});
