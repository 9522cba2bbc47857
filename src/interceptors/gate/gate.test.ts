// promise: usage.series, audit.impersonation, audit.no-hiding
import { Code, ConnectError, createContextValues, type HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { newCall, START, startGate } from "../../../test/harness/memory-gate.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import { setCall } from "../call.ts";
import { createCheckCaller } from "./check-caller.ts";
import { toRequestGate } from "./gate.ts";

const LIST_THREADS = "/api/v1/llm/gateway/list-threads";
const SCOPED = { permissions: ["conversations:read"] };
const TWO_A_MINUTE = { rateLimit: { requestsPerMinute: 2, requestsPerHour: 0, burstSize: 0 } };
const OUTAGE = new StoreUnavailable(new Error("down"), 3_000);

describe("a request with a usable secret key", () => {
  test("passes, and its caller, its policy and what is left of its limit are recorded", async () => {
    const { gate, methodOf, storeKey } = await startGate();
    const { key, secret } = await storeKey({ ...SCOPED, ...TWO_A_MINUTE });
    const call = newCall({ apiKey: [secret] });
    const principal = await gate.check(methodOf(LIST_THREADS), call);
    const rights = { scopes: key.permissions, includeReserved: true };
    expect(principal).toEqual({ kind: "secret_key", key, tenantId: key.tenantId, onBehalfOf: null, rights });
    expect(call).toMatchObject({
      policy: { path: LIST_THREADS, scope: "conversations:read" },
      verdict: {
        outcome: "admitted",
        failedCheck: undefined,
        caller: "secret_key",
        principal,
        presented: { key, at: START },
      },
      limit: { kind: "allow", limit: 2, remaining: 1 },
    });
  });

  test("for a user is recorded for the audit trail once it is admitted, and no other is", async () => {
    const { gate, methodOf, storeKey, impersonations } = await startGate();
    const { secret } = await storeKey({ permissions: ["*"], ...TWO_A_MINUTE });
    const { secret: without } = await storeKey(SCOPED);
    const use = async (credentials: Parameters<typeof newCall>[0], denial?: Denial) => {
      const call = newCall(credentials);
      await Promise.resolve(gate.check(methodOf(LIST_THREADS), call)).catch(() => {});
      if (denial !== undefined) call.denial = denial;
      gate.conclude(call);
    };
    await use({ apiKey: [without] });
    await use({ apiKey: [without], onBehalfOf: ["u1"] });
    await use({ apiKey: [secret], onBehalfOf: ["u1"] }, new Denial("insufficient_scope"));
    expect(impersonations).toEqual([]);
    await use({ apiKey: [secret], onBehalfOf: ["u1"] });
    await use({ apiKey: [secret], onBehalfOf: ["u1"] });
    expect(impersonations).toEqual([{ at: START, requestId: "req_1", onBehalfOf: "u1" }]);
  });

  test("for a user whom the audit trail cannot name is denied, with the seconds to wait, and not recorded", async () => {
    const named = new Set(["u1"]);
    const { gate, methodOf, storeKey, impersonations, uses } = await startGate(({ impersonations: recorder }) => ({
      impersonations: { ...recorder, hasRoom: (_, { onBehalfOf }) => onBehalfOf === null || named.has(onBehalfOf) },
    }));
    const { secret } = await storeKey({ permissions: ["*"], ...TWO_A_MINUTE });
    const use = async (onBehalfOf: string[]) => {
      const call = newCall({ apiKey: [secret], onBehalfOf });
      await Promise.resolve(gate.check(methodOf(LIST_THREADS), call)).catch(() => {});
      gate.conclude(call);
      return call;
    };
    const refused = await use(["made up"]);
    expect(refused).toMatchObject({
      verdict: { outcome: "refused", failedCheck: "rate_limit" },
      denial: { reason: "rate_limited" },
      limit: { limit: 2, remaining: 0, retryAfterSeconds: 1 },
    });
    expect(refused.limit?.resetAt.getTime()).toBeGreaterThanOrEqual(START.getTime() + 1_000);
    expect((await use(["u1"])).denial).toBeUndefined();
    expect(impersonations).toMatchObject([{ onBehalfOf: "u1" }]);
    expect(uses).toMatchObject([{ failure: "rate_limited" }, { failure: undefined }]);
  });

  test("is denied beyond its limit, with the seconds to wait", async () => {
    const { gate, methodOf, storeKey } = await startGate();
    const { secret } = await storeKey({ ...SCOPED, ...TWO_A_MINUTE });
    for (let n = 0; n < 2; n++) await gate.check(methodOf(LIST_THREADS), newCall({ apiKey: [secret] }));
    const call = newCall({ apiKey: [secret] });
    await expect(gate.check(methodOf(LIST_THREADS), call)).rejects.toThrow("exceeded its rate limit");
    expect(call).toMatchObject({
      verdict: { outcome: "refused", failedCheck: "rate_limit" },
      denial: { reason: "rate_limited" },
      limit: { kind: "deny", remaining: 0, retryAfterSeconds: 60 },
    });
  });

  test("spends its limit even if it lacks the scope", async () => {
    const { gate, methodOf, storeKey } = await startGate();
    const { secret } = await storeKey({ permissions: ["plans:read"], ...TWO_A_MINUTE });
    const call = newCall({ apiKey: [secret] });
    await expect(gate.check(methodOf(LIST_THREADS), call)).rejects.toThrow("lacks the scope conversations:read");
    expect(call).toMatchObject({
      verdict: { outcome: "refused", failedCheck: "scope", principal: { kind: "secret_key" } },
      limit: { remaining: 1 },
    });
  });

  test("acts for the user of X-On-Behalf-Of", async () => {
    const { gate, methodOf, storeKey } = await startGate();
    const { secret } = await storeKey({ permissions: ["*"] });
    const call = newCall({ apiKey: [secret], onBehalfOf: ["u1"] });
    expect(await gate.check(methodOf(LIST_THREADS), call)).toMatchObject({ onBehalfOf: "u1" });
    expect(call.verdict?.principal).toMatchObject({ onBehalfOf: "u1" });
  });
});

describe("the limit of a refused request", () => {
  test("is reported and not spent where a publishable key's user is refused", async () => {
    const { gate, methodOf, storePublishableKey } = await startGate();
    const { secret } = await storePublishableKey({}, TWO_A_MINUTE);
    for (let n = 0; n < 3; n++) {
      const call = newCall({ apiKey: [secret], authorization: ["Bearer x.y.z"] });
      await expect(gate.check(methodOf(LIST_THREADS), call)).rejects.toThrow();
      expect(call.limit).toMatchObject({ limit: 2, remaining: 2, resetAt: START });
    }
  });

  test.each([
    ["revoked", { revokedAt: START }],
    ["disabled", { disabledAt: START }],
    ["expired", { expiresAt: START }],
  ])("is used up for a key that is %s", async (status, fields) => {
    const { gate, methodOf, storeKey } = await startGate();
    const { secret } = await storeKey({ ...SCOPED, ...TWO_A_MINUTE, ...fields });
    const call = newCall({ apiKey: [secret] });
    await expect(gate.check(methodOf(LIST_THREADS), call)).rejects.toThrow(status);
    expect(call).toMatchObject({ denial: { reason: `api_key_${status}` } });
    expect(call.limit).toEqual({ limit: 0, remaining: 0, resetAt: START });
  });

  test("is used up for an unknown or malformed key, and absent without a key", async () => {
    const { gate, methodOf, dashboardToken } = await startGate();
    for (const secret of [`sk_${"0".repeat(30)}4LUZwA`, "sk_x", ""]) {
      const call = newCall({ apiKey: [secret] });
      await expect(gate.check(methodOf(LIST_THREADS), call)).rejects.toThrow();
      expect(call.limit).toEqual({ limit: 0, remaining: 0, resetAt: START });
    }
    const refused = newCall({ authorization: ["Bearer x.y.z"] });
    await expect(gate.check(methodOf(LIST_THREADS), refused)).rejects.toThrow();
    expect(refused).toMatchObject({ verdict: { outcome: "refused" } });
    expect(refused.limit).toBeUndefined();
    const passed = newCall({ authorization: [`Bearer ${dashboardToken()}`] });
    await gate.check(methodOf(LIST_THREADS), passed);
    expect(passed.limit).toBeUndefined();
  });

  test("is unknown if it cannot be read: nothing is left, the failure is logged, and the answer stays", async () => {
    const { gate, methodOf, storePublishableKey, reported } = await startGate(({ admission }) => ({
      admission: { ...admission, peek: () => Promise.reject(OUTAGE) },
    }));
    const { secret } = await storePublishableKey({}, TWO_A_MINUTE);
    const call = newCall({ apiKey: [secret] });
    await expect(gate.check(methodOf(LIST_THREADS), call)).rejects.toThrow("A publishable key needs its user's token");
    expect(call.limit).toEqual({ limit: 0, remaining: 0, resetAt: START });
    expect(reported).toEqual([OUTAGE, call.denial]);
  });

  test("is unknown if it cannot be spent: nothing is left, and the answer says when to retry", async () => {
    const { gate, methodOf, storePublishableKey, userToken, uses } = await startGate(({ admission }) => ({
      admission: { ...admission, take: () => Promise.reject(OUTAGE) },
    }));
    const { secret, key } = await storePublishableKey({}, TWO_A_MINUTE);
    const call = newCall({ apiKey: [secret], authorization: [`Bearer ${userToken()}`] });
    const err = await Promise.resolve(gate.check(methodOf(LIST_THREADS), call)).catch(ConnectError.from);
    expect(err).toMatchObject({ code: Code.Unavailable });
    expect(ConnectError.from(err).metadata.get("retry-after")).toBe("3");
    expect(call).toMatchObject({ verdict: { outcome: "refused" }, limit: { limit: 0, remaining: 0, resetAt: START } });
    gate.conclude(call);
    expect(uses).toEqual([{ keyId: key.keyId, failure: "internal", at: START }]);
  });
});

describe("a request that matches no RPC", () => {
  test("reports the limit of its key, spends nothing and counts as no use", async () => {
    const { gate, storeKey, uses } = await startGate();
    const { secret, key } = await storeKey(TWO_A_MINUTE);
    const call = newCall({ apiKey: [secret] });
    await gate.identify(call);
    expect(call).toMatchObject({
      verdict: { outcome: "unchecked", presented: { key } },
      limit: { limit: 2, remaining: 2 },
    });
    gate.conclude(call);
    expect(uses).toEqual([]);
  });

  test("counts as a failed use if it is refused", async () => {
    const { gate, storeKey, uses } = await startGate();
    const { secret, key } = await storeKey(TWO_A_MINUTE);
    const call = newCall({ apiKey: [secret] });
    await gate.refuse(call);
    expect(call).toMatchObject({ verdict: { outcome: "refused" }, limit: { limit: 2, remaining: 2 } });
    gate.conclude(call);
    expect(uses).toEqual([{ keyId: key.keyId, failure: "not_found", at: START }]);
  });

  test("keeps what the gate decided before", async () => {
    const { gate, methodOf, storeKey } = await startGate();
    const { secret } = await storeKey(SCOPED);
    const call = newCall({ apiKey: [secret] });
    await gate.check(methodOf(LIST_THREADS), call);
    await gate.refuse(call);
    expect(call.verdict?.outcome).toBe("admitted");
  });

  test("shows nothing of a key that is unknown, malformed or sent twice", async () => {
    const { gate, storeKey } = await startGate();
    const { secret } = await storeKey(TWO_A_MINUTE);
    for (const apiKey of [[`sk_${"0".repeat(30)}4LUZwA`], ["sk_x"], [secret, secret]]) {
      const call = newCall({ apiKey });
      await gate.identify(call);
      expect(call.limit).toEqual({ limit: 0, remaining: 0, resetAt: START });
      expect(call.verdict?.presented).toBeUndefined();
    }
    const none = newCall();
    await gate.identify(none);
    expect(none.limit).toBeUndefined();
  });

  // threat: K8, E6
  test("looks up no key that cannot be one, and only one", async () => {
    let lookUps = 0;
    const { gate, storeKey } = await startGate(({ admission }) => ({
      admission: {
        ...admission,
        find(secretHash) {
          lookUps += 1;
          return admission.find(secretHash);
        },
      },
    }));
    const { secret } = await storeKey();
    for (const apiKey of [[], [""], ["sk_x"], [`${secret}x`], [secret, secret]])
      await gate.identify(newCall({ apiKey }));
    expect(lookUps).toBe(0);
    await gate.identify(newCall({ apiKey: [secret] }));
    expect(lookUps).toBe(1);
  });

  test("is answered during an outage, too, which is logged", async () => {
    const { gate, storeKey, reported } = await startGate(({ admission }) => ({
      admission: { ...admission, find: () => Promise.reject(OUTAGE) },
    }));
    const { secret } = await storeKey(TWO_A_MINUTE);
    const call = newCall({ apiKey: [secret] });
    await gate.identify(call);
    expect(call.limit).toEqual({ limit: 0, remaining: 0, resetAt: START });
    expect(reported).toEqual([OUTAGE]);
  });
});

describe("a use of a key", () => {
  test("counts as successful if neither the gate nor the RPC denied it, else by the reason, at the time of the look-up", async () => {
    const { gate, methodOf, storeKey, uses } = await startGate();
    const { secret, key } = await storeKey(SCOPED);
    const passed = newCall({ apiKey: [secret] });
    await gate.check(methodOf(LIST_THREADS), passed);
    gate.conclude(passed);
    const denied = newCall({ apiKey: [secret] });
    await gate.check(methodOf(LIST_THREADS), denied);
    denied.denial = new Denial("tenant_required");
    gate.conclude(denied);
    const refused = newCall({ apiKey: [secret], onBehalfOf: ["u1"] });
    await Promise.resolve(gate.check(methodOf(LIST_THREADS), refused)).catch(() => undefined);
    gate.conclude(refused);
    const use = { keyId: key.keyId, at: START };
    expect(uses).toEqual([
      { ...use, failure: undefined },
      { ...use, failure: "tenant_required" },
      { ...use, failure: "insufficient_scope" },
    ]);
  });

  test("is absent where no key was found", async () => {
    const { gate, methodOf, dashboardToken, uses } = await startGate();
    const dashboard = newCall({ authorization: [`Bearer ${dashboardToken()}`] });
    await gate.check(methodOf(LIST_THREADS), dashboard);
    gate.conclude(dashboard);
    expect(uses).toEqual([]);
  });
});

test("Connect's gate checks the call of its context", async () => {
  const { gate, methodOf, storeKey } = await startGate();
  const { secret } = await storeKey(SCOPED);
  const method = methodOf(LIST_THREADS);
  const call = newCall({ apiKey: [secret] });
  const context = (given: typeof call) =>
    ({ method, values: setCall(createContextValues(), given) }) as Pick<
      HandlerContext,
      "method" | "values"
    > as HandlerContext;
  await toRequestGate(gate)(context(call));
  expect(call.verdict?.outcome).toBe("admitted");
  await expect(toRequestGate(gate)(context(newCall()))).rejects.toThrow("No credentials were sent");
});

describe("a caller that is checked for a proxy", () => {
  async function startCheck() {
    const started = await startGate();
    return { ...started, check: createCheckCaller(started.gate, started.ctx.authority, started.ctx.translate, null) };
  }

  test("is named with the user for whom it calls", async () => {
    const { check, storeKey, storePublishableKey, userToken, dashboardToken } = await startCheck();
    const { secret } = await storeKey({ permissions: ["*"] });
    const publishable = await storePublishableKey();
    const scopes = () => ["conversations:read"];
    const userOf = async (credentials: Parameters<typeof newCall>[0]) =>
      (await check(newCall(credentials), scopes)).userId;
    expect(await userOf({ apiKey: [secret] })).toBeNull();
    expect(await userOf({ apiKey: [secret], onBehalfOf: ["u1"] })).toBe("u1");
    expect(await userOf({ apiKey: [publishable.secret], authorization: [`Bearer ${userToken()}`] })).toBe("user_1");
    expect(await userOf({ authorization: [`Bearer ${dashboardToken({ sub: "d1" })}`] })).toBe("d1");
    expect((await check(newCall({ apiKey: [secret] }), scopes)).principal.kind).toBe("secret_key");
  });

  test.each([
    [["plans:write"], "This API key lacks the scope plans:write"],
    [
      ["plans:reed"],
      'scope: is not a known scope; did you mean "plans:read"? The list is closed: POST /api/v1/scopes/list returns all of it',
    ],
    [["conversations:read", "plans:*"], "scope: must be no wildcard"],
  ])("is refused with %j", async (scopes, message) => {
    const { check, storeKey } = await startCheck();
    const { secret } = await storeKey(SCOPED);
    const call = newCall({ apiKey: [secret] });
    const err = await check(call, () => scopes).catch((refusal: unknown) => refusal);
    expect(err).toBeInstanceOf(ConnectError);
    expect(err).toMatchObject({ rawMessage: expect.stringContaining(message) });
  });

  test("is refused without a tenant, and for scopes that cannot be read", async () => {
    const { check, dashboardToken } = await startCheck();
    const authorization = [`Bearer ${dashboardToken({ tenant_id: undefined })}`];
    const call = newCall({ authorization });
    await expect(check(call, () => [])).rejects.toBeInstanceOf(ConnectError);
    expect(call.denial?.reason).toBe("tenant_required");
    const unreadable = () => {
      throw new Denial("insufficient_scope", { message: "unreadable" });
    };
    await expect(check(newCall({ authorization: [`Bearer ${dashboardToken()}`] }), unreadable)).rejects.toThrow(
      "unreadable",
    );
  });
});
