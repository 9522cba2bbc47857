import { expect, test } from "vitest";
import { newKey } from "../../../test/harness/memory-keys.ts";
import { auditedKey } from "./audited-key.ts";

test("what is audited of a key has nothing of its secret", () => {
  const { record, secretHash } = newKey({ name: "backend" });
  const text = JSON.stringify(auditedKey(record));
  expect(text).toContain('"name":"backend"');
  expect(text).not.toContain(secretHash);
  expect(text).not.toContain(record.secretPrefix);
});
