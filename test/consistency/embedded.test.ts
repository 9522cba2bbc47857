import { setImmediate as nextTick } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { decideDisable } from "../../src/domain/keys/disable.ts";
import { decideEnable } from "../../src/domain/keys/enable.ts";
import type { KeyRecord } from "../../src/domain/keys/key.ts";
import { decideRevoke } from "../../src/domain/keys/revoke.ts";
import { keyStatus } from "../../src/domain/keys/status.ts";
import type { Invalidation } from "../../src/store/invalidation.ts";
import { createRecordCache, type RecordCache } from "../../src/store/memory/record-cache.ts";
import { createSoleProcessInvalidation } from "../../src/store/memory/sole-process.ts";
import type { SqlDatabase } from "../../src/store/sql/database.ts";
import { createKeyStore } from "../../src/store/sql/key-store.ts";
import { migrateToLatest } from "../../src/store/sql/migrator.ts";
import { openDatabase } from "../../src/store/sql/open.ts";
import { newKey } from "../store/records.ts";
import { changeInTurn, countUnexplained, type History, type Observation } from "./history.ts";

const KEYS = inject("longForm") ? 200 : 12;
const CHANGES = 12;
const VERIFIERS = 6;
const VERBS = { revoke: decideRevoke, disable: decideDisable, enable: decideEnable };

let database: SqlDatabase;

beforeAll(async () => {
  database = await openDatabase({ kind: "embedded", dataDir: "memory://" });
  await migrateToLatest(database);
});

afterAll(() => database.close());

interface Cached {
  readonly cache: Pick<RecordCache, "inFrontOf">;
  readonly invalidation: Invalidation;
}

function soleProcess(): Cached {
  const cache = createRecordCache();
  return { cache, invalidation: createSoleProcessInvalidation(cache) };
}

async function someTicks(): Promise<void> {
  for (let left = Math.random() * 10; left > 0; left--) await nextTick();
}

/** Disables and enables a key, and revokes it last, while it is verified all the time. Returns what was seen of it. */
async function record({ cache, invalidation }: Cached): Promise<History> {
  const store = createKeyStore(database, invalidation);
  const keys = cache.inFrontOf({
    // A slow reader: its result may be long outdated when it arrives.
    async findKeyBySecretHash(secretHash) {
      const found = await store.findKeyBySecretHash(secretHash);
      await someTicks();
      return found;
    },
  });
  const key = newKey();
  await store.insertKey(key);
  const seen: Observation[] = [];
  let isChanging = true;
  const verify = async (): Promise<void> => {
    const fromMs = performance.now();
    const found = await keys.findKeyBySecretHash(key.secretHash);
    const status = found === undefined ? "absent" : keyStatus(found, new Date());
    seen.push({ status, fromMs, toMs: performance.now() });
    // A hit takes no tick of the event loop, and the change needs some.
    await nextTick();
  };
  const verifying = Array.from({ length: VERIFIERS }, async () => {
    while (isChanging) await verify();
  });
  const { tenantId, keyId } = key.record;
  const changes = await changeInTurn(CHANGES, async (verb) => {
    await someTicks();
    const fromMs = performance.now();
    await store.updateKeyUnderLock(tenantId, keyId, (current) => VERBS[verb](current, new Date()));
    return { fromMs, toMs: performance.now() };
  });
  isChanging = false;
  await Promise.all(verifying);
  await verify();
  return { changes, seen };
}

/** Deletes the entry after the commit, and ignores the reads under way. */
function naive(): Cached {
  const entries = new Map<string, KeyRecord | undefined>();
  return {
    cache: {
      inFrontOf: (keys) => ({
        async findKeyBySecretHash(secretHash) {
          if (!entries.has(secretHash)) entries.set(secretHash, await keys.findKeyBySecretHash(secretHash));
          return entries.get(secretHash);
        },
      }),
    },
    invalidation: {
      beginChange: async (secretHash) => ({
        markId: null,
        end: async () => void entries.delete(secretHash),
        abandon: async () => {},
      }),
    },
  };
}

describe("what is seen of an embedded key while it is changed is linearizable", () => {
  test("with the key cache in the process", async () => {
    expect(await countUnexplained(KEYS, () => record(soleProcess()))).toBe(0);
  }, 600_000);

  test("unlike with a cache that deletes its entry after the commit", async () => {
    expect(await countUnexplained(KEYS, () => record(naive()))).toBeGreaterThan(0);
  }, 600_000);
});
