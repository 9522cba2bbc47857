import { beforeAll, describe, expect, test } from "vitest";
import type { KeyStore } from "../../src/domain/keys/key-store.ts";
import type { OrgStore } from "../../src/domain/orgs/org-store.ts";
import type { Tenant } from "../../src/domain/tenants/tenant.ts";
import type { TenantStore } from "../../src/domain/tenants/tenant-store.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { ACT } from "../harness/act.ts";
import { newKey } from "./records.ts";

/** Stores of one database, which other suites may use, too. */
export interface TenantStores {
  readonly tenants: TenantStore;
  readonly keys: Pick<KeyStore, "insertKey">;
  readonly orgs: OrgStore;
}

/** What every TenantStore promises. */
export function tenantStoreSuite(name: string, open: () => Promise<TenantStores>): void {
  describe(`tenants in ${name}`, () => {
    let stores: TenantStores;
    let tenants: TenantStore;
    beforeAll(async () => {
      stores = await open();
      ({ tenants } = stores);
    });

    const isSuspended = async (tenantId: string) => (await tenants.findTenant(tenantId)).isSuspended;

    /** All tenants of the database, read page by page. */
    async function listAll(onlySuspended: boolean, perPage = 100): Promise<Tenant[]> {
      const listed: Tenant[] = [];
      for (let page = 1; ; page++) {
        const { items, total } = await tenants.listTenants({ onlySuspended }, { page, perPage });
        listed.push(...items);
        if (items.length === 0) {
          expect(listed).toHaveLength(total);
          return listed;
        }
      }
    }

    test("a tenant of which nothing is stored is not suspended", async () => {
      expect(await tenants.findTenant(newId("ten"))).toEqual({ isSuspended: false });
    });

    test("a suspension is stored with its reason and the time of the storage, until the tenant is resumed", async () => {
      const tenantId = newId("ten");
      const suspended = await tenants.setSuspension(tenantId, "unpaid", ACT);
      const suspendedAt = expect.any(Date);
      expect(suspended).toEqual({ tenantId, name: "", keyCount: 0, suspension: { suspendedAt, reason: "unpaid" } });
      const agoMs = Date.now() - (suspended.suspension?.suspendedAt.getTime() ?? Number.NaN);
      expect(Math.abs(agoMs)).toBeLessThan(60_000);
      expect(await isSuspended(tenantId)).toBe(true);
      expect(await tenants.setSuspension(tenantId, null, ACT)).toEqual({
        tenantId,
        name: "",
        keyCount: 0,
        suspension: null,
      });
      expect(await isSuspended(tenantId)).toBe(false);
    });

    test("a second suspension keeps the time and the reason of the first, and one after a resumption does not", async () => {
      const tenantId = newId("ten");
      const first = await tenants.setSuspension(tenantId, "first", ACT);
      expect(await tenants.setSuspension(tenantId, "second", ACT)).toEqual(first);
      await tenants.setSuspension(tenantId, null, ACT);
      const later = await tenants.setSuspension(tenantId, "", ACT);
      expect(later.suspension?.reason).toBe("");
      expect(later.suspension?.suspendedAt.getTime()).toBeGreaterThanOrEqual(
        first.suspension?.suspendedAt.getTime() ?? Number.NaN,
      );
    });

    test("a tenant that is not suspended may be resumed", async () => {
      const tenantId = newId("ten");
      for (let n = 0; n < 2; n++) {
        expect(await tenants.setSuspension(tenantId, null, ACT)).toMatchObject({ suspension: null });
      }
      expect(await isSuspended(tenantId)).toBe(false);
    });

    test("a tenant is returned with the name of its organization and the number of its keys", async () => {
      const tenantId = newId("ten");
      await createOrg(stores.orgs, tenantId);
      await stores.keys.insertKey(newKey({ tenantId }), ACT);
      await stores.keys.insertKey(newKey({ tenantId, revokedAt: new Date() }), ACT);
      await stores.keys.insertKey(newKey(), ACT);
      expect(await tenants.setSuspension(tenantId, "x", ACT)).toMatchObject({ name: "Acme", keyCount: 2 });
      expect(await tenants.setSuspension(tenantId, null, ACT)).toMatchObject({ name: "Acme", keyCount: 2 });
    });

    test("tenants looked up at once are not mixed up, also if one is looked up twice", async () => {
      const ids = Array.from({ length: 20 }, () => newId("ten"));
      for (const [n, tenantId] of ids.entries()) if (n % 3 === 0) await tenants.setSuspension(tenantId, "x", ACT);
      const found = await Promise.all([...ids, ...ids].map(isSuspended));
      expect(found).toEqual([...ids, ...ids].map((_, n) => (n % ids.length) % 3 === 0));
    });

    test.each([
      ["quotes and commas", `", "'{}\\\\,[]`],
      ["spaces at its end", "  "],
      ["other alphabets", "Grüße, 你好, 😀, e\u0301"],
      ["capitals", "ACME"],
      ["many characters", "x".repeat(220)],
      ["a byte order mark", "\ufeff"],
    ])("an id with %s is one of its own, and a reason may have the same", async (_, end) => {
      const tenantId = newId("ten") + end;
      const suspended = await tenants.setSuspension(tenantId, end, ACT);
      expect(suspended).toMatchObject({ tenantId, suspension: { reason: end } });
      expect(await isSuspended(tenantId)).toBe(true);
      const others = [tenantId.trimEnd(), tenantId.toLowerCase(), tenantId.normalize("NFC"), tenantId.slice(0, -1)];
      for (const other of others.filter((each) => each !== tenantId)) expect(await isSuspended(other)).toBe(false);
      expect((await listAll(true)).filter((each) => each.tenantId === tenantId)).toEqual([suspended]);
    });

    test("of concurrent suspensions and resumptions each one succeeds, and the last one counts", async () => {
      const tenantId = newId("ten");
      const changes = Array.from({ length: 20 }, (_, n) =>
        tenants.setSuspension(tenantId, n % 2 === 0 ? "x" : null, ACT),
      );
      await Promise.all(changes);
      await tenants.setSuspension(tenantId, "last", ACT);
      expect(await isSuspended(tenantId)).toBe(true);
      await tenants.setSuspension(tenantId, null, ACT);
      expect(await isSuspended(tenantId)).toBe(false);
    });

    test("the list has each tenant with an organization, a key or a suspension once, in the order of the ids", async () => {
      const prefix = newId("ten");
      const id = (end: string) => `${prefix}${end}`;
      await createOrg(stores.orgs, id("c"));
      await stores.keys.insertKey(newKey({ tenantId: id("a") }), ACT);
      await stores.keys.insertKey(newKey({ tenantId: id("c") }), ACT);
      await tenants.setSuspension(id("b"), "x", ACT);
      await tenants.setSuspension(id("c"), "y", ACT);
      await tenants.setSuspension(id("d"), "z", ACT);
      await tenants.setSuspension(id("d"), null, ACT);
      const ours = (listed: readonly Tenant[]) => listed.filter(({ tenantId }) => tenantId.startsWith(prefix));
      const suspension = (reason: string) => ({ suspendedAt: expect.any(Date), reason });
      const expected = [
        { tenantId: id("a"), name: "", keyCount: 1, suspension: null },
        { tenantId: id("b"), name: "", keyCount: 0, suspension: suspension("x") },
        { tenantId: id("c"), name: "Acme", keyCount: 1, suspension: suspension("y") },
      ];
      for (const perPage of [7, 100]) {
        expect(ours(await listAll(false, perPage))).toEqual(expected);
        expect(ours(await listAll(true, perPage))).toEqual(expected.slice(1));
      }
    });

    test("a page past the end is empty and has the right total, however far past", async () => {
      await tenants.setSuspension(newId("ten"), "x", ACT);
      for (const onlySuspended of [false, true]) {
        const { length } = await listAll(onlySuspended);
        expect(length).toBeGreaterThan(0);
        const page = { page: 2_147_483_647, perPage: 100 };
        expect(await tenants.listTenants({ onlySuspended }, page)).toEqual({ items: [], total: length });
      }
    });
  });
}

async function createOrg(orgs: OrgStore, tenantId: string): Promise<void> {
  const org = { orgId: newId("org"), tenantId, name: "Acme" };
  await orgs.createOrg(org, { issuer: "https://idp.example", userId: "anna" }, "", null, ACT);
}
