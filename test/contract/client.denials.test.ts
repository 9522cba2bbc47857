import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { createLatchkeyClient, denialOf, isDenial } from "../../clients/typescript/src/index.ts";
import { dashboardClient, newKey, secretKeyClient } from "../harness/clients.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (err: unknown) => err,
  );

/** A client whose key admits so many requests a minute; its pauses move the service's clock instead of waiting. */
async function limitedClient(requestsPerMinute: number, attemptsMax: number) {
  const { result } = await dashboardClient(latchkey).apiKeys.createApiKey({
    name: "limited",
    permissions: ["conversations:read"],
    rateLimit: { requestsPerMinute },
  });
  const pauses: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    pauses.push(ms);
    latchkey.clock.advance(ms);
  };
  const retry = { attemptsMax, sleep, pauseMsMax: 60_000 };
  return { client: secretKeyClient(latchkey, result?.key ?? "", { retry }), pauses };
}

describe("a denial", () => {
  test("has its reason", async () => {
    const expiresAt = timestampFromDate(new Date(latchkey.clock.now().getTime() + HOUR));
    const fields = { name: "k", permissions: ["conversations:read"], expiresAt };
    const { result } = await dashboardClient(latchkey).apiKeys.createApiKey(fields);
    const client = secretKeyClient(latchkey, result?.key ?? "");
    await client.gateway.listThreads({});
    latchkey.clock.advance(HOUR);
    const err = await failureOf(client.gateway.listThreads({}));
    expect(isDenial(err)).toBe(true);
    expect(isDenial(err, "api_key_expired")).toBe(true);
    expect(isDenial(err, "api_key_revoked", "api_key_expired")).toBe(true);
    expect(isDenial(err, "api_key_revoked")).toBe(false);
    expect(denialOf(err)).toEqual({ reason: "api_key_expired", message: expect.stringContaining("expired") });
  });

  test.each([
    ["api_key_invalid", "nonsense"],
    ["api_key_not_found", "sk_nonsense"],
  ] as const)("of a value that is not a key is %s", async (reason, apiKey) => {
    const err = await failureOf(secretKeyClient(latchkey, apiKey).gateway.listThreads({}));
    expect(denialOf(err)?.reason).toBe(reason);
  });

  test("of a user without a tenant is tenant_required", async () => {
    const getUserToken = () => latchkey.dashboardToken({ tenant_id: undefined });
    const client = createLatchkeyClient({ baseUrl: latchkey.url, getUserToken });
    expect(isDenial(await failureOf(client.apiKeys.listApiKeys({})), "tenant_required")).toBe(true);
  });

  test("of the rate limit has the limit and the time until a retry", async () => {
    const { client } = await limitedClient(2, 1);
    for (let n = 0; n < 2; n += 1) await client.gateway.listThreads({});
    const denial = denialOf(await failureOf(client.gateway.listThreads({})));
    expect(denial).toMatchObject({ reason: "rate_limited", rateLimit: { limit: 2, remaining: 0 } });
    const untilReset = (denial?.rateLimit?.resetAt.getTime() ?? 0) - latchkey.clock.now().getTime();
    expect(untilReset).toBeGreaterThan(50_000);
    expect(untilReset).toBeLessThanOrEqual(61_000);
    expect(denial?.retryAfterSeconds).toBeGreaterThanOrEqual(1);
  });

  test("is distinct from every other error", async () => {
    const key = await newKey(dashboardClient(latchkey), "conversations:read");
    const state = secretKeyClient(latchkey, key).gateway.getConversationState({ conversationKey: "none" });
    for (const err of [await failureOf(state), new Error("api_key_expired"), undefined, { denial_reason: "x" }]) {
      expect(denialOf(err)).toBeUndefined();
      expect(isDenial(err)).toBe(false);
    }
  });
});

test("a limited client that waits for Retry-After is served", async () => {
  const { client, pauses } = await limitedClient(3, 2);
  for (let n = 0; n < 9; n += 1) await client.gateway.listThreads({});
  expect(pauses.length).toBeGreaterThanOrEqual(2);
  for (const ms of pauses) expect(ms).toBeLessThanOrEqual(60_000);
});
