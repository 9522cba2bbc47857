// promise: access.signing-keys
import { describe, expect, test } from "vitest";
import { nextStep, PUBLISHED_BEFORE_MS, ROTATION_MS } from "./rotation.ts";
import type { SigningKey, SigningKeyState } from "./signing-key.ts";

const START = new Date("2026-01-01T00:00:00Z");
const later = (ms: number): Date => new Date(START.getTime() + ms);

function key(kid: string, kind: SigningKeyState["kind"], createdAt = START): SigningKey {
  const state = kind === "retired" ? { kind, until: later(ROTATION_MS) } : { kind };
  return { kid, publicJwk: { kty: "EC", crv: "P-256", x: "", y: "" }, sealedKey: new Uint8Array(), state, createdAt };
}

const all = () => true;

describe("the rotation of signing keys", () => {
  test("begins with an active key, also beside retired ones", () => {
    for (const keys of [[], [key("old", "retired")]])
      expect(nextStep(keys, all, START)).toEqual({ kind: "add", state: "active" });
  });

  test("publishes a successor once the active key is 30 days old, and not before", () => {
    const keys = [key("a", "active")];
    expect(nextStep(keys, all, later(ROTATION_MS - 1))).toEqual({ kind: "none" });
    expect(nextStep(keys, all, later(ROTATION_MS))).toEqual({ kind: "add", state: "next" });
  });

  test("has the successor sign once it was published for a day, and not before", () => {
    const keys = [key("a", "active"), key("b", "next", later(ROTATION_MS))];
    expect(nextStep(keys, all, later(ROTATION_MS + PUBLISHED_BEFORE_MS - 1))).toEqual({ kind: "none" });
    const due = later(ROTATION_MS + PUBLISHED_BEFORE_MS);
    expect(nextStep(keys, all, due)).toEqual({ kind: "promote", active: "a", next: "b" });
  });

  test("has the successor sign at once if no key is active", () => {
    expect(nextStep([key("b", "next")], all, START)).toEqual({ kind: "promote", active: undefined, next: "b" });
  });

  test("is left to others by a replica whose secret does not decrypt the active or the next key", () => {
    const late = later(10 * ROTATION_MS);
    for (const keys of [[key("a", "active")], [key("a", "active"), key("b", "next")], [key("b", "next")]])
      for (const { kid } of keys) expect(nextStep(keys, (one) => one !== kid, late)).toEqual({ kind: "none" });
  });

  test("ignores that a retired key cannot be decrypted", () => {
    const keys = [key("old", "retired"), key("a", "active")];
    expect(nextStep(keys, (kid) => kid !== "old", later(ROTATION_MS))).toEqual({ kind: "add", state: "next" });
  });
});
