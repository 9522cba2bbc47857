// promise: grants.own
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accessRules } from "../../../test/harness/access-rules.ts";
import { ACT } from "../../../test/harness/act.ts";
import {
  breachIn,
  type GrantDriver,
  type GrantStep,
  type GrantUser,
  type GrantWorld,
  grantWorld,
  OWN_SCOPES,
  type SeenKey,
  type Tally,
  type Verb,
} from "../../../test/harness/grant-world.ts";
import { createMemoryKeys, keyValues, later, NOW, newKey } from "../../../test/harness/memory-keys.ts";
import { dashboardUser } from "../../../test/harness/principals.ts";
import type { KeyRecord } from "../credentials/key.ts";
import { changeKey } from "../keys/change.ts";
import { createKey } from "../keys/create.ts";
import { decideDisable } from "../keys/disable.ts";
import { decideEnable } from "../keys/enable.ts";
import type { KeyStore } from "../keys/key-store.ts";
import { decideRevoke } from "../keys/revoke.ts";
import { rotateKey } from "../keys/rotate.ts";
import { decideUpdate } from "../keys/update.ts";
import { withGrant } from "../keys/with-grant.ts";
import { UNLIMITED } from "../limits/caps.ts";
import { Denial } from "../vocabulary/denial.ts";
import { RequestFault } from "../vocabulary/request-fault.ts";
import { type Authority, createAuthority } from "./authority.ts";
import { createGrant, type Grant } from "./grant.ts";
import type { Principal } from "./principal.ts";
import { anyGrants, grants } from "./scopes.ts";

const AUTHORITY = createAuthority(
  accessRules({ rolesClaim: "roles", roles: { support: ["users:read", "system:*"] }, operatorTenant: "ten_op" }),
);

function user(roles: string, tenantId = "ten_1"): Principal {
  return dashboardUser({ tenantId, rights: AUTHORITY.rightsOfUser({ roles }, tenantId) });
}

describe("granting", () => {
  test("is denied with the place of the first scope that the caller lacks, and the roles that have it", () => {
    const grant = createGrant(AUTHORITY, user("developer"));
    grant("ten_1", ["plans:*", "users:read"]);
    expect(() => grant("ten_1", ["plans:read", "billing:write", "*"])).toThrow(
      'permissions[1]: you cannot give a key the scope "billing:write", which you do not have; remove it, or ask a user with one of the roles owner, admin.',
    );
  });

  test("of a reserved scope is denied outside the operator's tenant, to every caller", () => {
    const reserved = 'permissions[0]: "system:read" is reserved for keys of the operator\'s own tenant; remove it.';
    for (const caller of [user("owner"), user("support"), operator()])
      expect(() => createGrant(AUTHORITY, caller)("ten_1", ["system:read"])).toThrow(reserved);
    createGrant(AUTHORITY, user("support", "ten_op"))("ten_op", ["system:read"]);
    createGrant(AUTHORITY, operator())("ten_op", ["system:read"]);
  });

  test("is a denial that names no role to callers that have none", () => {
    const { record: key } = newKey();
    const backend: Principal = {
      ...{ kind: "secret_key", key, tenantId: key.tenantId, onBehalfOf: null },
      rights: AUTHORITY.rightsOfKey(key),
    };
    const denial = caught(() => createGrant(AUTHORITY, backend)(key.tenantId, ["billing:read"]));
    expect(denial).toMatchObject({ reason: "insufficient_scope" });
    expect(String(denial)).toMatch(/which you do not have; remove it\.$/);
  });

  test("concerns the key as it would be: the new permissions if there are some, else the present ones", () => {
    const { record } = newKey({ tenantId: "ten_1", permissions: ["*"] });
    const grant = createGrant(AUTHORITY, user("developer"));
    const rename = withGrant<KeyRecord>(grant, () => ({ patch: { name: "x" } }));
    const narrow = withGrant<KeyRecord>(grant, () => ({ patch: { permissions: ["plans:read"] } }));
    expect(() => rename(record, NOW)).toThrow('the scope "*"');
    expect(narrow(record, NOW)).toEqual({ patch: { permissions: ["plans:read"] } });
  });
});

/** Makes the grant of a call. The real one, or one that is wrong. */
type GrantOf = (authority: Authority, principal: Principal, verb: Verb) => Grant;

/** The domain's verbs on keys in memory. */
function domainDriver(world: GrantWorld, grantOf: GrantOf): GrantDriver {
  const authority = createAuthority(
    accessRules({ scopes: OWN_SCOPES, roles: world.roles, rolesClaim: "roles", operatorTenant: world.operatorTenant }),
  );
  const keys = createMemoryKeys();
  const ids: string[] = [];
  const stored = Promise.all(
    world.stored.map(({ tenant, permissions, isDisabled }) => {
      const key = newKey({ tenantId: tenant, permissions, disabledAt: isDisabled ? NOW : null });
      ids.push(key.record.keyId);
      return keys.insertKey(key, ACT);
    }),
  );
  return {
    async act(caller, step) {
      await stored;
      const rights = authority.rightsOfUser({ roles: caller.roles }, caller.tenant);
      const principal = dashboardUser({ tenantId: caller.tenant, rights });
      const keyId = ids[step.key % Math.max(1, ids.length)] ?? "key_none";
      try {
        const made = await act(keys, authority, caller, step, keyId, grantOf(authority, principal, step.verb));
        if (made !== undefined) ids.push(made);
        return "done";
      } catch (err) {
        if (err instanceof Denial) return "denied";
        if (err instanceof RequestFault) return "refused";
        throw err;
      }
    },
    async keys() {
      await stored;
      const seen = new Map<string, SeenKey>();
      for (const tenant of new Set([...world.users, ...world.stored].map((one) => one.tenant))) {
        const { items } = await keys.listKeys(tenant, { status: null, now: NOW }, { page: 1, perPage: 100 });
        for (const { keyId, permissions, disabledAt, revokedAt } of items)
          seen.set(keyId, { tenant, permissions, isUsable: disabledAt === null && revokedAt === null });
      }
      return seen;
    },
  };
}

/** Makes the call of a step. Returns the id of a new key. */
async function act(
  keys: KeyStore,
  { catalogue }: Authority,
  { tenant }: GrantUser,
  { verb, permissions }: GrantStep,
  keyId: string,
  grant: Grant,
): Promise<string | undefined> {
  const clock = () => NOW;
  const change = async (decide: (current: KeyRecord, now: Date) => ReturnType<typeof decideRevoke>) => {
    await changeKey({ keys, clock }, tenant, keyId, decide, ACT);
    return undefined;
  };
  const providers = { fetchDocument: async () => ({ problem: "nothing is fetched here" }) };
  switch (verb) {
    case "create": {
      const ctx = {
        keys,
        keyClock: clock,
        rateLimitDefault: UNLIMITED,
        keyBrand: null,
        tenantKeysMax: 10_000,
        catalogue,
        providers,
        jwksAllowedHosts: [],
        isOwnIssuer: () => false,
      };
      const values = keyValues({ permissions: permissions ?? ["*"] });
      const command = { ...values, tenantId: tenant, type: "secret", publishableConfig: null } as const;
      return (await createKey(ctx, command, grant, ACT)).keyId;
    }
    case "rotate":
      return (
        await rotateKey({ keys, keyClock: clock, keyBrand: null, tenantKeysMax: 10_000 }, tenant, keyId, 1, grant, ACT)
      ).keyId;
    case "update": {
      const values = keyValues({ name: "b", permissions: permissions ?? [], expiresAt: later(1) });
      const fields = new Set([permissions === null ? "name" : "permissions"] as const);
      return change(withGrant(grant, (current, now) => decideUpdate(current, fields, values, catalogue, now)));
    }
    case "enable":
      return change(withGrant(grant, decideEnable));
    case "disable":
      return change(decideDisable);
    case "revoke":
      return change(decideRevoke);
  }
}

describe("whatever the roles, the keys and the calls", () => {
  const law = (grantOf: GrantOf, tally: Tally) =>
    fc.asyncProperty(grantWorld, async (world) => {
      expect(await breachIn(world, domainDriver(world, grantOf), tally)).toBeUndefined();
    });

  test("no caller makes a key with a scope that they may not grant, and other keys keep theirs", async () => {
    const tally = { done: 0, denied: 0, refused: 0 };
    await fc.assert(
      law((authority, principal) => createGrant(authority, principal), tally),
      { numRuns: 500 },
    );
    expect(Math.min(tally.done, tally.denied)).toBeGreaterThan(40);
  });

  const unless =
    (verb: Verb): GrantOf =>
    (authority, principal, of) =>
      of === verb ? () => {} : createGrant(authority, principal);
  const deny = (isDenied: boolean): void => {
    if (isDenied) throw new Denial("insufficient_scope");
  };

  test.each<[string, GrantOf]>([
    ["none", () => () => {}],
    ["no check when a key is created", unless("create")],
    ["no check when a key is updated", unless("update")],
    ["no check when a key is rotated", unless("rotate")],
    ["no check when a key is enabled", unless("enable")],
    [
      "a check of the first scope alone",
      (authority, principal) => (tenantId, permissions) =>
        createGrant(authority, principal)(tenantId, permissions.slice(0, 1)),
    ],
    [
      "reserved scopes like any others",
      (_authority, { rights }) =>
        (_tenant, permissions) =>
          deny(!permissions.every((one) => anyGrants(rights.scopes, one))),
    ],
    [
      "a wildcard to those who have all that it grants today",
      ({ catalogue }, { rights }) =>
        (_tenant, permissions) => {
          const reached = catalogue.scopes.filter(({ name }) => permissions.some((one) => grants(one, name)));
          deny(!reached.every(({ name }) => anyGrants(rights.scopes, name)));
        },
    ],
  ])("a grant that is wrong is found: %s", async (_what, grantOf) => {
    const broken = law(grantOf, { done: 0, denied: 0, refused: 0 });
    const { failed } = await fc.check(broken, { numRuns: 5_000, endOnFailure: true });
    expect(failed).toBe(true);
  });
});

function operator(): Principal {
  return { kind: "operator", token: 1, tenantId: null, rights: AUTHORITY.rightsOfOperator };
}

function caught(act: () => void): unknown {
  try {
    act();
  } catch (err) {
    return err;
  }
  return undefined;
}
