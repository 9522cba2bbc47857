import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { AUDIENCE, ISSUER, startKeyServer, startVerifier } from "../../../test/jwks/provider.ts";
import { DENIALS, Denial } from "../../domain/denial.ts";

/**
 * Google's vectors for JSON Web Signatures. Their payloads are no claims, so an accepted signature shows as a payload that
 * is malformed: the payload is judged after the signature. They are not part of the repository; without them only the
 * last test runs.
 */
const FOLDER = new URL("../../../../shared/vectors/wycheproof/", import.meta.url);

/**
 * A key of 2,048 bits made by the faulty chips of 2017 (CVE-2017-15361). We do not look for their fingerprint: whose keys
 * to trust is the decision of whoever configured the provider.
 */
const ROCA_KEY = 7;

interface Vector {
  readonly tcId: number;
  readonly comment: string;
  /** Text, or an object where the JSON serialisation is tested. */
  readonly jws: unknown;
  readonly result: string;
}

interface Group {
  readonly comment: string;
  readonly public?: Record<string, unknown>;
  readonly private: Record<string, unknown>;
  readonly tests: readonly Vector[];
}

interface Verdict {
  readonly tcId: number;
  readonly service: { readonly accept: boolean; readonly denial_any_of: readonly string[] };
}

function read<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(path, FOLDER), "utf8"));
}

function groupsOf(file: string): readonly Group[] {
  return read<{ testGroups: readonly Group[] }>(`testvectors_v1/${file}`).testGroups;
}

/** The key, or the set of them, as its provider would publish it. */
function published({ public: publicPart, private: privatePart }: Group): readonly unknown[] {
  const key = publicPart ?? privatePart;
  return Array.isArray(key.keys) ? key.keys : [key];
}

async function judge(keys: readonly unknown[], { jws }: Vector) {
  const server = await startKeyServer(...keys);
  const token = typeof jws === "string" ? jws : JSON.stringify(jws);
  const expected = { issuer: ISSUER, audience: AUDIENCE, jwksUrl: server.url, jwksTrust: "operator" } as const;
  const err: unknown = await startVerifier({})
    .verifier.verify(token, expected)
    .catch((err: unknown) => err);
  if (!(err instanceof Denial)) throw err;
  return { reason: err.reason, isSignatureAccepted: err.message.includes("payload") };
}

if (existsSync(FOLDER)) {
  const verdicts = new Map(read<Verdict[]>("service_expected.json").map((verdict) => [verdict.tcId, verdict.service]));

  describe.each(groupsOf("json_web_signature_test.json"))("signatures: $comment", (group) => {
    test.each(group.tests)("$tcId $comment", async (vector) => {
      const expected = verdicts.get(vector.tcId);
      const { reason, isSignatureAccepted } = await judge(published(group), vector);
      expect(expected?.denial_any_of).toContain(reason);
      expect(isSignatureAccepted).toBe(expected?.denial_any_of.join() === "jwt_malformed");
    });
  });

  describe.each(groupsOf("json_web_key_test.json"))("keys: $comment", (group) => {
    test.each(group.tests)("$tcId $comment", async (vector) => {
      const keys = published(group).map((key) => (group.public === undefined ? withoutPrivatePart(key) : key));
      const { reason, isSignatureAccepted } = await judge(keys, vector);
      expect(["jwt_invalid_signature", "jwt_malformed"]).toContain(reason);
      // What is valid for a symmetric key is invalid here: one that is published is no secret.
      const isSymmetric = JSON.stringify(keys).includes('"oct"');
      expect(isSignatureAccepted).toBe((vector.result === "valid" && !isSymmetric) || vector.tcId === ROCA_KEY);
    });
  });
}

function withoutPrivatePart(key: unknown): unknown {
  const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...rest } = { ...(key as Record<string, unknown>) };
  return rest;
}

test("what a vector may be denied with is a reason we know", () => {
  expect(Object.keys(DENIALS)).toEqual(expect.arrayContaining(["jwt_invalid_signature", "jwt_malformed"]));
});
