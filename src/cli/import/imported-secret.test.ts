import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { makeKey } from "../../../clients/typescript/src/index.ts";
import { formatsOf } from "../../../test/cli/import-reading.ts";
import { secretOfRow } from "../../domain/imports/secret-of-row.ts";
import { identityOf, secretMembers } from "./imported-secret.ts";

const HEX = "3f9a1c5e7b2d4f60819a2b3c4d5e6f70";
const FORMATS = formatsOf(
  { name: "whole", prefix: "acme_", alphabet: "HEX", lengthMin: 37, lengthMax: 37 },
  { name: "long", prefix: "long_", algorithm: "SHA512" },
  { name: "lower", prefix: "low_", alphabet: "HEX", case: "LOWER", lengthMin: 36, lengthMax: 36 },
  { name: "split", prefix: "seam_", alphabet: "BASE62", hashedPart: "AFTER_LAST", separator: "_", lengthMin: 36 },
  { name: "peppered", prefix: "pep_", algorithm: "HMAC_SHA256", pepper: "main" },
);
const hashed = (key: string, keyFormat?: string) =>
  secretMembers({ kind: "key", member: "key", key }, { kind: "hash", formats: FORMATS }, keyFormat, true);
const { key: own } = await makeKey();

test.each<[what: string, key: string, members: object]>([
  [
    "the whole text",
    `acme_${HEX}`,
    {
      key_format: "whole",
      key_prefix: "acme_3f9a",
      hash: { algorithm: "SHA256", digest: hash("sha256", `acme_${HEX}`) },
    },
  ],
  [
    "SHA-512",
    `long_${HEX}`,
    { key_format: "long", hash: { algorithm: "SHA512", digest: hash("sha512", `long_${HEX}`) } },
  ],
  [
    "lower case",
    `LOW_${HEX.toUpperCase()}`,
    { key_format: "lower", hash: { algorithm: "SHA256", digest: hash("sha256", `low_${HEX}`) } },
  ],
  [
    "what follows the last separator",
    `seam_6dbQh3Mh_${HEX}`,
    { key_format: "split", public_part: "6dbQh3Mh", hash: { algorithm: "SHA256", digest: hash("sha256", HEX) } },
  ],
  [
    "a key of this service",
    own,
    { key_prefix: own.slice(0, 12), hash: { algorithm: "SHA256", digest: hash("sha256", own) } },
  ],
])("a key is hashed on this machine as its format says: %s", (_, key, members) => {
  const made = hashed(key);
  expect(made).toEqual({ key_prefix: expect.any(String), ...members });
  const sent = { key, type: "secret" as const, hash: null, tenantId: "", keyFormat: "", publicPart: "", keyPrefix: "" };
  expect(identityOf(made, FORMATS)).toBe(secretOfRow(sent, FORMATS, () => true).secretHash);
});

test.each([
  ["a format with a pepper", `pep_${HEX}`, undefined, "only the service has its pepper; add --send-keys"],
  ["no format", "unknown-0123456789-abcdef-XYZ", undefined, "fits no key format"],
  ["a key that people choose", `acme_${"ab".repeat(16)}`, undefined, "too easy to guess"],
  ["another format than the caller names", `acme_${HEX}`, "long", "the key has the key format whole"],
])("a key of %s is not hashed, and the problem says why", (_, key, keyFormat, message) => {
  expect(() => hashed(key, keyFormat)).toThrow(message);
});

test("without the formats, which only the operator reads, keys must be sent", () => {
  const secret = { kind: "key", member: "key", key: own } as const;
  expect(() => secretMembers(secret, { kind: "hash", formats: undefined }, undefined, true)).toThrow("add --send-keys");
  expect(secretMembers(secret, { kind: "send" }, "whole", true)).toEqual({ key: own, key_format: "whole" });
});

test("a digest without a key format is refused, because its key would never be found; of this service's keys it needs none", () => {
  const secret = { kind: "digest", member: "token", digest: hash("sha256", own) } as const;
  const plain = { kind: "hash", formats: FORMATS } as const;
  expect(() => secretMembers(secret, plain, undefined, true)).toThrow("name it with --key-format");
  expect(secretMembers(secret, plain, undefined, false)).toEqual({ hash: { digest: secret.digest } });
});
