// promise: keys.caller-made
import { expect, test } from "vitest";
import { type CallerMadeSecret, checkedSecret } from "./caller-made.ts";

const secretHash = "4fbe434e1ac4ba37ac4b2d3a7c12b8f36741fe10316497bc4b7f84fb983b1541";

test("the hash is stored as that of a key that the service makes, and the prefix as lists show it", () => {
  const stored = { secretHash: "T75DThrEujesSy06fBK482dB_hAxZJe8S3-E-5g7FUE", secretPrefix: "sk_000000000" };
  expect(checkedSecret("secret", { secretHash, secretPrefix: "sk_000000000" })).toEqual(stored);
  expect(checkedSecret("secret", { secretHash })).toEqual({ ...stored, secretPrefix: "sk_" });
});

test.each(["secret", "publishable"] as const)("without a hash, the service makes a %s key", (type) => {
  expect(checkedSecret(type, {})).toBeNull();
});

test.each<[string, "secret" | "publishable", Partial<CallerMadeSecret>, string]>([
  ["a publishable key", "publishable", { secretHash }, "not_for_key_type"],
  ["a prefix without a hash", "secret", { secretPrefix: "sk_000000000" }, "invalid_value"],
  ["another digest", "secret", { secretHash: secretHash.slice(2) }, "invalid_value"],
  ["a hash in another notation", "secret", { secretHash: secretHash.toUpperCase() }, "invalid_value"],
  ["a brand in the prefix", "secret", { secretHash, secretPrefix: "sk_acme_0000" }, "invalid_value"],
  ["more of the key than is shown", "secret", { secretHash, secretPrefix: `sk_${"0".repeat(10)}` }, "invalid_value"],
])("%s is refused", (_what, type, made, reason) => {
  expect(() => checkedSecret(type, made)).toThrow(expect.objectContaining({ reason }));
});
