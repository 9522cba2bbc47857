// promise: orgs.roles, orgs.removed, hooks.tenant
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { accessRules } from "../harness/access-rules.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { newMember, newOrganization, orgUser } from "../harness/organizations.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";

const LIST = "/api/v1/api-keys/list";
const TURNS = 10;
const FROM_MEMBERSHIP = { rolesFromMembership: true, access: accessRules({ rolesClaim: "email" }) };

/** Two services over one database. Both know the users of one issuer, each by its own keys. */
describe.each([
  ["with the tenant in the token", {}],
  ["with the tenant of the membership", { tenantFromMembership: true }],
  ["with the role of the membership and another one in the token", FROM_MEMBERSHIP],
] as const)("memberships on two replicas, %s", (_how, mode: Partial<Config>) => {
  const { tenantFromMembership = false } = mode;
  let url: string;
  let pair: readonly [Latchkey, Latchkey];

  beforeAll(async () => {
    url = await copyDatabase(inject("servingTemplate").adminUrl);
    const start = () => startLatchkey({ config: { ...mode, storage: { kind: "postgres", url } } });
    pair = [await start(), await start()];
  });
  afterAll(async () => {
    for (const latchkey of pair) await latchkey.close();
    await dropDatabase(inject("postgresUrl"), url);
  });

  /** A user on a replica, with tokens as this mode has them. */
  const userOn = (latchkey: Latchkey, tenantId: string, sub: string) =>
    orgUser(latchkey, tenantFromMembership ? undefined : tenantId, sub);

  async function outcome(user: ReturnType<typeof orgUser>): Promise<string> {
    const { status, json } = await user.call(LIST);
    return status === 200 ? "200" : `${status} ${json.denial_reason}`;
  }

  test("a removal refuses the next request on the other replica, from either side", async () => {
    for (let turn = 0; turn < TURNS; turn++) {
      const [from, to] = turn % 2 === 0 ? pair : pair.toReversed();
      if (from === undefined || to === undefined) throw new Error("there are two replicas");
      const founded = await newOrganization(from);
      const { tenant_id } = founded.org;
      const { sub } = await newMember(from, founded, "developer");
      const [there, here] = [userOn(to, tenant_id, sub), userOn(from, tenant_id, sub)];
      expect([await outcome(there), await outcome(here)]).toEqual(["200", "200"]);
      expect((await founded.owner.call("members/remove", { user_id: sub })).status).toBe(200);
      expect([await outcome(there), await outcome(here)]).toEqual(["403 tenant_required", "403 tenant_required"]);
    }
  });

  test("a role, an acceptance and a foundation decide the next request on the other replica", async () => {
    const [from, to] = pair;
    const founded = await newOrganization(from);
    const { tenant_id } = founded.org;
    const founder = userOn(to, tenant_id, founded.owner.sub);
    expect(await outcome(founder)).toBe("200");
    const { sub } = await newMember(from, founded, "viewer");
    const member = userOn(to, tenant_id, sub);
    const create = async () =>
      (await member.call("/api/v1/api-keys/create", { name: "key", permissions: ["plans:read"] })).status;
    for (let turn = 0; turn < TURNS; turn++) {
      const role = turn % 2 === 0 ? "viewer" : "developer";
      await founded.owner.call("members/set-role", { user_id: sub, role });
      expect(await create()).toBe(turn % 2 === 0 ? 403 : 200);
    }
  });

  test("a user who was seen without an organization has one as soon as it is founded elsewhere", async () => {
    const [from, to] = pair;
    for (let turn = 0; turn < TURNS; turn++) {
      const stranger = orgUser(to);
      expect(await outcome(stranger)).toBe("403 tenant_required");
      const { tenant_id } = (await orgUser(from, undefined, stranger.sub).call("create", { name: "Acme" })).json.result;
      expect(await outcome(userOn(to, tenant_id, stranger.sub))).toBe("200");
      expect((await userOn(to, tenant_id, stranger.sub).call("get")).json.result.tenant_id).toBe(tenant_id);
    }
  });

  test("while a member calls without a break, no request is admitted after the answer", async () => {
    const [from, to] = pair;
    const founded = await newOrganization(from);
    const { sub } = await newMember(from, founded, "developer");
    const member = userOn(to, founded.org.tenant_id, sub);
    let isRemoved = false;
    const seen: string[] = [];
    const using = (async () => {
      while (seen.length < 10) {
        const wasRemoved = isRemoved;
        const found = await outcome(member);
        if (wasRemoved) seen.push(found);
      }
    })();
    await founded.owner.call("members/remove", { user_id: sub });
    isRemoved = true;
    await using;
    expect(new Set(seen)).toEqual(new Set(["403 tenant_required"]));
  });
});
