// promise: callers.order, callers.keys-manage-nothing, callers.acted-for, roles.denied, access.makes-nothing
import { describe, expect, test } from "vitest";
import { accessRules } from "../../../test/harness/access-rules.ts";
import { newKey } from "../../../test/harness/memory-keys.ts";
import { dashboardUser } from "../../../test/harness/principals.ts";
import type { AccessTokenRecord } from "../credentials/access-token.ts";
import type { KeyRecord } from "../credentials/key.ts";
import { hashSecret, makeSecret } from "../credentials/secret.ts";
import { Denial } from "../vocabulary/denial.ts";
import { RequestFault } from "../vocabulary/request-fault.ts";
import { createAuthority } from "./authority.ts";
import { authorize, requireScope } from "./authorize.ts";
import type { Policy } from "./policy.ts";
import type { CallerKind, Principal } from "./principal.ts";
import { NO_RIGHTS } from "./scopes.ts";

const EVERYONE: readonly CallerKind[] = ["dashboard_user", "secret_key", "publishable_key", "operator"];
const AUTHORITY = createAuthority(accessRules());
const { rolesWith } = AUTHORITY;

const KEY = newKey({ keyId: "key_1", tenantId: "ten_1", permissions: [] }).record;

function policy(changes: Partial<Omit<Policy, "callers">> & { callers?: readonly CallerKind[] } = {}): Policy {
  const { callers = EVERYONE, scope = null, userScope = null, tenantOptional = false, tokens = false } = changes;
  return { callers: new Set(callers), scope, userScope, tenantOptional, formerMembers: false, tokens };
}

function secret(...permissions: string[]): Principal {
  const key: KeyRecord = { ...KEY, permissions };
  const rights = AUTHORITY.rightsOfKey(key);
  return { kind: "secret_key", key, tenantId: KEY.tenantId, onBehalfOf: null, rights };
}

function publishable(...permissions: string[]): Principal {
  const key: KeyRecord = { ...KEY, type: "publishable", permissions };
  return { kind: "publishable_key", key, tenantId: KEY.tenantId, userId: "user_1", rights: AUTHORITY.rightsOfKey(key) };
}

function user(tenantId: string | null = "ten_1", rights = AUTHORITY.rightsOfUser({}, tenantId)): Principal {
  return dashboardUser({ userId: "user_1", tenantId, rights });
}

const OPERATOR: Principal = { kind: "operator", token: 1, tenantId: null, rights: AUTHORITY.rightsOfOperator };

/** The authorized principal, or the reason for the refusal. */
function tryToAuthorize(principal: Principal, asked: Policy, onBehalfOf: readonly string[] = []): Principal | string {
  try {
    return authorize(principal, asked, onBehalfOf, rolesWith);
  } catch (err) {
    if (err instanceof Denial) return `${err.reason}: ${err.message}`;
    if (err instanceof RequestFault) return `${err.kind}: ${err.message}`;
    throw err;
  }
}

describe("the caller's kind", () => {
  const callers: Record<Exclude<CallerKind, "anonymous">, Principal> = {
    dashboard_user: user(),
    secret_key: secret("*"),
    publishable_key: publishable("*"),
    operator: OPERATOR,
  };

  test.each(EVERYONE)("a policy that admits only a %s admits no other kind", (kind) => {
    for (const caller of Object.values(callers)) {
      const verdict = tryToAuthorize(caller, policy({ callers: [kind], tenantOptional: true }));
      const isApp = caller.kind === "publishable_key" && kind === "secret_key";
      const key = isApp ? "A publishable key cannot do this" : "An API key cannot do this";
      const others = { operator: "The operator's token is for", dashboard_user: "A dashboard user cannot do this" };
      const problem = caller.kind === "operator" || caller.kind === "dashboard_user" ? others[caller.kind] : key;
      if (caller.kind === kind) expect(verdict).toBe(caller);
      else expect(verdict).toContain(`insufficient_scope: ${problem}`);
    }
  });
});

describe("an access token", () => {
  const token: AccessTokenRecord = {
    ...{ tokenId: "tok_1", tenantId: KEY.tenantId, keyId: KEY.keyId, secretHash: hashSecret(makeSecret("secret")) },
    ...{ scopes: ["*"], userId: null, audience: "a", confirmationJkt: null, ruleId: null },
    ...{ createdAt: new Date(0), expiresAt: new Date(1), revokedAt: null },
  };
  const caller = { ...secret("*"), token } as Principal;

  test("may call where the policy says so, and nowhere else, before its scope is looked at", () => {
    expect(tryToAuthorize(caller, policy({ tokens: true, scope: "plans:read" }))).toBe(caller);
    expect(tryToAuthorize(secret("*"), policy({ scope: "plans:read" }))).toMatchObject({ kind: "secret_key" });
    for (const asked of [policy(), policy({ scope: "plans:read" }), policy({ callers: ["secret_key"] })]) {
      expect(tryToAuthorize({ ...caller, rights: NO_RIGHTS } as Principal, asked)).toBe(
        "insufficient_scope: An access token cannot do this, whatever its scopes; call with the API key itself.",
      );
    }
    expect(tryToAuthorize(caller, policy({ callers: ["dashboard_user"] }))).toMatch(
      /; call with a dashboard user's token\.$/,
    );
    expect(() => authorize(caller, policy(), [], rolesWith)).toThrow(
      expect.objectContaining({ reason: "insufficient_scope", specific: "token_not_allowed" }),
    );
  });
});

test("a key that may not call has a reason of its own, and another caller has not", () => {
  for (const [caller, specific] of [
    [secret("*"), "key_not_allowed"],
    [{ ...secret("*"), kind: "dashboard_user" } as unknown as Principal, undefined],
  ] as const) {
    expect(() => authorize(caller, policy({ callers: ["operator"] }), [], rolesWith)).toThrow(
      expect.objectContaining({ reason: "insufficient_scope", specific }),
    );
  }
});

describe("the scope", () => {
  const asked = policy({ scope: "conversations:read" });

  test("is required of keys: users and the operator have scopes of their own", () => {
    expect(tryToAuthorize(user("ten_1", NO_RIGHTS), asked)).toMatchObject({ kind: "dashboard_user" });
    for (const keyWith of [secret, publishable]) {
      expect(tryToAuthorize(keyWith("conversations:read"), asked)).toMatchObject({ tenantId: expect.any(String) });
      expect(tryToAuthorize(keyWith("conversations:*"), asked)).toMatchObject({ tenantId: expect.any(String) });
      expect(tryToAuthorize(keyWith("conversations:write"), asked)).toMatch(
        /^insufficient_scope: .*conversations:read/,
      );
      expect(tryToAuthorize(keyWith(), asked)).toMatch(/^insufficient_scope/);
    }
  });

  test("that is blocked for publishable keys is refused, even if their record has it", () => {
    for (const scope of ["billing:read", "users:impersonate", "system:write"]) {
      expect(() => requireScope(secret("*"), scope, rolesWith)).not.toThrow();
      for (const held of ["*", scope, "users:*", "billing:*"]) {
        expect(() => requireScope(publishable(held), scope, rolesWith)).toThrow(Denial);
      }
    }
    expect(tryToAuthorize(publishable("*"), asked)).toMatch(/^insufficient_scope/);
  });
});

describe("the scope of a user", () => {
  const asked = policy({ userScope: "api_keys:write" });
  const withScopes = (...scopes: string[]) => user("ten_1", { scopes, includeReserved: false });

  test("is required of dashboard users, not of keys", () => {
    expect(tryToAuthorize(withScopes("api_keys:*"), asked)).toMatchObject({ kind: "dashboard_user" });
    expect(tryToAuthorize(secret(), asked)).toMatchObject({ kind: "secret_key" });
    expect(tryToAuthorize(withScopes("api_keys:read"), asked)).toBe(
      "insufficient_scope: This user lacks the scope api_keys:write; have an administrator give them one of the roles that have it: owner, admin, developer.",
    );
  });

  test("is not asked of a user who needs a tenant first", () => {
    expect(tryToAuthorize(user(null), asked)).toMatch(/^tenant_required/);
    expect(tryToAuthorize(user(null), { ...asked, tenantOptional: true })).toMatch(/^insufficient_scope/);
  });

  test("that is reserved is refused with a word about the operator's tenant", () => {
    const reserved = policy({ userScope: "system:*" });
    expect(tryToAuthorize(withScopes("*"), reserved)).toBe(
      "insufficient_scope: This user lacks the scope system:*, which is reserved for the operator's own tenant; call with a user of that tenant.",
    );
    const operator = user("ten_1", { scopes: ["*"], includeReserved: true });
    expect(tryToAuthorize(operator, reserved)).toBe(operator);
  });
});

describe("acting for a user", () => {
  test("is only for secret keys with the scope", () => {
    for (const held of ["users:impersonate", "users:*", "*"]) {
      expect(tryToAuthorize(secret(held), policy(), ["u1"])).toMatchObject({ onBehalfOf: "u1" });
    }
    for (const other of [secret("users:read"), publishable("*"), publishable("users:impersonate"), user()]) {
      expect(tryToAuthorize(other, policy(), ["u1"])).toMatch(/^insufficient_scope: X-On-Behalf-Of/);
    }
  });

  // threat: X14
  test("requires exactly one printable value", () => {
    const caller = secret("users:impersonate");
    for (const values of [[""], [" "], ["u1", "u2"], ["u1, u2"], ["a\u0000"], ["x".repeat(257)], ["é"]]) {
      expect(tryToAuthorize(caller, policy(), values)).toMatch(/^invalid_argument: X-On-Behalf-Of: /);
    }
    for (const value of ["u", "../", "auth0|5f7c", "x".repeat(256)]) {
      expect(tryToAuthorize(caller, policy(), [value])).toMatchObject({ onBehalfOf: value });
    }
  });

  /** A value as it comes in a header: one character for each byte of it. */
  const inBytes = (text: string): string => Buffer.from(text).toString("latin1");

  test.each(["日本語", "jörg müller", "Ω", "😀", "é".repeat(256), "😀".repeat(256), "علي"])(
    "is asked for in UTF-8 (%s)",
    (user) => {
      expect(tryToAuthorize(secret("*"), policy(), [inBytes(user)])).toMatchObject({ onBehalfOf: user });
    },
  );

  test.each([
    ["a mark of direction", "\u202eu"],
    ["a zero-width space", "u\u200b"],
    ["a byte order mark", "\ufeffu"],
    ["a space that is not the ordinary one", "a\u00a0b"],
    ["a line separator", "a\u2028b"],
    ["a control of the upper half", "a\u0085b"],
    ["a private character", "a\ue000"],
    ["an unassigned one", "a\u{e0fff}"],
    ["nothing but a filler", "\u3164"],
    ["one character too many", "é".repeat(257)],
    ["a comma", "日,本"],
  ])("is refused with %s", (_what, user) => {
    expect(tryToAuthorize(secret("*"), policy(), [inBytes(user)])).toMatch(
      /^invalid_argument: X-On-Behalf-Of: must be one user/,
    );
  });

  test.each(["\x80", "\xe9", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\xff"])(
    "is refused in bytes that are not UTF-8 (%j)",
    (bytes) => expect(tryToAuthorize(secret("*"), policy(), [bytes])).toMatch(/^invalid_argument: X-On-Behalf-Of: /),
  );

  test("is refused where the user is an API key, which the log would hold", () => {
    for (const type of ["secret", "publishable"] as const) {
      const key = makeSecret(type);
      const verdict = tryToAuthorize(secret("*"), policy(), [`u${key}`]);
      expect(verdict).toBe("invalid_argument: X-On-Behalf-Of: holds an API key; send the id of a user");
    }
  });

  test("changes neither the key nor the tenant", () => {
    const caller = secret("users:impersonate");
    expect(tryToAuthorize(caller, policy(), ["u1"])).toEqual({ ...caller, onBehalfOf: "u1" });
    expect(caller).toMatchObject({ onBehalfOf: null });
  });
});

describe("the tenant", () => {
  test("is required unless the policy says otherwise", () => {
    expect(tryToAuthorize(user(null), policy())).toMatch(/^tenant_required/);
    expect(tryToAuthorize(user(null), policy({ tenantOptional: true }))).toMatchObject({ tenantId: null });
  });
});

test("a publishable key at what secret keys may do gets a message that says so", () => {
  const app = publishable("*");
  const servers = policy({ callers: ["dashboard_user", "secret_key"] });
  expect(tryToAuthorize(app, servers)).toMatch(/^insufficient_scope: A publishable key .* call with a secret key/);
  const users = policy({ callers: ["dashboard_user"] });
  for (const key of [app, secret("*")])
    expect(tryToAuthorize(key, users)).toMatch(/^insufficient_scope: An API key .* a dashboard user's token/);
});

test("the first fault is answered: kind, scope, acting, tenant", () => {
  const keysOnly = policy({ callers: ["secret_key"], scope: "plans:read" });
  expect(tryToAuthorize(user(null), keysOnly, ["u1"])).toMatch(
    /^insufficient_scope: A dashboard user .* with an API key/,
  );
  expect(tryToAuthorize(secret("plans:write"), keysOnly, [""])).toMatch(/plans:read/);
  expect(tryToAuthorize(secret("plans:read"), keysOnly, [""])).toMatch(/users:impersonate/);
  expect(tryToAuthorize(user(null), policy(), ["u1"])).toMatch(/^insufficient_scope: X-On-Behalf-Of/);
});
