import { describe, expect, test } from "vitest";
import { ACT } from "../../../test/harness/act.ts";
import { createMemoryKeys, later, NOW, newKey } from "../../../test/harness/memory-keys.ts";
import type { KeyRecord } from "../credentials/key.ts";
import { changeKey, UNCHANGED } from "./change.ts";
import { decideDisable } from "./disable.ts";
import { decideEnable } from "./enable.ts";
import type { KeyChange } from "./key-change.ts";
import { keyNotFound } from "./read.ts";
import { decideRevoke } from "./revoke.ts";

type Decide = (current: KeyRecord, now: Date) => KeyChange;

async function storedKey(fields: Partial<KeyRecord> = {}) {
  const keys = createMemoryKeys();
  const key = newKey(fields);
  await keys.insertKey(key, ACT);
  const { tenantId, keyId } = key.record;
  return {
    keys,
    record: { ...key.record, lastUsedAt: null, createdBy: ACT.actor, revokedBy: null, leak: null, imported: null },
    change: (decide: Decide, now: Date) => changeKey({ keys, clock: () => now }, tenantId, keyId, decide, ACT),
  };
}

describe("a change of a key", () => {
  test("is dated by the clock that it was decided with", async () => {
    const { record, change } = await storedKey();
    const decidedAt: Date[] = [];
    const changed = await change((_, now) => {
      decidedAt.push(now);
      return { patch: { name: "new" } };
    }, later(5));
    expect(changed).toEqual({ ...record, name: "new", updatedAt: later(5) });
    expect(decidedAt).toEqual([later(5)]);
  });

  test("that changes nothing is not dated", async () => {
    const { record, change } = await storedKey();
    expect(await change(() => UNCHANGED, later(5))).toEqual(record);
  });

  test("stores a successor with it", async () => {
    const { keys, record, change } = await storedKey();
    const successor = newKey({ tenantId: record.tenantId });
    await change(() => ({ patch: { rotatedTo: successor.record.keyId }, successor }), later(5));
    expect(await keys.findKeyBySecretHash(successor.secretHash)).toEqual(successor.record);
  });

  test("of another tenant's key, of an unknown one and of an id that is too long is the same fault", async () => {
    const { keys, record } = await storedKey();
    for (const [tenantId, keyId] of [
      ["ten_other", record.keyId],
      [record.tenantId, "key_unknown"],
      [record.tenantId, "x".repeat(73)],
    ] as const) {
      const change = changeKey({ keys, clock: () => NOW }, tenantId, keyId, () => ({ patch: { name: "mine" } }), ACT);
      await expect(change).rejects.toThrow(keyNotFound());
    }
    expect(await keys.findKey(record.tenantId, record.keyId)).toEqual(record);
  });
});

describe("revoking", () => {
  test("sets the instant once: a second time changes nothing", async () => {
    const { record, change } = await storedKey();
    const revoked = { ...record, revokedAt: later(1), updatedAt: later(1), revokedBy: ACT.actor };
    expect(await change(decideRevoke, later(1))).toEqual(revoked);
    expect(await change(decideRevoke, later(2))).toEqual(revoked);
  });

  test("a disabled or an expired key is possible", async () => {
    for (const fields of [{ disabledAt: NOW }, { expiresAt: NOW }]) {
      const { change } = await storedKey(fields);
      expect(await change(decideRevoke, later(1))).toMatchObject({ ...fields, revokedAt: later(1) });
    }
  });
});

describe("disabling and enabling", () => {
  test("a key sets and clears the instant, and doing it again changes nothing", async () => {
    const { record, change } = await storedKey();
    const disabled = { ...record, disabledAt: later(1), updatedAt: later(1) };
    const enabled = { ...record, disabledAt: null, updatedAt: later(3) };
    expect(await change(decideDisable, later(1))).toEqual(disabled);
    expect(await change(decideDisable, later(2))).toEqual(disabled);
    expect(await change(decideEnable, later(3))).toEqual(enabled);
    expect(await change(decideEnable, later(4))).toEqual(enabled);
  });

  test("a revoked key is a fault that says so", async () => {
    for (const disabledAt of [null, NOW]) {
      const { change } = await storedKey({ revokedAt: NOW, disabledAt });
      const problem = (verb: string) =>
        `key_id: the key was revoked, which is permanent, and cannot be ${verb}; create a new key`;
      await expect(change(decideDisable, later(1))).rejects.toThrow(problem("disabled"));
      await expect(change(decideEnable, later(1))).rejects.toThrow(problem("enabled"));
    }
  });
});
