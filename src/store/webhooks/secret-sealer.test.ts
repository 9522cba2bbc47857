// promise: webhooks.reseal
import { describe, expect, test } from "vitest";
import { createSecretSealer } from "./secret-sealer.ts";

const [OLD, NEW] = ["o".repeat(32), "n".repeat(32)];
const PLACE = { tenantId: "ten_1", webhookId: "whk_1" };
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const under = (...secrets: string[]) => createSecretSealer(() => secrets);
const sealed = under(OLD).seal(PLACE, SECRET);

test("what was sealed is opened, is different each time, and shows neither the secret nor what it was sealed under", () => {
  expect(under(OLD).open(PLACE, sealed)).toBe(SECRET);
  expect(under(OLD).seal(PLACE, SECRET)).not.toBe(sealed);
  for (const text of [SECRET, SECRET.slice(6, 22), OLD.slice(0, 8)]) expect(sealed).not.toContain(text);
});

// threat: K18
test("another webhook, another tenant and another secret open nothing", () => {
  expect(under(OLD).open({ ...PLACE, webhookId: "whk_2" }, sealed)).toBeUndefined();
  expect(under(OLD).open({ ...PLACE, tenantId: "ten_2" }, sealed)).toBeUndefined();
  expect(under(OLD).open({ tenantId: "ten_1\0whk", webhookId: "_1" }, sealed)).toBeUndefined();
  expect(under(NEW).open(PLACE, sealed)).toBeUndefined();
  expect(under().open(PLACE, sealed)).toBeUndefined();
});

test("no character can be changed, removed or added", () => {
  for (let at = 0; at < sealed.length - 1; at++) {
    const changed = `${sealed.slice(0, at)}${sealed[at] === "A" ? "B" : "A"}${sealed.slice(at + 1)}`;
    expect(under(OLD).open(PLACE, changed), `character ${at}`).not.toBe(SECRET);
    expect(under(OLD).open(PLACE, sealed.slice(0, at)), `the first ${at} characters`).not.toBe(SECRET);
  }
  expect(under(OLD).open(PLACE, `${sealed}AAAA`)).toBeUndefined();
});

describe("of two secrets", () => {
  test("the first seals, and both open", () => {
    const both = under(NEW, OLD);
    expect(both.open(PLACE, sealed)).toBe(SECRET);
    expect(under(NEW).open(PLACE, both.seal(PLACE, SECRET))).toBe(SECRET);
  });

  test("the prefix tells apart what is sealed under the first", () => {
    const { prefix = "" } = under(NEW, OLD);
    expect(under(NEW, OLD).seal(PLACE, SECRET).startsWith(prefix)).toBe(true);
    expect(sealed.startsWith(prefix)).toBe(false);
    expect(sealed.startsWith(under(OLD).prefix ?? " ")).toBe(true);
  });
});

test("without a secret it is stored as it is, and such a secret can also be opened with one", () => {
  expect(under().seal(PLACE, SECRET)).toBe(SECRET);
  expect(under().prefix).toBeUndefined();
  expect(under(OLD).open(PLACE, SECRET)).toBe(SECRET);
});
