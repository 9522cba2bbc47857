import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { decideDisable } from "../../src/domain/keys/disable.ts";
import { decideEnable } from "../../src/domain/keys/enable.ts";
import type { KeyRecord } from "../../src/domain/keys/key.ts";
import { decideRevoke } from "../../src/domain/keys/revoke.ts";
import { keyStatus } from "../../src/domain/keys/status.ts";
import { createMemoryKeyCopies, type MemoryKeyCopies } from "../../src/store/memory/key-cache.ts";
import type { SqlDatabase } from "../../src/store/sql/database.ts";
import { createKeyStore } from "../../src/store/sql/key-store.ts";
import { migrateToLatest } from "../../src/store/sql/migrate.ts";
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

async function someTurns(): Promise<void> {
  for (let left = Math.random() * 10; left > 0; left--) await turn();
}

/** Turns a key off and on, and for good at last, while it is verified all the time; answers what was seen of it. */
async function record(copies: MemoryKeyCopies): Promise<History> {
  const store = createKeyStore(database, copies);
  const keys = copies.inFrontOf({
    // A slow reader: what it read may be long past when it arrives.
    async findKeyBySecretHash(secretHash) {
      const found = await store.findKeyBySecretHash(secretHash);
      await someTurns();
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
    // A hit takes no turn of the event loop, and the change needs some.
    await turn();
  };
  const verifying = Array.from({ length: VERIFIERS }, async () => {
    while (isChanging) await verify();
  });
  const { tenantId, keyId } = key.record;
  const changes = await changeInTurn(CHANGES, async (verb) => {
    await someTurns();
    const fromMs = performance.now();
    await store.mutateKey(tenantId, keyId, (current) => VERBS[verb](current, new Date()));
    return { fromMs, toMs: performance.now() };
  });
  isChanging = false;
  await Promise.all(verifying);
  await verify();
  return { changes, seen };
}

/** Deletes the copy after the commit, and does not mind the reads under way. */
function naiveCopies(): MemoryKeyCopies {
  const copies = new Map<string, KeyRecord | undefined>();
  return {
    inFrontOf: (keys) => ({
      async findKeyBySecretHash(secretHash) {
        if (!copies.has(secretHash)) copies.set(secretHash, await keys.findKeyBySecretHash(secretHash));
        return copies.get(secretHash);
      },
    }),
    beginChange: async (secretHash) => ({
      end: async () => void copies.delete(secretHash),
      abandon: async () => {},
    }),
  };
}

describe("whatever is seen of an embedded key while it is changed is explained by one order in real time", () => {
  test("with copies in the process", async () => {
    expect(await countUnexplained(KEYS, () => record(createMemoryKeyCopies()))).toBe(0);
  }, 600_000);

  test("which is untrue of copies that are deleted after the commit", async () => {
    expect(await countUnexplained(KEYS, () => record(naiveCopies()))).toBeGreaterThan(0);
  }, 600_000);
});
