import { describe, expect, test } from "vitest";
import { HOOK_DIALECTS, type HookDialect, hookUser, OWN_DIALECT } from "./hook-dialects.ts";

const CLAIMS = { tenant_id: "ten_1", roles: ["admin"] };
const NONE = { tenant_id: "", roles: [] };

/** Requests as the providers' pages show them, shortened to what is read. */
const REQUESTS = {
  supabase: {
    user_id: "u1",
    claims: { sub: "u1", role: "authenticated", aal: "aal1" },
    authentication_method: "password",
  },
  okta: { data: { context: { user: { id: "u1" } }, identity: { claims: { sub: "u1" } } } },
  entra: { data: { authenticationContext: { user: { id: "u1", userPrincipalName: "jo@example.com" } } } },
  hydra: {
    session: { extra: { kept: 1 }, id_token: { subject: "u1", id_token_claims: { ext: { locale: "de" } } } },
    request: { client_id: "console" },
  },
  zitadel: { function: "function/preuserinfo", userinfo: { sub: "u1" }, user: { id: "u1" } },
};

describe.each(Object.entries<HookDialect>(HOOK_DIALECTS))("the dialect of %s", (name, dialect) => {
  const request = REQUESTS[name as keyof typeof REQUESTS];

  test("finds the user", () => {
    expect(hookUser(dialect, request)).toEqual({ userId: "u1", issuer: undefined });
  });

  test("rejects a request without the user, naming the member", () => {
    for (const broken of [{}, { data: [] }, { user_id: 5, data: { context: { user: { id: {} } } }, session: "x" }]) {
      expect(() => hookUser(dialect, broken)).toThrow(`${dialect.userIdAt}: is required`);
    }
    expect(() => hookUser(dialect, null)).toThrow("body: must be a JSON object");
  });

  test("answers a request that lacks everything else", () => {
    expect(() => dialect.answer({}, CLAIMS)).not.toThrow();
  });
});

describe("the answer", () => {
  test("to Supabase has all claims of the request, with the tenant and the roles", () => {
    const { claims } = REQUESTS.supabase;
    expect(HOOK_DIALECTS.supabase.answer(REQUESTS.supabase, CLAIMS)).toEqual({ claims: { ...claims, ...CLAIMS } });
    expect(HOOK_DIALECTS.supabase.answer(REQUESTS.supabase, NONE)).toEqual({ claims });
  });

  test("to Okta patches the tokens that were requested, and nothing for a user without a tenant", () => {
    const { context } = REQUESTS.okta.data;
    const token = { claims: { sub: "u1" } };
    const value = [
      { op: "add", path: "/claims/tenant_id", value: "ten_1" },
      { op: "add", path: "/claims/roles", value: ["admin"] },
    ];
    const [identity, access] = ["com.okta.identity.patch", "com.okta.access.patch"].map((type) => ({ type, value }));
    const answer = (tokens: object) => HOOK_DIALECTS.okta.answer({ data: { context, ...tokens } }, CLAIMS);
    expect(answer({ identity: token })).toEqual({ commands: [identity] });
    expect(answer({ access: token })).toEqual({ commands: [access] });
    expect(answer({ identity: token, access: token })).toEqual({ commands: [identity, access] });
    expect(answer({})).toBeUndefined();
    expect(HOOK_DIALECTS.okta.answer(REQUESTS.okta, NONE)).toBeUndefined();
  });

  test("to Entra provides claims, none for a user without a tenant", () => {
    const answer = (claims: object) => ({
      data: {
        "@odata.type": "microsoft.graph.onTokenIssuanceStartResponseData",
        actions: [{ "@odata.type": "microsoft.graph.tokenIssuanceStart.provideClaimsForToken", claims }],
      },
    });
    expect(HOOK_DIALECTS.entra.answer(REQUESTS.entra, CLAIMS)).toEqual(answer(CLAIMS));
    expect(HOOK_DIALECTS.entra.answer(REQUESTS.entra, NONE)).toEqual(answer({}));
  });

  test("to Hydra keeps what both tokens have, since it replaces them", () => {
    expect(HOOK_DIALECTS.hydra.answer(REQUESTS.hydra, CLAIMS)).toEqual({
      session: { access_token: { kept: 1, ...CLAIMS }, id_token: { locale: "de", ...CLAIMS } },
    });
    expect(HOOK_DIALECTS.hydra.answer(REQUESTS.hydra, NONE)).toEqual({
      session: { access_token: { kept: 1 }, id_token: { locale: "de" } },
    });
  });

  test("to Supabase and Hydra takes the tenant and the roles of a token before away from a user without a tenant", () => {
    const before = { tenant_id: "ten_1", roles: ["admin"] };
    const kept = { aal: "aal1", role: "authenticated" };
    expect(HOOK_DIALECTS.supabase.answer({ claims: { ...kept, ...before } }, NONE)).toEqual({ claims: kept });
    const session = { extra: { a: 1, ...before }, id_token: { id_token_claims: { ext: { b: 2, ...before } } } };
    expect(HOOK_DIALECTS.hydra.answer({ session }, NONE)).toEqual({
      session: { access_token: { a: 1 }, id_token: { b: 2 } },
    });
    const changed = { tenant_id: "ten_2", roles: ["viewer"] };
    expect(HOOK_DIALECTS.supabase.answer({ claims: { ...kept, ...before } }, changed)).toEqual({
      claims: { ...kept, ...changed },
    });
  });

  test("to Zitadel appends claims", () => {
    expect(HOOK_DIALECTS.zitadel.answer(REQUESTS.zitadel, CLAIMS)).toEqual({
      append_claims: [
        { key: "tenant_id", value: "ten_1" },
        { key: "roles", value: ["admin"] },
      ],
    });
    expect(HOOK_DIALECTS.zitadel.answer(REQUESTS.zitadel, NONE)).toEqual({ append_claims: [] });
  });
});

describe("our own form", () => {
  test("names the user, and may name the issuer", () => {
    expect(hookUser(OWN_DIALECT, { sub: "u1" })).toEqual({ userId: "u1", issuer: undefined });
    expect(hookUser(OWN_DIALECT, { sub: "u1", issuer: "" })).toEqual({ userId: "u1", issuer: undefined });
    expect(hookUser(OWN_DIALECT, { sub: "u1", issuer: "https://i" })).toEqual({ userId: "u1", issuer: "https://i" });
    expect(() => hookUser(OWN_DIALECT, { sub: "u1", issuer: 5 })).toThrow("issuer: must be a string");
    for (const sub of ["", " ", "a\u0000", "\ud800", "x".repeat(257)]) {
      expect(() => hookUser(OWN_DIALECT, { sub })).toThrow("sub: is required");
    }
  });
});
