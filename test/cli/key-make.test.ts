// promise: cli.output, keys.caller-made
import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { secretForm } from "../../src/domain/credentials/secret.ts";
import { latchkey, succeed } from "./command-line.ts";

test("keys make prints a key to stdout, and its hash and prefix to stderr, without a service or a credential", async () => {
  const { stdout, stderr } = await succeed(["keys", "make"]);
  const key = stdout.trim();
  expect(secretForm(key)).toBe("well_formed");
  expect(stderr).not.toContain(key);
  expect(stderr).toMatch(
    new RegExp(`^secret_hash {2}${hash("sha256", key)}\nkey_prefix {3}${key.slice(0, 12)}\nNothing is stored`),
  );
});

test("keys make --json prints all of it, with a brand", async () => {
  const { json, stderr } = await succeed(["keys", "make", "--brand", "acme", "--json"]);
  const { key, ...made } = json();
  expect(key).toMatch(/^sk_acme_/);
  expect(secretForm(key)).toBe("well_formed");
  expect(made).toEqual({ secret_hash: hash("sha256", key), key_prefix: `sk_${key.slice(8, 17)}` });
  expect(stderr).toBe("");
});

test("a brand that no key can have is wrong usage", async () => {
  const { status, stdout, stderr } = await latchkey(["keys", "make", "--brand", "Acme"]);
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("brand: must be 2 to 16 of a-z and 0-9");
});
