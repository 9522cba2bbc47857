import { expect, test } from "vitest";
import { ACT } from "../../../test/harness/act.ts";
import { createMemoryOrgs } from "../../../test/harness/memory-orgs.ts";
import type { MembershipRecords } from "../../domain/orgs/org.ts";
import { cacheMemberships } from "./cached-reads.ts";
import { createRecordCache } from "./record-cache.ts";
import { userSubject } from "./subjects.ts";

const ANNA = { issuer: "https://login.example", userId: "anna" };

/** Memberships of a store, behind a cache, with the user ids that the store was asked for. */
function start() {
  const orgs = createMemoryOrgs(() => new Date(0));
  const cache = createRecordCache();
  const reads: string[] = [];
  const memberships = cacheMemberships(cache, {
    findMemberships: async (userId): Promise<MembershipRecords> => {
      reads.push(userId);
      return orgs.findMemberships(userId);
    },
  });
  const found = async (tenantId: string) => {
    await orgs.createOrg({ orgId: `org of ${tenantId}`, tenantId, name: tenantId }, ANNA, "", null, ACT);
  };
  const tenantsOf = async (userId: string) =>
    (await memberships.findMemberships(userId)).memberships.map(({ tenantId }) => tenantId);
  return { cache, reads, found, tenantsOf };
}

test("memberships are read once, also those of a user who has none", async () => {
  const { reads, found, tenantsOf } = start();
  await found("ten_1");
  for (let n = 0; n < 3; n++) {
    expect(await tenantsOf("anna")).toEqual(["ten_1"]);
    expect(await tenantsOf("nobody")).toEqual([]);
  }
  expect(reads).toEqual(["anna", "nobody"]);
});

test("requests that come together share reads", async () => {
  const { reads, tenantsOf } = start();
  await Promise.all(Array.from({ length: 10 }, () => tenantsOf("anna")));
  expect(reads).toEqual(["anna", "anna"]);
});

test("a change of the user is read at the next request, and while it is marked at each", async () => {
  const { cache, reads, found, tenantsOf } = start();
  expect(await tenantsOf("anna")).toEqual([]);
  await found("ten_1");
  cache.drop(userSubject("other"));
  expect(await tenantsOf("anna")).toEqual([]);
  cache.drop(userSubject("anna"));
  expect(await tenantsOf("anna")).toEqual(["ten_1"]);
  cache.mark(userSubject("anna"), "mark");
  await found("ten_2");
  for (let n = 0; n < 2; n++) expect(await tenantsOf("anna")).toEqual(["ten_1", "ten_2"]);
  cache.unmark(userSubject("anna"), "mark");
  for (let n = 0; n < 2; n++) await tenantsOf("anna");
  expect(reads).toHaveLength(5);
});
