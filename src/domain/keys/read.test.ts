import { describe, expect, test } from "vitest";
import { ACT } from "../../../test/harness/act.ts";
import { createMemoryKeys, NOW, newKey, usesAt } from "../../../test/harness/memory-keys.ts";
import type { KeyRecord } from "../credentials/key.ts";
import { newId } from "../vocabulary/ids.ts";
import { faultOf } from "../vocabulary/request-fault.ts";
import { getKey, getKeyUsage, keyNotFound, listKeys, possibleKeyId } from "./read.ts";

const USAGE = { total: 3, successful: 2, failed: 1 };

test("an id that is too long for a key is answered as an unknown one, without a look-up", () => {
  for (const id of [newId("key"), "", " key_x ", "x".repeat(72)]) expect(possibleKeyId(id)).toBe(id);
  for (const id of ["x".repeat(73), "x".repeat(1_000_000)]) {
    expect(() => possibleKeyId(id)).toThrow(keyNotFound());
  }
});

test("a key that is not there is a fault that says how to find one", () => {
  const problem = "no such API key; list the keys to see those there are";
  expect(keyNotFound()).toEqual(faultOf("key_not_found", "key_id", problem));
  expect(keyNotFound().kind).toBe("not_found");
});

describe("reading keys", () => {
  /** A key whose uses are counted, but not stored before they are collected. */
  async function usedKey(fields: Partial<KeyRecord> = {}) {
    const keys = createMemoryKeys();
    const { record, secretHash } = newKey(fields);
    await keys.insertKey({ record, secretHash }, ACT);
    let collections = 0;
    const usage = {
      count: () => false,
      lastUsed: (keyId: string) => (keyId === record.keyId ? NOW : undefined),
      collect: (keyId: string) => keys.addUsage(String(++collections), new Map([[keyId, usesAt(NOW, USAGE)]])),
    };
    return { ctx: { keys, usage }, record, collections: () => collections };
  }

  test("includes the uses that are not stored yet", async () => {
    const { ctx, record } = await usedKey();
    const { tenantId, keyId } = record;
    const used = { ...record, lastUsedAt: NOW, createdBy: ACT.actor, revokedBy: null, leak: null, imported: null };
    expect(await getKey(ctx, tenantId, keyId)).toEqual(used);
    const listed = await usedKey();
    const page = { page: 1, perPage: 10 };
    expect(await listKeys(listed.ctx, listed.record.tenantId, { status: null, now: NOW }, page)).toEqual({
      items: [{ ...listed.record, lastUsedAt: NOW, createdBy: ACT.actor, revokedBy: null, leak: null, imported: null }],
      total: 1,
    });
    const counted = await usedKey();
    expect(await getKeyUsage(counted.ctx, counted.record.tenantId, counted.record.keyId)).toEqual(USAGE);
  });

  test("of another tenant, of an unknown id and of an id that is too long finds none", async () => {
    const { ctx, record } = await usedKey();
    for (const [tenantId, keyId] of [
      ["ten_other", record.keyId],
      [record.tenantId, "key_unknown"],
      [record.tenantId, "x".repeat(73)],
    ] as const) {
      await expect(getKey(ctx, tenantId, keyId)).rejects.toThrow(keyNotFound());
      await expect(getKeyUsage(ctx, tenantId, keyId)).rejects.toThrow(keyNotFound());
    }
  });

  // threat: X4
  test("collects no usage of a key that the tenant does not have", async () => {
    const { ctx, record, collections } = await usedKey();
    for (const keyId of ["x".repeat(73), "key_unknown"]) {
      await expect(getKeyUsage(ctx, record.tenantId, keyId)).rejects.toThrow(keyNotFound());
    }
    expect(collections()).toBe(0);
  });

  test.each([
    ["a use that another process has stored since", 1, undefined, 1],
    ["the use that is counted here, if it is later than the stored one", -1, undefined, 0],
    ["the stored use of a key that is not counted here", -1, "not counted", -1],
    ["no use of a key that was never used", null, "not counted", null],
  ] as const)("shows %s", async (_what, storedMs, isCounted, shownMs) => {
    const { ctx, record } = await usedKey();
    const { tenantId, keyId } = record;
    const at = (ms: number) => new Date(NOW.getTime() + ms);
    if (storedMs !== null) {
      await ctx.keys.addUsage("another process", new Map([[keyId, usesAt(at(storedMs), USAGE)]]));
    }
    const usage = isCounted === undefined ? ctx.usage : { ...ctx.usage, lastUsed: () => undefined };
    const shown = await getKey({ ...ctx, usage }, tenantId, keyId);
    expect(shown.lastUsedAt).toEqual(shownMs === null ? null : at(shownMs));
  });

  test("looks up no id that is too long", async () => {
    const { ctx, record } = await usedKey();
    const keys = { ...ctx.keys, findKey: () => Promise.reject(new Error("The id was looked up.")) };
    await expect(getKey({ ...ctx, keys }, record.tenantId, "x".repeat(73))).rejects.toThrow(keyNotFound());
  });
});
