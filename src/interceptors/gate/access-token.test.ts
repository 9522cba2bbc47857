// promise: access.is-the-key, access.ends, access.acts-for
import { describe, expect, test } from "vitest";
import { newCall, proofCheck, START, startGate } from "../../../test/harness/memory-gate.ts";
import { OPERATOR_TOKEN } from "../../../test/harness/operator.ts";
import { newSender } from "../../../test/harness/proofs.ts";
import { TOKEN_ISSUER } from "../../../test/harness/token-settings.ts";
import type { PresentedKey } from "../../domain/access/admission.ts";
import type { SecretKeyCaller } from "../../domain/access/principal.ts";
import type { NewAccessToken } from "../../domain/credentials/access-token.ts";
import type { KeyRecord } from "../../domain/credentials/key.ts";
import { makeSecret } from "../../domain/credentials/secret.ts";
import { newId } from "../../domain/vocabulary/ids.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import type { Call } from "../call.ts";
import type { ServiceGateContext } from "./service-gate.ts";

const LIST_THREADS = "/api/v1/llm/gateway/list-threads";
const CREATE_KEY = "/api/v1/api-keys/create";
const VERIFY = "/api/v1/auth/verify";
const LIMIT_OF_TWO = { requestsPerMinute: 2, requestsPerHour: 0, burstSize: 0 };

/** A gate with a key, and a token for it. */
async function startWithToken(
  fields: Partial<KeyRecord> = {},
  token: Partial<NewAccessToken> = {},
  change?: (ctx: ServiceGateContext) => Partial<ServiceGateContext>,
) {
  const started = await startGate(change);
  const { secret, key } = await started.storeKey({ permissions: ["conversations:*", "users:*"], ...fields });
  const issued = await started.issueToken(key, secret, token);
  return {
    ...started,
    ...{ secret, key, tokenId: issued.tokenId, text: issued.text },
    /** The call with the token, after the gate has decided it. */
    async call(headers: { readonly onBehalfOf?: string[]; readonly text?: string } = {}, path = LIST_THREADS) {
      const { onBehalfOf = [], text = issued.text } = headers;
      const call = newCall({ authorization: [`Bearer ${text}`], onBehalfOf });
      const error: unknown = await Promise.resolve()
        .then(() => started.gate.check(started.methodOf(path), call))
        .then(
          () => undefined,
          (err: unknown) => err,
        );
      started.gate.conclude(call);
      const { verdict, denial, limit } = call;
      const caller = verdict?.principal as SecretKeyCaller | undefined;
      const tokenId = verdict?.tokenId;
      return { call, caller, reason: denial?.reason, message: denial?.message ?? "", limit, tokenId, error };
    },
  };
}

describe("a token of the service's own", () => {
  test("makes its sender the key, with what both the key and the token grant", async () => {
    const { call, key, tokenId } = await startWithToken(
      {},
      { scopes: ["conversations:read", "users:*", "plans:read"] },
    );
    const { caller, reason } = await call();
    expect(reason).toBeUndefined();
    expect(caller).toMatchObject({ kind: "secret_key", key, tenantId: key.tenantId, onBehalfOf: null });
    expect(caller?.token?.tokenId).toBe(tokenId);
    expect(caller?.rights).toEqual({ scopes: ["conversations:read", "users:*"], includeReserved: true });
  });

  test("is decided without a promise once the token is verified and its records are in memory", async () => {
    const { gate, methodOf, text, key } = await startWithToken({ rateLimit: LIMIT_OF_TWO }, {}, ({ admission }) => {
      let cached: PresentedKey | undefined;
      const read = async (secretHash: string) => {
        cached = await admission.find(secretHash);
        return cached;
      };
      return { admission: { ...admission, find: (secretHash) => cached ?? read(secretHash) } };
    });
    const check = () => gate.check(methodOf(LIST_THREADS), newCall({ authorization: [`Bearer ${text}`] }));
    await check();
    expect(check()).toMatchObject({ kind: "secret_key", key });
  });

  test("counts for its key, and is in the recent requests by its id", async () => {
    const { call, uses, recorded, key, tokenId } = await startWithToken();
    await call();
    expect(uses).toEqual([{ keyId: key.keyId, failure: undefined, at: START }]);
    expect(recorded).toMatchObject([{ keyId: key.keyId, tenantId: key.tenantId, tokenId, caller: "secret_key" }]);
  });

  test("spends the budget of its key, together with requests of the key and of its other tokens", async () => {
    const { call, gate, methodOf, secret, key, issueToken } = await startWithToken({ rateLimit: LIMIT_OF_TWO });
    expect((await call()).limit).toMatchObject({ limit: 2, remaining: 1 });
    await gate.check(methodOf(LIST_THREADS), newCall({ apiKey: [secret] }));
    const another = await issueToken(key, secret);
    expect(await call({ text: another.text })).toMatchObject({ reason: "rate_limited", limit: { remaining: 0 } });
  });

  test("is not read beside a key, which decides", async () => {
    const { gate, methodOf, storeKey, text, changeToken, tokenId } = await startWithToken();
    changeToken(tokenId, { revokedAt: START });
    const { secret, key } = await storeKey({ permissions: ["conversations:read"] });
    const call = newCall({ apiKey: [secret], authorization: [`Bearer ${text}`] });
    const caller = await gate.check(methodOf(LIST_THREADS), call);
    expect(caller).toMatchObject({ kind: "secret_key", key });
    expect(caller).not.toHaveProperty("token");
  });

  test("is checked as a dashboard user's where the service issues none", async () => {
    const { call } = await startWithToken({}, {}, () => ({ tokenIssuer: undefined }));
    expect(await call()).toMatchObject({ reason: "jwt_invalid_signature", tokenId: undefined });
  });
});

describe("the state of a token", () => {
  test("revoked, denies it, and counts as a failed use of its key that the tenant can see", async () => {
    const { call, changeToken, tokenId, key, uses, recorded } = await startWithToken({ rateLimit: LIMIT_OF_TWO });
    changeToken(tokenId, { revokedAt: START });
    const { reason, message, limit } = await call();
    expect(reason).toBe("token_revoked");
    expect(message).toBe("This token was revoked, which is permanent; get a new one.");
    expect(limit).toMatchObject({ limit: 2, remaining: 2 });
    expect(uses).toEqual([{ keyId: key.keyId, failure: "token_revoked", at: START }]);
    expect(recorded).toMatchObject([{ keyId: key.keyId, tenantId: key.tenantId, tokenId, reason: "token_revoked" }]);
  });

  test("whose federation rule is disabled or deleted, denies it until the rule is enabled", async () => {
    const ruleId = newId("fed");
    const { call, setRuleOff } = await startWithToken({}, { ruleId });
    setRuleOff(ruleId, true);
    expect(await call()).toMatchObject({
      reason: "token_revoked",
      message: expect.stringContaining("federation rule"),
    });
    setRuleOff(ruleId, false);
    expect((await call()).reason).toBeUndefined();
  });

  test("expired, denies it, by the token and by its record", async () => {
    const ended = await startWithToken({}, { expiresAt: START });
    expect((await ended.call()).reason).toBe("jwt_expired");
    const { call, changeToken, tokenId } = await startWithToken();
    changeToken(tokenId, { expiresAt: START });
    expect((await call()).reason).toBe("jwt_expired");
  });

  test("unknown, as after an erasure, or of another key or a publishable one, denies it", async () => {
    const { call, changeToken, tokenId, storePublishableKey, ctx } = await startWithToken();
    changeToken(tokenId, { keyId: newId("key") });
    expect((await call()).reason).toBe("token_revoked");
    changeToken(tokenId, null);
    expect(await call()).toMatchObject({ reason: "token_revoked", message: expect.stringContaining("was removed") });
    expect(ctx.accessTokens.find(tokenId)).toBeUndefined();
    const started = await startWithToken();
    const { key, secret } = await storePublishableKey();
    const issued = await started.issueToken(key, secret);
    expect((await started.call({ text: issued.text })).reason).toBe("token_revoked");
  });

  test("changed in one character, denies it", async () => {
    const { call, text } = await startWithToken();
    const [head, payload = "", signature] = text.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    const wider = Buffer.from(JSON.stringify({ ...claims, scope: "*" })).toString("base64url");
    expect((await call({ text: [head, wider, signature].join(".") })).reason).toBe("jwt_invalid_signature");
    expect((await call({ text: [head, payload, `${signature?.slice(0, -4)}AAAA`].join(".") })).reason).toBe(
      "jwt_invalid_signature",
    );
  });

  test.each(["accessTokens", "admission"] as const)(
    "is neither accepted nor refused while %s cannot be read",
    async (part) => {
      const find = () => Promise.reject(new StoreUnavailable(new Error("down"), 3_000));
      const { call } = await startWithToken({}, {}, (ctx) => ({ [part]: { ...ctx[part], find } }));
      const { call: done, reason } = await call();
      expect(reason).toBe("verifier_error");
      expect(done.denial).toMatchObject({ retryAfterMs: 3_000 });
    },
  );
});

describe("a token that is bound to a key", () => {
  const URL_OF_CALL = `${TOKEN_ISSUER}${LIST_THREADS}`;
  const target = { method: "POST", url: LIST_THREADS };

  async function startBound(
    fields: Partial<NewAccessToken> = {},
    change?: (ctx: ServiceGateContext) => Partial<ServiceGateContext>,
  ) {
    const sender = await newSender();
    const started = await startWithToken({}, { confirmationJkt: sender.jkt, ...fields }, change);
    const { text, gate, methodOf } = started;
    const prove = () =>
      sender.prove("POST", URL_OF_CALL, text, { claims: { iat: Math.floor(START.getTime() / 1_000) } });
    /** The call with these proofs, whose caller is returned. */
    async function send(dpop: readonly string[], authorization = `DPoP ${text}`): Promise<Call> {
      const call: Call = { ...newCall({ authorization: [authorization], dpop }), proofTarget: target };
      await Promise.resolve()
        .then(() => gate.check(methodOf(LIST_THREADS), call))
        .catch(() => {});
      gate.conclude(call);
      return call;
    }
    return { ...started, prove, send };
  }

  test("makes its sender the key, with a proof for the request, once", async () => {
    const { prove, send, tokenId } = await startBound();
    const proof = await prove();
    expect((await send([proof])).verdict?.principal).toMatchObject({ kind: "secret_key", token: { tokenId } });
    const { denial, verdict } = await send([proof]);
    expect(verdict).toMatchObject({ outcome: "refused", failedCheck: "oidc" });
    expect(denial).toMatchObject({ reason: "jwt_malformed", dpopError: "invalid_dpop_proof" });
  });

  test("is refused as Bearer, with a proof or without, and its proof is not used up", async () => {
    const { prove, send, text } = await startBound();
    const proof = await prove();
    for (const dpop of [[], [proof]]) {
      expect((await send(dpop, `Bearer ${text}`)).denial).toMatchObject({
        reason: "jwt_malformed",
        dpopError: "invalid_token",
        message: expect.stringContaining("DPoP"),
      });
    }
    expect((await send([proof])).denial).toBeUndefined();
  });

  test("is refused without a proof, as a failed use of its key that the tenant can see", async () => {
    const { send, uses, recorded, key, tokenId } = await startBound();
    expect((await send([])).denial).toMatchObject({ reason: "jwt_malformed", dpopError: "invalid_dpop_proof" });
    expect(uses).toMatchObject([{ keyId: key.keyId, failure: "jwt_malformed" }]);
    expect(recorded).toMatchObject([{ keyId: key.keyId, tokenId, reason: "jwt_malformed" }]);
  });

  test("has the denials of a token and of its key before those of its proof", async () => {
    const { send, changeToken, tokenId } = await startBound();
    changeToken(tokenId, { revokedAt: START });
    expect((await send([])).denial?.reason).toBe("token_revoked");
  });

  test("is neither accepted nor refused while it is not known whether its proof was used", async () => {
    const down = () => Promise.reject(new StoreUnavailable(new Error("down"), 3_000));
    for (const usedOnce of [
      { isUsed: down, use: down },
      { isUsed: async () => false, use: down },
    ]) {
      const { prove, send } = await startBound({}, () => ({ checkProof: proofCheck(usedOnce) }));
      expect((await send([await prove()])).denial).toMatchObject({ reason: "verifier_error", retryAfterMs: 3_000 });
    }
  });

  test("is needed for the scheme DPoP: others are refused by it", async () => {
    const { prove, send, dashboardToken } = await startBound({ confirmationJkt: null });
    expect((await send([await prove()])).denial).toMatchObject({ reason: "jwt_malformed", dpopError: "invalid_token" });
    const unbound = await dashboardToken();
    expect((await send([await prove()], `DPoP ${unbound}`)).denial).toMatchObject({ dpopError: "invalid_token" });
    for (const other of [OPERATOR_TOKEN, makeSecret("secret")]) {
      const { denial, verdict } = await send([await prove()], `DPoP ${other}`);
      expect(verdict?.principal).toBeUndefined();
      expect(denial).toMatchObject({ reason: "jwt_malformed", dpopError: undefined });
    }
  });
});

describe("the state of a token's key denies the token with the key's reason", () => {
  test.each([
    ["revoked", { revokedAt: START }, "api_key_revoked"],
    ["disabled", { disabledAt: START }, "api_key_disabled"],
    ["expired", { expiresAt: START }, "api_key_expired"],
    ["fenced", { allowedIps: ["198.51.100.7"] }, "origin_not_allowed"],
  ] as const)("%s", async (_state, fields, expected) => {
    const { call, uses } = await startWithToken(fields);
    const { reason, message } = await call();
    expect(reason).toBe(expected);
    expect(message).toMatch(/It is the API key that the token in Authorization stands for\.$/);
    expect(uses).toMatchObject([{ failure: expected }]);
  });

  test("suspended with its tenant", async () => {
    const { call } = await startWithToken({}, {}, ({ admission }) => ({
      admission: {
        ...admission,
        async find(secretHash) {
          const found = await admission.find(secretHash);
          return found && { ...found, isTenantSuspended: true };
        },
      },
    }));
    expect(await call()).toMatchObject({ reason: "api_key_disabled", message: expect.stringContaining("suspended") });
  });

  test("after the token's own", async () => {
    const { call, changeToken, tokenId } = await startWithToken({ revokedAt: START });
    changeToken(tokenId, { revokedAt: START });
    expect((await call()).reason).toBe("token_revoked");
  });
});

describe("what a token may not", () => {
  test("is named, with whether the token or its key lacks it", async () => {
    const { call } = await startWithToken({}, { scopes: ["users:read"] });
    expect((await call()).message).toBe(
      "This token lacks the scope conversations:read; get one that has it, from a key that has it.",
    );
    const narrowed = await startWithToken({ permissions: ["users:read"] }, { scopes: ["conversations:*"] });
    expect((await narrowed.call()).message).toBe(
      "This token has the scope conversations:read, but its API key lacks the scope conversations:read; use a key that has it, or add it to this key's permissions.",
    );
  });

  test("is what no key may, whatever the scopes", async () => {
    const { call } = await startWithToken({ permissions: ["*"] }, { scopes: ["*"] });
    const { reason, message } = await call({}, CREATE_KEY);
    expect(reason).toBe("insufficient_scope");
    expect(message).toMatch(/^An access token cannot do this/);
  });
});

describe("the user of a token", () => {
  test("is who the call is made for, also if X-On-Behalf-Of names them, and without a scope of the token's", async () => {
    const { call, impersonations } = await startWithToken({}, { userId: "jörg", scopes: ["conversations:read"] });
    for (const onBehalfOf of [[], [Buffer.from("jörg").toString("latin1")]]) {
      expect((await call({ onBehalfOf })).caller).toMatchObject({ onBehalfOf: "jörg" });
    }
    expect(impersonations).toMatchObject([{ onBehalfOf: "jörg" }, { onBehalfOf: "jörg" }]);
  });

  test("is the only one whom X-On-Behalf-Of may name", async () => {
    const { call } = await startWithToken({}, { userId: "jo", scopes: ["conversations:read", "users:impersonate"] });
    for (const onBehalfOf of [["anna"], ["jo", "jo"], [""], ["jo "]]) {
      const { reason, message, caller } = await call({ onBehalfOf });
      expect(reason, onBehalfOf.join()).toBe("insufficient_scope");
      expect(message).toMatch(/^X-On-Behalf-Of names another user/);
      expect(caller?.onBehalfOf).toBeNull();
    }
  });

  test("is refused once the key may not act for users, and the user's own budget is not spent", async () => {
    const rateLimit = { requestsPerMinute: 9, requestsPerHour: 0, burstSize: 0, perUser: LIMIT_OF_TWO };
    const fields = { permissions: ["conversations:read"], rateLimit };
    const { call } = await startWithToken(fields, { userId: "jo" });
    for (let n = 0; n < 3; n++) {
      const { reason, message } = await call();
      expect(reason).toBe("insufficient_scope");
      expect(message).toContain("lacks the scope users:impersonate");
    }
  });

  test("has the limit of each user of the key", async () => {
    const rateLimit = { requestsPerMinute: 9, requestsPerHour: 0, burstSize: 0, perUser: LIMIT_OF_TWO };
    const { call } = await startWithToken({ rateLimit }, { userId: "jo" });
    const reasons = [];
    for (let n = 0; n < 3; n++) reasons.push((await call()).reason);
    expect(reasons).toEqual([undefined, undefined, "rate_limited"]);
  });

  test("may be any for a token without one whose scopes and key allow it, and none else", async () => {
    const free = await startWithToken({}, { scopes: ["conversations:read", "users:impersonate"] });
    expect((await free.call({ onBehalfOf: ["anna"] })).caller).toMatchObject({ onBehalfOf: "anna" });
    const narrow = await startWithToken({}, { scopes: ["conversations:read"] });
    const { reason, message } = await narrow.call({ onBehalfOf: ["anna"] });
    expect(reason).toBe("insufficient_scope");
    expect(message).toContain("which this token or its API key lacks");
  });
});

test("Verify admits a token, whose rights decide what is asked", async () => {
  const { call } = await startWithToken({}, { scopes: ["users:read"] });
  expect((await call({}, VERIFY)).caller?.rights.scopes).toEqual(["users:read"]);
});
