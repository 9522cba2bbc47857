import { expect, test } from "vitest";
import { keyStatus, spendsOnSight } from "../../src/domain/keys/status.ts";
import { KEY_STATUS_CASES } from "./key-status-cases.ts";
import { NOW, newKey } from "./records.ts";

for (const { name, fields, status, spendsOnSight: spends } of KEY_STATUS_CASES) {
  test(`${name}: ${status}`, () => {
    const { record } = newKey(fields);
    expect(keyStatus(record, NOW)).toBe(status);
    expect(spendsOnSight(record, NOW)).toBe(spends);
  });
}
