// promise: json.integers, keys.metadata, conversations.owner, conversations.stored
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { KeyStatus } from "../../src/domain/credentials/status.ts";
import type { StoredChange } from "../../src/domain/keys/key-change.ts";
import type { KeyStore } from "../../src/domain/keys/key-store.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { RequestFault } from "../../src/domain/vocabulary/request-fault.ts";
import { ACT } from "../harness/act.ts";
import { KEY_STATUS_CASES } from "./key-status-cases.ts";
import { fullKey, givenMembers, later, NOW, newKey, unused, usesAt } from "./records.ts";

/** What every KeyStore promises. */
export function keyStoreSuite(name: string, open: () => Promise<KeyStore>): void {
  describe(`keys in ${name}`, () => {
    let keys: KeyStore;
    beforeAll(async () => {
      keys = await open();
    });

    test("a stored key is read back exactly, by its hash and by its id", async () => {
      const key = fullKey();
      await keys.insertKey(key, ACT);
      expect(await keys.findKeyBySecretHash(key.secretHash)).toEqual(key.record);
      expect(await keys.findKey(key.record.tenantId, key.record.keyId)).toEqual(unused(key));
    });

    test("keys looked up at once are not mixed up, also if one is looked up twice or unknown", async () => {
      const [one, other, unknown] = [newKey({ name: "one" }), newKey({ name: "other" }), newKey()];
      await keys.insertKey(one, ACT);
      await keys.insertKey(other, ACT);
      const found = await Promise.all(
        [one, unknown, other, one].map(({ secretHash }) => keys.findKeyBySecretHash(secretHash)),
      );
      expect(found).toEqual([one.record, undefined, other.record, one.record]);
    });

    test("an unknown hash and an unknown id are absent", async () => {
      expect(await keys.findKeyBySecretHash(newKey().secretHash)).toBeUndefined();
      expect(await keys.findKey(newId("ten"), newId("key"))).toBeUndefined();
    });

    test("another tenant's key is absent", async () => {
      const key = newKey();
      const stranger = newId("ten");
      await keys.insertKey(key, ACT);
      expect(await keys.findKey(stranger, key.record.keyId)).toBeUndefined();
      expect(
        await keys.updateKeyUnderLock(stranger, key.record.keyId, () => ({ patch: { name: "mine" } }), ACT),
      ).toBeUndefined();
      expect(await keys.listKeys(stranger, { status: null, now: NOW }, { page: 1, perPage: 20 })).toEqual({
        items: [],
        total: 0,
      });
      expect(await keys.findKey(key.record.tenantId, key.record.keyId)).toEqual(unused(key));
    });

    test("the issuers of a tenant are those of its publishable keys that are not revoked, each once with its prefix", async () => {
      const tenantId = newId("ten");
      const oidc = { issuer: "a", jwksUrl: "j", audience: "b", userIdClaim: "sub", requiredClaims: {} };
      expect(await keys.listIssuers(tenantId)).toEqual([]);
      for (const fields of [
        { oidc },
        { oidc: { ...oidc, audience: "c" } },
        { oidc: { ...oidc, userIdPrefix: "p" } },
        { oidc: { ...oidc, issuer: "disabled" }, disabledAt: later(1) },
        { oidc: { ...oidc, issuer: "revoked" }, revokedAt: later(1) },
        { oidc: null },
        { oidc: { ...oidc, issuer: "another's" }, tenantId: newId("ten") },
      ])
        await keys.insertKey(newKey({ tenantId, type: "publishable", ...fields }), ACT);
      const issuers = (await keys.listIssuers(tenantId)).map(({ issuer, userIdPrefix }) => `${issuer} ${userIdPrefix}`);
      expect(issuers.toSorted()).toEqual(["a ", "a p", "disabled "]);
    });

    test("a list is newest first, also among keys created in one millisecond", async () => {
      const tenantId = newId("ten");
      const older = newKey({ tenantId, createdAt: later(-1_000) });
      const same = Array.from({ length: 5 }, () => newKey({ tenantId }));
      for (const key of [...same, older]) await keys.insertKey(key, ACT);
      const first = await keys.listKeys(tenantId, { status: null, now: NOW }, { page: 1, perPage: 4 });
      const second = await keys.listKeys(tenantId, { status: null, now: NOW }, { page: 2, perPage: 4 });
      expect([...first.items, ...second.items].map((key) => key.keyId)).toEqual(
        [...same.toReversed(), older].map((key) => key.record.keyId),
      );
      expect([first.total, second.total]).toEqual([6, 6]);
    });

    test("the total of a list agrees with its keys, also while keys are created", async () => {
      const tenantId = newId("ten");
      const lists = Array.from({ length: 40 }, async () => {
        const [, list] = await Promise.all([
          keys.insertKey(newKey({ tenantId }), ACT),
          keys.listKeys(tenantId, { status: null, now: NOW }, { page: 1, perPage: 100 }),
        ]);
        return list;
      });
      for (const { items, total } of await Promise.all(lists)) expect(items).toHaveLength(total);
    });

    test("a page past the end is empty and has the right total, however far past", async () => {
      const { record, secretHash } = newKey();
      await keys.insertKey({ record, secretHash }, ACT);
      const page = { page: 2_147_483_647, perPage: 100 };
      expect(await keys.listKeys(record.tenantId, { status: null, now: NOW }, page)).toEqual({ items: [], total: 1 });
    });

    describe("a search over all tenants", () => {
      const PAGE = { page: 1, perPage: 20 };
      const none = { items: [], total: 0 };
      const newPrefix = () => `sk_${randomUUID().replaceAll("-", "").slice(0, 9)}`;

      test("finds a key by its id and by its hash, with its last use, and nothing by unknown ones", async () => {
        const [key, other] = [newKey(), newKey()];
        for (const each of [key, other]) await keys.insertKey(each, ACT);
        const { keyId } = key.record;
        await keys.addUsage(randomUUID(), new Map([[keyId, usesAt(later(1), { successful: 1 })]]));
        const found = { items: [{ ...unused(key), lastUsedAt: later(1) }], total: 1 };
        expect(await keys.searchKeys({ by: "id", keyId }, PAGE)).toEqual(found);
        expect(await keys.searchKeys({ by: "secret", secretHash: key.secretHash }, PAGE)).toEqual(found);
        expect(await keys.searchKeys({ by: "id", keyId: newId("key") }, PAGE)).toEqual(none);
        expect(await keys.searchKeys({ by: "secret", secretHash: newKey().secretHash }, PAGE)).toEqual(none);
      });

      test("finds the keys of all tenants that begin alike, whole or in part, newest first, page by page", async () => {
        const secretPrefix = newPrefix();
        const older = newKey({ secretPrefix, createdAt: later(-1_000) });
        const same = Array.from({ length: 3 }, () => newKey({ secretPrefix, revokedAt: later(1) }));
        const similar = newKey({ secretPrefix: `${secretPrefix.slice(0, 11)}~` });
        for (const key of [...same, older, similar]) await keys.insertKey(key, ACT);
        const idsOf = async (prefix: string, page: number) => {
          const { items, total } = await keys.searchKeys({ by: "prefix", prefix }, { page, perPage: 2 });
          return [total, ...items.map(({ keyId }) => keyId)];
        };
        const [first, second, third, fourth] = [...same.toReversed(), older].map(({ record }) => record.keyId);
        expect(await idsOf(secretPrefix, 1)).toEqual([4, first, second]);
        expect(await idsOf(secretPrefix, 2)).toEqual([4, third, fourth]);
        expect(await idsOf(secretPrefix, 3)).toEqual([4]);
        expect(await idsOf(secretPrefix.slice(0, 11), 1)).toEqual([5, similar.record.keyId, first]);
      });

      test("reads a prefix as text, not as a pattern", async () => {
        const secretPrefix = newPrefix();
        await keys.insertKey(newKey({ secretPrefix }), ACT);
        const patterns = [`${secretPrefix.slice(0, 11)}_`, `${secretPrefix.slice(0, 5)}%`, secretPrefix.toUpperCase()];
        for (const prefix of patterns) expect(await keys.searchKeys({ by: "prefix", prefix }, PAGE)).toEqual(none);
      });
    });

    test("the status filter lists each key by the status that it has in the domain", async () => {
      const tenantId = newId("ten");
      const expected = new Map<KeyStatus, string[]>();
      for (const { name, fields, status } of KEY_STATUS_CASES) {
        await keys.insertKey(newKey({ tenantId, name, ...fields }), ACT);
        expected.set(status, [name, ...(expected.get(status) ?? [])]);
      }
      expect(expected.size).toBe(4);
      for (const [status, names] of expected) {
        const { items, total } = await keys.listKeys(tenantId, { status, now: NOW }, { page: 1, perPage: 100 });
        expect(items.map(({ name }) => name)).toEqual(names);
        expect(total).toBe(names.length);
      }
      const all = await keys.listKeys(tenantId, { status: null, now: NOW }, { page: 1, perPage: 100 });
      expect(all.total).toBe(KEY_STATUS_CASES.length);
    });

    test("a change writes each field of its patch and returns the new record", async () => {
      const key = newKey({ expiresAt: later(5) });
      await keys.insertKey(key, ACT);
      const patch: Required<StoredChange["patch"]> = {
        ...givenMembers(fullKey().record),
        expiresAt: null,
        updatedAt: later(10),
        disabledAt: later(11),
        revokedAt: later(12),
        rotatedTo: newId("key"),
        leak: { at: later(13), url: "https://example.com/a", source: "gist" },
      };
      const { leak: _, ...recordPatch } = patch;
      const { tenantId, keyId } = key.record;
      const changed = await keys.updateKeyUnderLock(tenantId, keyId, () => ({ patch }), ACT);
      expect(changed).toEqual({ ...unused(key), ...patch, revokedBy: ACT.actor });
      expect(await keys.findKeyBySecretHash(key.secretHash)).toEqual({ ...key.record, ...recordPatch });
    });

    test("an empty patch returns the unchanged record", async () => {
      const key = newKey();
      await keys.insertKey(key, ACT);
      const { tenantId, keyId } = key.record;
      expect(await keys.updateKeyUnderLock(tenantId, keyId, () => ({ patch: {} }), ACT)).toEqual(unused(key));
    });

    test("an error of decide is rethrown, and nothing is changed", async () => {
      const key = newKey();
      await keys.insertKey(key, ACT);
      const { tenantId, keyId } = key.record;
      const fault = new RequestFault("key_revoked", "no");
      await expect(
        keys.updateKeyUnderLock(
          tenantId,
          keyId,
          () => {
            throw fault;
          },
          ACT,
        ),
      ).rejects.toBe(fault);
      expect(await keys.findKey(tenantId, keyId)).toEqual(unused(key));
    });

    test("a successor that cannot be stored leaves the old key as it was", async () => {
      const key = newKey();
      const taken = newKey();
      await keys.insertKey(key, ACT);
      await keys.insertKey(taken, ACT);
      const { tenantId, keyId } = key.record;
      const rotated = keys.updateKeyUnderLock(
        tenantId,
        keyId,
        () => ({
          patch: { rotatedTo: taken.record.keyId },
          successor: taken,
        }),
        ACT,
      );
      await expect(rotated).rejects.toThrow();
      expect(await keys.findKey(tenantId, keyId)).toEqual(unused(key));
    });

    // threat: R7
    test("of fifty concurrent rotations exactly one wins, and one successor is stored", async () => {
      const key = newKey();
      await keys.insertKey(key, ACT);
      const { tenantId, keyId } = key.record;
      // Opens the connections: otherwise the first rotation would end before the second begins.
      await Promise.all(Array.from({ length: 50 }, () => keys.findKey(tenantId, keyId)));
      const attempts = await Promise.allSettled(
        Array.from({ length: 50 }, () =>
          keys.updateKeyUnderLock(
            tenantId,
            keyId,
            (current) => {
              if (current.rotatedTo !== null) throw new RequestFault("key_already_rotated", "rotated already");
              const successor = newKey({ tenantId, rotatedFrom: keyId });
              return { patch: { rotatedTo: successor.record.keyId }, successor };
            },
            ACT,
          ),
        ),
      );
      expect(attempts.filter((attempt) => attempt.status === "fulfilled")).toHaveLength(1);
      for (const attempt of attempts) {
        if (attempt.status === "rejected") expect(attempt.reason).toBeInstanceOf(RequestFault);
      }
      const { items } = await keys.listKeys(tenantId, { status: null, now: NOW }, { page: 1, perPage: 100 });
      expect(items.map((item) => item.rotatedFrom).toSorted()).toEqual([keyId, null]);
    });

    test("of concurrent changes of different fields, both are stored", async () => {
      const key = newKey();
      await keys.insertKey(key, ACT);
      const { tenantId, keyId } = key.record;
      await Promise.all(
        Array.from({ length: 20 }, () =>
          keys.updateKeyUnderLock(
            tenantId,
            keyId,
            (current) => ({
              patch: { description: `${current.description}x` },
            }),
            ACT,
          ),
        ),
      );
      expect((await keys.findKey(tenantId, keyId))?.description).toBe("x".repeat(20));
    });
  });
}
