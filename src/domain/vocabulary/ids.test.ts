import { expect, test } from "vitest";
import { newId } from "./ids.ts";

// threat: E3
test("an identifier is its kind and 128 random bits, never the same twice", () => {
  // More than one pool of random bytes.
  const ids = Array.from({ length: 1_000 }, () => newId("key"));
  for (const id of ids) expect(id).toMatch(/^key_[0-9a-f]{32}$/);
  const halves = ids.flatMap((id) => [id.slice(4, 20), id.slice(20)]);
  expect(new Set(halves).size).toBe(2_000);
  expect(newId("org")).toMatch(/^org_[0-9a-f]{32}$/);
});
