// promise: keys.metadata, erasure.tenant, erasure.no-keys
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { ACT, ACTOR } from "../harness/act.ts";
import { newRule } from "../harness/federation.ts";
import { newAccessToken } from "../harness/new-access-token.ts";
import { newRequest } from "../harness/recent-requests.ts";
import { ERASED, type ErasureStores, ISSUER, type OpenErasures, openedErasures } from "./erasure-steps.ts";
import { fullKey, givenMembers, NOW, newKey, usesAt } from "./records.ts";

const HOUR_MS = 3_600_000;

/** What every ErasureStore promises of the erasure of a tenant. */
export function tenantErasureSuite(name: string, open: OpenErasures): void {
  describe(`erasures of tenants in ${name}`, () => {
    const { opened, ofTenant, finish, erase, send, storedKey, foundOrg, threads, memberships } = openedErasures(open);

    test("a tenant is suspended with the begin, and cannot be resumed before the end", async () => {
      const { tenantId } = await send({});
      await opened().tenants.setSuspension(tenantId, "Jo does not pay", ACT);
      const begun = await opened().erasures.begin(ofTenant(tenantId), ERASED);
      expect(await opened().tenants.findTenant(tenantId)).toEqual({ isSuspended: true });
      await expect(opened().tenants.setSuspension(tenantId, null, ACT)).rejects.toMatchObject({
        kind: "failed_precondition",
        message: expect.stringContaining("being erased"),
      });
      expect(await opened().tenants.findTenant(tenantId)).toEqual({ isSuspended: true });
      await finish(begun);
      expect(await opened().dump()).not.toContain("Jo does not pay");
      expect(await opened().tenants.setSuspension(tenantId, null, ACT)).toMatchObject({ suspension: null });
    });

    test("all of a tenant is removed, other tenants keep all, and only identifiers, hashes and dates are left", async () => {
      const { org, owner, member, emailOf } = await foundOrg();
      const { tenantId } = org;
      const mark = randomUUID();
      const other = await send({ parts: [`kept ${mark}`] });
      const otherKey = newKey({ tenantId: other.tenantId, name: `kept ${mark}` });
      await opened().keys.insertKey(otherKey, ACT);
      const tags = {
        metadata: { owner: `metadata ${mark}` },
        externalId: `external ${mark}`,
        allowedOrigins: [`https://origin ${mark}`],
      };
      const record = newKey({ tenantId, name: `name ${mark}`, description: `about ${mark}`, ...tags });
      await opened().keys.insertKey(record, { ...ACT, actor: { ...ACTOR, userId: owner } });
      await opened().keys.addUsage(randomUUID(), new Map([[record.record.keyId, usesAt(NOW, { successful: 1 })]]));
      const requests = [null, member].map((userId) => newRequest({ tenantId, userId, message: `request ${mark}` }));
      await opened().requests.addRequests(randomUUID(), requests);
      for (const userId of [null, owner, member]) await send({ tenantId, userId, parts: [`text ${mark}`] });
      const [token, otherToken] = [tenantId, other.tenantId].map((of) =>
        newAccessToken({ tenantId: of, audience: mark }),
      );
      for (const one of [token, otherToken]) if (one !== undefined) await opened().tokens.addToken(one, ACT);
      const rules = [tenantId, other.tenantId].map((of) => newRule({ tenantId: of, name: `rule ${mark} ${of}` }));
      for (const rule of rules) await opened().rules.insertRule(rule, ACT);
      const { removed, isFinished } = await erase(ofTenant(tenantId));
      expect({ isFinished, removed }).toEqual({
        isFinished: true,
        removed: {
          ...{ conversations: 3, runs: 3, messages: 3, client_message_ids: 3 },
          ...{ members: 2, invitations: 1, client_org_ids: 1, org_names: 1, keys: 1, key_usage: 2, requests: 2 },
          ...{ access_tokens: 1, federation_rules: 1 },
        },
      });
      const left = await withoutEvents(opened());
      const ofKey = ["name", "about", "metadata", "external", "origin"].map((word) => `${word} ${mark}`);
      for (const gone of [`text ${mark}`, `request ${mark}`, ...ofKey, org.name, emailOf(owner), emailOf(member)]) {
        expect(left).not.toContain(gone);
      }
      expect(left).not.toContain(token?.tokenId);
      expect(left).not.toContain(`rule ${mark} ${tenantId}`);
      expect(left).toContain(`rule ${mark} ${other.tenantId}`);
      expect(left).toContain(otherToken?.tokenId);
      expect(left).toContain(`kept ${mark}`);
      expect(await threads(other.tenantId)).toBe(1);
      expect(await opened().keys.findKeyBySecretHash(otherKey.secretHash)).toEqual(otherKey.record);
      for (const user of [owner, member]) {
        expect(await memberships(user)).toMatchObject([{ tenantId, name: "", isRemoved: true }]);
      }
    });

    test("a process that still has requests of an erased tenant stores none of them, and those of others", async () => {
      const { tenantId } = await send({});
      await erase(ofTenant(tenantId));
      const [late, others] = [newRequest({ tenantId }), newRequest({ tenantId: newId("ten") })];
      await opened().requests.addRequests(randomUUID(), [late, others]);
      expect(await opened().requests.findRequest(null, late.requestId)).toBeUndefined();
      expect(await opened().requests.findRequest(null, others.requestId)).toEqual(others);
    });

    test("a tombstone keeps no value that a request gave its key, but the expiry and whether browsers may use it", async () => {
      const tenantId = newId("ten");
      const key = fullKey({ tenantId, revokedAt: null });
      await opened().keys.insertKey(key, ACT);
      await erase(ofTenant(tenantId));
      const tombstone = await opened().keys.findKeyBySecretHash(key.secretHash);
      const { expiresAt, allowBrowser } = key.record;
      const empty = newKey({ name: "", permissions: [], expiresAt, allowBrowser }).record;
      expect(tombstone && givenMembers(tombstone)).toEqual(givenMembers(empty));
    });

    test("a key becomes a tombstone: revoked unless it had ended, with its hash, prefix and dates", async () => {
      const tenantId = newId("ten");
      const soon = new Date(Date.now() + HOUR_MS);
      const before = new Date(Date.now() - HOUR_MS);
      const full = {
        tenantId,
        description: "of Jo",
        rateLimit: { requestsPerMinute: 5, requestsPerHour: 6, burstSize: 7 },
      };
      const [active, expiring, expired, revoked, disabled] = [
        await storedKey({
          ...full,
          type: "publishable",
          oidc: { issuer: ISSUER, jwksUrl: `${ISSUER}/keys`, audience: "app" } as never,
        }),
        await storedKey({ ...full, expiresAt: soon }),
        await storedKey({ ...full, expiresAt: before }),
        await storedKey({ ...full, revokedAt: before, expiresAt: before }),
        await storedKey({ ...full, disabledAt: before }),
      ];
      const of = async (hash: string) => opened().keys.findKeyBySecretHash(hash);
      const wasExpiring = await of(expiring);
      const leak = { at: before, url: "https://example.com/of-jo", source: "of Jo" };
      const leaked = await opened().keys.updateKeyUnderLock(
        tenantId,
        wasExpiring?.keyId ?? "",
        () => ({ patch: { leak } }),
        ACT,
      );
      expect(leaked?.leak).toEqual(leak);
      await erase(ofTenant(tenantId));
      expect((await opened().keys.findKey(tenantId, leaked?.keyId ?? ""))?.leak).toBeNull();
      const blank = {
        ...{ tenantId, name: "", description: "", permissions: [], oidc: null },
        rateLimit: { requestsPerMinute: 0, requestsPerHour: 0, burstSize: 0 },
      };
      const dated = expect.any(Date);
      expect(await of(active)).toMatchObject({ ...blank, type: "publishable", revokedAt: dated, expiresAt: null });
      expect(await of(expiring)).toEqual({ ...wasExpiring, ...blank, revokedAt: dated, updatedAt: dated });
      expect(await of(expired)).toMatchObject({ ...blank, revokedAt: null, expiresAt: before });
      expect(await of(revoked)).toMatchObject({ ...blank, revokedAt: before, expiresAt: before });
      expect(await of(disabled)).toMatchObject({ ...blank, revokedAt: dated, disabledAt: before });
    });
  });
}

/** Events cannot be removed. They have the names of keys and organizations, but no message and no email address. */
async function withoutEvents({ dump }: ErasureStores): Promise<string> {
  return (await dump())
    .split("\n")
    .filter((line) => !line.startsWith("audit_events "))
    .join("\n");
}
