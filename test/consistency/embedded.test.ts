import { setImmediate as nextTick } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { keyStatus } from "../../src/domain/credentials/status.ts";
import { decideDisable } from "../../src/domain/keys/disable.ts";
import { decideEnable } from "../../src/domain/keys/enable.ts";
import { decideRevoke } from "../../src/domain/keys/revoke.ts";
import { cacheTenants } from "../../src/store/replicas/cached-reads.ts";
import type { Invalidation, Subject } from "../../src/store/replicas/invalidation.ts";
import {
  createRecordCache,
  type ReadRecord,
  type RecordCache,
  type RecordKind,
} from "../../src/store/replicas/record-cache.ts";
import { createSoleProcessInvalidation } from "../../src/store/replicas/sole-process.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { createTenantStore } from "../../src/store/sql/tenants/tenant-store.ts";
import { ACT } from "../harness/act.ts";
import { newKey } from "../store/records.ts";
import { changeInTurn, countUnexplained, type History } from "./history.ts";
import type { Verification } from "./observations.ts";

const KEYS = inject("longForm") ? 200 : 12;
/** Half of the key, half of its tenant. */
const CHANGES = 16;
const VERIFIERS = 6;
const VERBS = { revoke: decideRevoke, disable: decideDisable, enable: decideEnable };

let database: SqlDatabase;

beforeAll(async () => {
  database = await openDatabase({ kind: "embedded", dataDir: "memory://" });
  await migrateToLatest(database);
});

afterAll(() => database.close());

interface Cached {
  readonly cache: Pick<RecordCache, "inFrontOf" | "find">;
  readonly invalidation: Invalidation;
}

function soleProcess(): Cached {
  const cache = createRecordCache();
  return { cache, invalidation: createSoleProcessInvalidation(cache) };
}

async function someTicks(): Promise<void> {
  for (let left = Math.random() * 10; left > 0; left--) await nextTick();
}

/** A slow reader: its result may be long outdated when it arrives. */
async function slowly<T>(read: T | Promise<T>): Promise<T> {
  const found = await read;
  await someTicks();
  return found;
}

/**
 * Disables and enables a key, suspends and resumes its tenant, and revokes the key last, while it is verified all the
 * time. Returns what was seen of both.
 */
async function record({ cache, invalidation }: Cached): Promise<History> {
  const store = createKeyStore(database, invalidation);
  const tenants = createTenantStore(database, invalidation);
  const keys = cache.inFrontOf({ findKeyBySecretHash: (hash) => slowly(store.findKeyBySecretHash(hash)) });
  const { findTenant } = cacheTenants(cache, { findTenant: (id) => slowly(tenants.findTenant(id)) });
  const key = newKey();
  const { tenantId, keyId } = key.record;
  await store.insertKey(key, ACT);
  const seen: Verification[] = [];
  let isChanging = true;
  const verify = async (): Promise<void> => {
    const fromMs = performance.now();
    const found = await keys.findKeyBySecretHash(key.secretHash);
    const { isSuspended } = await findTenant(tenantId);
    const status = found === undefined ? "absent" : keyStatus(found, new Date());
    seen.push({
      status,
      tenantStatus: isSuspended ? "suspended" : "active",
      tokenStatus: "active",
      fromMs,
      toMs: performance.now(),
    });
    // A hit takes no tick of the event loop, and the change needs some.
    await nextTick();
  };
  const verifying = Array.from({ length: VERIFIERS }, async () => {
    while (isChanging) await verify();
  });
  const changes = await changeInTurn(CHANGES, async (verb) => {
    await someTicks();
    const fromMs = performance.now();
    if (verb === "suspend" || verb === "resume") {
      await tenants.setSuspension(tenantId, verb === "suspend" ? "a trial" : null, ACT);
    } else {
      await store.updateKeyUnderLock(tenantId, keyId, (current) => VERBS[verb](current, new Date()), ACT);
    }
    return { fromMs, toMs: performance.now() };
  });
  isChanging = false;
  await Promise.all(verifying);
  await verify();
  return { changes, seen };
}

/** Deletes the entry after the commit, and ignores the reads under way. */
function naive(): Cached {
  const entries = new Map<Subject, object | undefined>();
  async function find<Value extends object>(
    _: RecordKind,
    subject: Subject,
    read: ReadRecord<Value>,
  ): Promise<Value | undefined> {
    if (!entries.has(subject)) entries.set(subject, await read(subject));
    return entries.get(subject) as Value | undefined;
  }
  return {
    cache: {
      find,
      inFrontOf: (keys) => ({
        findKeyBySecretHash: (hash) => find("key", hash, (subject) => keys.findKeyBySecretHash(subject)),
      }),
    },
    invalidation: {
      beginChange: async (subject) => ({
        markId: null,
        end: async () => void entries.delete(subject),
        abandon: async () => {},
      }),
    },
  };
}

describe("what is seen of an embedded key and its tenant while they are changed is linearizable", () => {
  test("with the cache in the process", async () => {
    expect(await countUnexplained(KEYS, () => record(soleProcess()))).toEqual({ keys: 0, tenants: 0 });
  }, 600_000);

  test("unlike with a cache that deletes its entry after the commit", async () => {
    const { keys, tenants } = await countUnexplained(KEYS, () => record(naive()));
    expect(keys).toBeGreaterThan(0);
    expect(tenants).toBeGreaterThan(0);
  }, 600_000);
});
