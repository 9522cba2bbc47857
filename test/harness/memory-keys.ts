import type { Act, Actor } from "../../src/domain/audit/event.ts";
import type { KeyRecord, KeyUsage } from "../../src/domain/credentials/key.ts";
import { keyStatus } from "../../src/domain/credentials/status.ts";
import { secretHashTaken } from "../../src/domain/keys/caller-made.ts";
import { type KeyFilter, lowerAscii } from "../../src/domain/keys/filter.ts";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import type { KeyDetails, KeyLeak } from "../../src/domain/keys/key-details.ts";
import { NO_RULES, type PolicyState } from "../../src/domain/keys/key-policy.ts";
import type { KeyStore } from "../../src/domain/keys/key-store.ts";
import type { HourUses } from "../../src/domain/usage/uses.ts";

export { keyValues, later, NOW, newKey, usesAt } from "../store/records.ts";

const UNUSED: KeyUsage = { total: 0, successful: 0, failed: 0 };
const DAY_MS = 86_400_000;

/** A key, its counters and its last use. */
interface Row extends NewKey {
  usage: KeyUsage;
  lastUsedAt: Date | null;
  createdBy: Actor;
  revokedBy: Actor | null;
  leak: KeyLeak | null;
}

/** Keys in memory, for tests of rules. It passes the suite of all key stores (`test/store/memory.test.ts`). */
export function createMemoryKeys(): KeyStore {
  /** By id, in the order of their creation. */
  const rows = new Map<string, Row>();
  const batches = new Set<string>();

  function rowOf(tenantId: string, keyId: string): Row | undefined {
    const row = rows.get(keyId);
    return row?.record.tenantId === tenantId ? row : undefined;
  }

  function insert(key: NewKey, { actor }: Act): void {
    if (rows.has(key.record.keyId)) throw new Error("a key with this id exists");
    if ([...rows.values()].some(({ secretHash }) => secretHash === key.secretHash)) throw secretHashTaken();
    rows.set(key.record.keyId, {
      ...key,
      usage: UNUSED,
      lastUsedAt: null,
      createdBy: actor,
      revokedBy: null,
      leak: null,
    });
  }

  /** No tenant has rules here. */
  function stateOf(tenantId: string, at: Date): PolicyState {
    const own = [...rows.values()].filter(({ record }) => record.tenantId === tenantId);
    const isUsable = ({ record }: Row) =>
      ["active", "disabled"].includes(keyStatus({ ...record, disabledAt: null }, at));
    return { policy: NO_RULES, usableKeys: own.filter(isUsable).length, isTenantErased: false };
  }

  return {
    async insertKey(key, act, check) {
      check?.(stateOf(key.record.tenantId, key.record.createdAt));
      insert(key, act);
    },
    findKeyBySecretHash: async (hash) => [...rows.values()].find(({ secretHash }) => secretHash === hash)?.record,
    async findKey(tenantId, keyId) {
      const row = rowOf(tenantId, keyId);
      return row && details(row);
    },
    findSecretHash: async (tenantId, keyId) => rowOf(tenantId, keyId)?.secretHash,
    async listKeys(tenantId, filter, { page, perPage }) {
      const lastUse = ({ lastUsedAt }: Row) => (filter.order === "last_used_at" ? (lastUsedAt?.getTime() ?? -1) : 0);
      const items = [...rows.values()]
        .filter((row) => row.record.tenantId === tenantId && isListed(row.record, filter) && isFound(row, filter))
        .toReversed()
        .toSorted((a, b) => lastUse(b) - lastUse(a) || b.record.createdAt.getTime() - a.record.createdAt.getTime());
      const from = (page - 1) * perPage;
      return { items: items.slice(from, from + perPage).map(details), total: items.length };
    },
    async listIssuers(tenantId) {
      const issuers = [...rows.values()].flatMap(({ record: { tenantId: owner, oidc, revokedAt } }) =>
        owner !== tenantId || oidc === null || revokedAt !== null
          ? []
          : JSON.stringify([oidc.issuer, oidc.userIdPrefix ?? ""]),
      );
      return [...new Set(issuers)].slice(0, 100).map((pair) => {
        const [issuer, userIdPrefix] = JSON.parse(pair);
        return { issuer, userIdPrefix };
      });
    },
    async searchKeys(search, { page, perPage }) {
      const items = [...rows.values()]
        .filter(({ record, secretHash }) => {
          if (search.by === "id") return record.keyId === search.keyId;
          return search.by === "secret"
            ? secretHash === search.secretHash
            : record.secretPrefix.startsWith(search.prefix);
        })
        .toReversed()
        .toSorted((a, b) => b.record.createdAt.getTime() - a.record.createdAt.getTime());
      const from = (page - 1) * perPage;
      return { items: items.slice(from, from + perPage).map(details), total: items.length };
    },
    async updateKeyUnderLock(tenantId, keyId, decide, act) {
      const row = rowOf(tenantId, keyId);
      if (row === undefined) return undefined;
      const {
        patch: { leak = row.leak, ...patch },
        successor,
        check,
      } = decide(details(row));
      check?.(stateOf(tenantId, patch.updatedAt ?? row.record.updatedAt));
      if (successor !== undefined) insert(successor, act);
      const revokedBy = patch.revokedAt === undefined ? row.revokedBy : act.actor;
      const changed = { ...row, revokedBy, leak, record: { ...row.record, ...patch } };
      rows.set(keyId, changed);
      return details(changed);
    },
    readUsage: async (tenantId, keyId) => rowOf(tenantId, keyId)?.usage ?? UNUSED,
    async addUsage(batchId, uses) {
      if (batches.has(batchId)) return;
      batches.add(batchId);
      for (const [keyId, { lastUsedAt, hours }] of uses) {
        const row = rows.get(keyId);
        if (row === undefined) continue;
        row.usage = hours.reduce(plus, row.usage);
        const usedMs = Math.min(lastUsedAt.getTime(), Date.now() + DAY_MS);
        row.lastUsedAt = new Date(Math.max(row.lastUsedAt?.getTime() ?? 0, usedMs));
      }
    },
  };
}

function isListed(record: KeyRecord, { status, now, type, ...filter }: KeyFilter): boolean {
  const { externalId = "", namePrefix = "", secretPrefix = "", scope = "" } = filter;
  return (
    (status === null || keyStatus(record, now) === status) &&
    record.type === (type ?? record.type) &&
    (externalId === "" || record.externalId === externalId) &&
    lowerAscii(record.name).startsWith(namePrefix) &&
    record.secretPrefix.startsWith(secretPrefix) &&
    (scope === "" || record.permissions.includes(scope))
  );
}

function textsOf(metadata: KeyRecord["metadata"]): string[] {
  return Object.values(metadata ?? {}).map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
}

function isFound({ record, lastUsedAt, leak }: Row, filter: KeyFilter): boolean {
  const { part = "", lastUsedBefore = null, expiresBefore = null, isLeaked = false } = filter;
  const { name, keyId, externalId, metadata, createdAt, expiresAt } = record;
  return (
    [name, keyId, externalId, ...textsOf(metadata)].some((text) => lowerAscii(text).includes(part)) &&
    (lastUsedBefore === null || (createdAt < lastUsedBefore && (lastUsedAt ?? createdAt) < lastUsedBefore)) &&
    (expiresBefore === null || (expiresAt !== null && expiresAt < expiresBefore)) &&
    (!isLeaked || leak !== null)
  );
}

function details({ record, lastUsedAt, createdBy, revokedBy, leak }: Row): KeyDetails {
  return { ...record, lastUsedAt, createdBy, revokedBy, leak, imported: null };
}

function plus({ total, successful, failed }: KeyUsage, { failure, count }: HourUses): KeyUsage {
  return {
    total: total + count,
    successful: successful + (failure === null ? count : 0),
    failed: failed + (failure === null ? 0 : count),
  };
}
