import { expect, test } from "vitest";
import { keyStatus } from "../../src/domain/credentials/status.ts";
import { KEY_STATUS_CASES } from "./key-status-cases.ts";
import { NOW, newKey } from "./records.ts";

for (const { name, fields, status } of KEY_STATUS_CASES) {
  test(`${name}: ${status}`, () => {
    expect(keyStatus(newKey(fields).record, NOW)).toBe(status);
  });
}
