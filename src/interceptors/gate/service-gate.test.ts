// promise: suspension.unknown
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { newCall, OIDC, startGate } from "../../../test/harness/memory-gate.ts";
import type { CredentialHeaders } from "../../domain/access/credentials.ts";
import type { Principal } from "../../domain/access/principal.ts";
import type { Rights } from "../../domain/access/scopes.ts";
import { DENIALS, Denial } from "../../domain/vocabulary/denial.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import type { ServiceGateContext } from "./service-gate.ts";

const LIST_THREADS = "/api/v1/llm/gateway/list-threads";
const CREATE_ORG = "/api/v1/orgs/create";
const ALL: Rights = { scopes: ["*"], includeReserved: true };

/** A gate, and the caller that it authenticates or the reason for its denial. */
async function startAuthentication(change?: (ctx: ServiceGateContext) => Partial<ServiceGateContext>) {
  const started = await startGate(change);
  return {
    ...started,
    async authenticate(credentials: Partial<CredentialHeaders>, path = LIST_THREADS): Promise<Principal | string> {
      const call = newCall(credentials);
      try {
        return await started.gate.check(started.methodOf(path), call);
      } catch (err) {
        if (call.denial === undefined) throw err;
        return call.denial.reason;
      }
    },
  };
}

describe("a dashboard user", () => {
  test("has the user id and the tenant of the token", async () => {
    const { authenticate, dashboardToken } = await startAuthentication();
    const authorization = [`Bearer ${dashboardToken({ sub: "u1", tenant_id: "ten_2" })}`];
    const rights = { scopes: ["*"], includeReserved: false };
    const user = {
      kind: "dashboard_user",
      issuer: "https://platform.example",
      userId: "u1",
      verifiedEmail: null,
      tenantId: "ten_2",
      memberRole: null,
      rights,
    };
    expect(await authenticate({ authorization })).toEqual(user);
  });

  test("has no tenant where the token names none, or something else than a name", async () => {
    const { authenticate, dashboardToken } = await startAuthentication();
    for (const tenant_id of [undefined, "", " ", 5, null, ["ten_1"], "a\u0000", "x".repeat(257), "\ud800"]) {
      const authorization = [`Bearer ${dashboardToken({ tenant_id })}`];
      expect(await authenticate({ authorization }, CREATE_ORG)).toMatchObject({ userId: "user_1", tenantId: null });
    }
  });

  test("is neither accepted nor refused while the state of their tenant cannot be read", async () => {
    const findTenant = () => Promise.reject(new StoreUnavailable(new Error("down")));
    const { authenticate, dashboardToken } = await startAuthentication(() => ({ tenants: { findTenant } }));
    await expect(authenticate({ authorization: [`Bearer ${dashboardToken({})}`] })).rejects.toMatchObject({
      code: Code.Unavailable,
    });
    const authorization = [`Bearer ${dashboardToken({ tenant_id: undefined })}`];
    expect(await authenticate({ authorization }, CREATE_ORG)).toMatchObject({ tenantId: null });
  });

  // threat: J14
  test("has an id of 1 to 256 characters", async () => {
    const { authenticate, dashboardToken } = await startAuthentication();
    const idOf = (sub: unknown) => authenticate({ authorization: [`Bearer ${dashboardToken({ sub })}`] });
    for (const sub of ["x".repeat(256), "😀".repeat(256), "a b"])
      expect(await idOf(sub)).toMatchObject({ userId: sub });
    for (const sub of ["", "\u200b", "x".repeat(257), "a\u007f", 5]) {
      expect(await idOf(sub)).toBe("user_id_claim_not_found");
    }
  });

  test("is denied without the claim of the id, which the message names", async () => {
    const { gate, methodOf, dashboardToken } = await startAuthentication();
    const call = newCall({ authorization: [`Bearer ${dashboardToken({ sub: undefined })}`] });
    await expect(gate.check(methodOf(LIST_THREADS), call)).rejects.toThrow(
      "lacks the claim sub, which holds the user id",
    );
  });

  test("is denied with a key as the token, and where the service has no provider", async () => {
    const { authenticate, dashboardToken } = await startAuthentication(() => ({ dashboard: null }));
    expect(await authenticate({ authorization: ["Bearer sk_x"] })).toBe("jwt_malformed");
    expect(await authenticate({ authorization: [`Bearer ${dashboardToken()}`] })).toBe("oidc_not_configured");
  });
});

describe("a look-up of a key", () => {
  test("that fails is a denial with its cause, and with the time to wait where the store knows it", async () => {
    for (const [err, retryAfterMs] of [
      [new StoreUnavailable(new Error("down"), 3_000), 3_000],
      [new Error("unforeseen"), 0],
    ] as const) {
      const { gate, methodOf, storeKey } = await startGate(({ admission }) => ({
        admission: { ...admission, find: () => Promise.reject(err) },
      }));
      const { secret } = await storeKey();
      const call = newCall({ apiKey: [secret] });
      await expect(gate.check(methodOf(LIST_THREADS), call)).rejects.toThrow();
      expect(call.denial).toMatchObject({ reason: "verifier_error", cause: err, retryAfterMs });
    }
  });

  test("that is denied keeps its reason", async () => {
    const { authenticate, storeKey } = await startAuthentication(({ admission }) => ({
      admission: { ...admission, find: () => Promise.reject(new Denial("rate_limited")) },
    }));
    const { secret } = await storeKey();
    expect(await authenticate({ apiKey: [secret] })).toBe("rate_limited");
  });

  test("does not spend a request that has two Authorization headers", async () => {
    const { gate, methodOf, storeKey } = await startGate();
    const rateLimit = { requestsPerMinute: 2, requestsPerHour: 0, burstSize: 0 };
    const { secret } = await storeKey({ permissions: ["*"], rateLimit });
    const call = newCall({ apiKey: [secret], authorization: ["Bearer a", "Bearer b"] });
    await expect(gate.check(methodOf(LIST_THREADS), call)).rejects.toThrow("sent more than once");
    expect(call).toMatchObject({ denial: { reason: "jwt_malformed" }, limit: { limit: 2, remaining: 2 } });
  });

  test("is all that a secret key needs: a token beside it is not read", async () => {
    const { authenticate, storeKey } = await startAuthentication();
    const { secret, key } = await storeKey({ permissions: ["*"] });
    const caller = { kind: "secret_key", key, tenantId: key.tenantId, onBehalfOf: null, rights: ALL };
    expect(await authenticate({ apiKey: [secret], authorization: ["Bearer nonsense"] })).toEqual(caller);
  });
});

describe("a publishable key", () => {
  test("is used by the user of the token beside it", async () => {
    const { authenticate, storePublishableKey, userToken } = await startAuthentication();
    const { secret, key } = await storePublishableKey();
    const caller = await authenticate({ apiKey: [secret], authorization: [`Bearer ${userToken()}`] });
    const rights = { scopes: key.permissions, includeReserved: true };
    expect(caller).toEqual({ kind: "publishable_key", key, tenantId: key.tenantId, userId: "user_1", rights });
  });

  test("has no right that it cannot have", async () => {
    const { authenticate, storePublishableKey, userToken } = await startAuthentication();
    const { secret, key } = await storePublishableKey({}, { permissions: ["*", "conversations:read", "unknown"] });
    const caller = await authenticate({ apiKey: [secret], authorization: [`Bearer ${userToken()}`] });
    expect(caller).toMatchObject({ key, rights: { scopes: ["conversations:read"] } });
  });

  test("takes the user's id from the claim that it names, and requires the claims that it names", async () => {
    const { authenticate, storePublishableKey, userToken } = await startAuthentication();
    const { secret } = await storePublishableKey({ userIdClaim: "uid", requiredClaims: { "org.plan": "pro" } });
    const withClaims = (claims: object) =>
      authenticate({ apiKey: [secret], authorization: [`Bearer ${userToken({ ...claims })}`] });
    expect(await withClaims({ uid: "u7", org: { plan: "pro" } })).toMatchObject({ userId: "u7" });
    expect(await withClaims({ uid: "u7", org: { plan: "free" } })).toBe("jwt_malformed");
    expect(await withClaims({ org: { plan: "pro" } })).toBe("user_id_claim_not_found");
  });

  test.each([
    ["no token", [], "publishable_key_requires_jwt"],
    ["an empty token", [""], "publishable_key_requires_jwt"],
    ["another scheme", ["Basic dTpw"], "publishable_key_requires_jwt"],
    ["a malformed Bearer value", ["Bearer a b"], "jwt_malformed"],
    ["a key as the token", ["Bearer pk_x"], "jwt_malformed"],
    ["no JWT", ["Bearer opaque"], "jwt_malformed"],
  ])("is denied with %s", async (_what, authorization, reason) => {
    const { authenticate, storePublishableKey } = await startAuthentication();
    const { secret } = await storePublishableKey();
    expect(await authenticate({ apiKey: [secret], authorization })).toBe(reason);
  });

  test("is denied alike with an empty token and with none, as some clients send one while no user is signed in", async () => {
    const { gate, methodOf, storePublishableKey } = await startAuthentication();
    const { secret } = await storePublishableKey();
    for (const authorization of [[], [""]]) {
      await expect(gate.check(methodOf(LIST_THREADS), newCall({ apiKey: [secret], authorization }))).rejects.toThrow(
        DENIALS.publishable_key_requires_jwt.sentence,
      );
    }
  });

  test("is denied without a whole configuration, before its token is read", async () => {
    const { authenticate, storeKey, userToken } = await startAuthentication();
    for (const oidc of [null, { ...OIDC, jwksUrl: "" }]) {
      const { secret } = await storeKey({ type: "publishable", oidc });
      for (const authorization of [[], [`Bearer ${userToken()}`]]) {
        expect(await authenticate({ apiKey: [secret], authorization })).toBe("misconfigured_publishable_key");
      }
    }
  });

  test("verifies tokens with its own tenant's share of key sets", async () => {
    const sources: unknown[] = [];
    const { authenticate, storePublishableKey, userToken } = await startAuthentication(({ tokens }) => ({
      tokens: {
        verify(token, expected) {
          sources.push(expected);
          return tokens.verify(token, expected);
        },
      },
    }));
    const { secret, key } = await storePublishableKey();
    await authenticate({ apiKey: [secret], authorization: [`Bearer ${userToken()}`] });
    const { issuer, audience, jwksUrl } = key.oidc ?? {};
    expect(sources).toEqual([{ issuer, audience, jwksUrl, jwksOwner: { kind: "tenant", tenantId: key.tenantId } }]);
  });
});
