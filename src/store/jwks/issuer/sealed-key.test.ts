// promise: access.signing-keys
import { expect, test } from "vitest";
import { open, seal } from "./sealed-key.ts";

const SECRET = "s".repeat(32);
const PLAIN = Buffer.from("private key");
const sealed = seal(SECRET, "kid", PLAIN);

test("what was sealed is opened with the same secret and kid, and is different each time", () => {
  expect(open(SECRET, "kid", sealed)).toEqual(PLAIN);
  expect(Buffer.from(sealed).includes(PLAIN)).toBe(false);
  expect(seal(SECRET, "kid", PLAIN)).not.toEqual(sealed);
});

test("another secret, and another kid, open nothing", () => {
  expect(open(`${SECRET}t`, "kid", sealed)).toBeUndefined();
  expect(open(SECRET, "other", sealed)).toBeUndefined();
});

test("no byte can be changed, removed or added", () => {
  for (let index = 0; index < sealed.length; index++) {
    const changed = Uint8Array.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(open(SECRET, "kid", changed), `byte ${index}`).toBeUndefined();
    expect(open(SECRET, "kid", sealed.slice(0, index)), `the first ${index} bytes`).toBeUndefined();
  }
  expect(open(SECRET, "kid", Buffer.concat([sealed, Buffer.of(0)]))).toBeUndefined();
});
