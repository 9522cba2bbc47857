// promise: edges.no-stale
import { describe, expect, test } from "vitest";
import { resolvedKey } from "../../test/harness/edge-messages.ts";
import { newKey } from "../../test/store/records.ts";
import { StoreUnavailable } from "../domain/vocabulary/store-unavailable.ts";
import { createRecordCache } from "../store/replicas/record-cache.ts";
import { createEdgeRecords } from "./records.ts";

const NOW_MS = Date.parse("2026-03-01T12:00:00Z");

/** The records of an edge whose service has one key, which expires so many ms after the edge's time. */
function recordsOfKey(expiresInMs: number) {
  let nowMs = NOW_MS;
  const { record, secretHash } = newKey({ expiresAt: new Date(NOW_MS + expiresInMs) });
  const { keys } = createEdgeRecords({
    client: { resolve: async () => resolvedKey(record, true) },
    edgeId: () => "edge",
    cache: createRecordCache(),
    clock: () => new Date(nowMs),
  });
  return {
    find: async () => (await keys.findKeyBySecretHash(secretHash))?.keyId === record.keyId,
    wait(ms: number) {
      nowMs += ms;
    },
  };
}

describe("a key that ends about now by an edge's clock, which lags behind the service's", () => {
  // threat: H14
  test("is left to the service, whether its record is cached or not", async () => {
    const cold = recordsOfKey(1);
    await expect(cold.find()).rejects.toThrow(StoreUnavailable);
    const warm = recordsOfKey(10_000);
    expect(await warm.find()).toBe(true);
    warm.wait(5_000);
    await expect(warm.find()).rejects.toThrow(StoreUnavailable);
  });

  test("is known again when it has ended by that clock, too", async () => {
    const { find, wait } = recordsOfKey(10_000);
    expect(await find()).toBe(true);
    wait(10_000);
    expect(await find()).toBe(true);
  });
});
