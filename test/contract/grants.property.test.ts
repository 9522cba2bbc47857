import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCatalogue } from "../../src/domain/access/catalogue.ts";
import { accessRules } from "../harness/access-rules.ts";
import {
  breachIn,
  type GrantDriver,
  type GrantStep,
  type GrantUser,
  type GrantWorld,
  grantWorld,
  OPERATOR_TENANT,
  OWN_SCOPES,
  ROLE_NAMES,
  type SeenKey,
} from "../harness/grant-world.ts";
import type { JsonObject } from "../harness/http.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { newKey } from "../store/records.ts";

const SCOPES = createCatalogue(OWN_SCOPES).scopes.map(({ name }) => name);

/** Calls of a running service, as its users make them. */
function serviceDriver(latchkey: Latchkey, world: GrantWorld): GrantDriver {
  const secrets = new Map<string, string>();
  const asked = new Map<string, Promise<string[]>>();

  async function call(user: GrantUser, method: string, body: object) {
    const token = await latchkey.dashboardToken({ tenant_id: user.tenant, roles: user.roles });
    return latchkey.call(`/api/v1/api-keys/${method}`, body, { authorization: `Bearer ${token}` });
  }

  /** The scopes that a request with the key has, asked one by one, again whenever the key has changed. */
  function usedWith(key: JsonObject): Promise<string[]> {
    const secret = secrets.get(key.key_id);
    if (secret === undefined || key.status !== "KEY_STATUS_ACTIVE") return Promise.resolve([]);
    const state = JSON.stringify([key.key_id, key.updated_at, key.permissions]);
    const answers = asked.get(state) ?? scopesOf(latchkey, secret);
    asked.set(state, answers);
    return answers;
  }

  async function keys(): Promise<Map<string, SeenKey>> {
    const seen = new Map<string, SeenKey>();
    for (const tenant of new Set([...world.users, ...world.stored].map((one) => one.tenant))) {
      const { json } = await call({ tenant, roles: ["owner"] }, "list", { per_page: 100 });
      for (const key of json.keys) {
        const { key_id, permissions, status } = key;
        const isUsable = status === "KEY_STATUS_ACTIVE";
        seen.set(key_id, { tenant, permissions, isUsable, used: await usedWith(key) });
      }
    }
    return seen;
  }

  return {
    keys,
    async act(user, step) {
      const ids = [...(await keys()).keys()].sort();
      const answer = await call(user, step.verb, bodyOf(step, ids[step.key % Math.max(1, ids.length)] ?? "key_none"));
      const { key_id, key } = answer.json.result ?? {};
      if (key !== undefined) secrets.set(key_id, key);
      if (answer.status === 200) return "done";
      if (answer.json.denial_reason === "insufficient_scope") return "denied";
      if (answer.status === 400 || answer.status === 404) return "refused";
      throw new Error(answer.text);
    },
  };
}

/** The world with users who may all write keys, as the gate denies others, and who begin by creating some. */
function withWriters(world: GrantWorld): GrantWorld {
  const roles = ROLE_NAMES.map((role) => [role, ["api_keys:write", ...(world.roles[role] ?? [])]]);
  const users = world.users.map((user) => ({ ...user, roles: [...user.roles, "support"] }));
  const steps = world.steps.map((step, index) => (index < 4 ? { ...step, verb: "create" as const } : step));
  return { ...world, roles: Object.fromEntries(roles), users, steps };
}

async function scopesOf(latchkey: Latchkey, secret: string): Promise<string[]> {
  const answers = await Promise.all(
    SCOPES.map((scope) => latchkey.call("/api/v1/auth/verify", { scope }, { "x-api-key": secret })),
  );
  return SCOPES.filter((_scope, index) => answers[index]?.status === 200);
}

function bodyOf({ verb, permissions }: GrantStep, key_id: string): object {
  switch (verb) {
    case "create":
      return { name: "a key", permissions: permissions ?? ["*"] };
    case "update":
      return permissions === null
        ? { key_id, name: "renamed", update_mask: "name" }
        : { key_id, permissions, update_mask: "permissions" };
    default:
      return { key_id };
  }
}

describe.each([null, OPERATOR_TENANT])("with OPERATOR_TENANT %s", (operatorTenant) => {
  test("no user of the service obtains a key that does what they may not grant", async () => {
    const tally = { done: 0, denied: 0, refused: 0 };
    const world = grantWorld.filter(({ steps }) => steps.length > 7);
    await fc.assert(
      fc.asyncProperty(world, async (drawn) => {
        const one = { ...withWriters(drawn), operatorTenant };
        const access = accessRules({ scopes: OWN_SCOPES, roles: one.roles, rolesClaim: "roles", operatorTenant });
        const storedKeys = one.stored.map(({ tenant, permissions, isDisabled }) =>
          newKey({ tenantId: tenant, permissions, disabledAt: isDisabled ? new Date() : null }),
        );
        const latchkey = await startLatchkey({ config: { access }, storedKeys });
        try {
          expect(await breachIn(one, serviceDriver(latchkey, one), tally)).toBeUndefined();
        } finally {
          await latchkey.close();
        }
      }),
      { numRuns: 3, endOnFailure: true },
    );
    expect(tally.done + tally.denied).toBeGreaterThan(0);
  });
});
