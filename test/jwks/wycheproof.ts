import { existsSync, readFileSync } from "node:fs";

/**
 * Google's vectors for JSON Web Signatures, Keys and Encryption. Their payloads are no claims, so an accepted signature
 * shows as a payload that is malformed: the payload is checked after the signature.
 */
const FOLDER = new URL("../../../shared/vectors/wycheproof/", import.meta.url);

/** They are not part of the repository. */
export const HAS_WYCHEPROOF = existsSync(FOLDER);

export interface WycheproofVector {
  readonly name: string;
  /** As their provider would publish them. */
  readonly keys: readonly unknown[];
  readonly token: string;
  readonly isSignatureValid: boolean;
  readonly denials: readonly string[];
}

/**
 * A key of 2,048 bits made by the faulty chips of 2017 (CVE-2017-15361). We do not look for their fingerprint: whose keys
 * to trust is the decision of the provider's configuration.
 */
const ROCA_GROUP = "jws_rsa_roca_key";
const DENIALS = ["jwt_invalid_signature", "jwt_malformed"];

interface Case {
  readonly tcId: number;
  readonly comment: string;
  /** Text, or an object where the JSON serialisation is tested. */
  readonly jws?: unknown;
  readonly jwe?: unknown;
  readonly result: string;
}

interface Group {
  readonly comment: string;
  readonly public?: Record<string, unknown>;
  readonly private: Record<string, unknown>;
  readonly tests: readonly Case[];
}

interface Verdict {
  readonly tcId: number;
  readonly service: { readonly accept: boolean; readonly denial_any_of: readonly string[] };
}

export function wycheproofVectors(): readonly WycheproofVector[] {
  const verdicts = new Map(read<Verdict[]>("service_expected.json").map(({ tcId, service }) => [tcId, service]));
  return [
    ...vectorsOf("signature", ({ tcId }) => {
      const denials = verdicts.get(tcId)?.denial_any_of ?? [];
      return { denials, isSignatureValid: denials.join() === "jwt_malformed" };
    }),
    ...["key", "crypto"].flatMap((file) => vectorsOf(file, judgedByResult)),
    ...vectorsOf("encryption", judgedByResult),
  ];
}

/** For what our verdicts do not list: encryption is never taken, nor is a symmetric key, since it is published. */
function judgedByResult(vector: Case, group: Group, keys: readonly unknown[]) {
  if (vector.jws === undefined) return { denials: ["jwt_malformed"], isSignatureValid: false };
  const isSymmetric = JSON.stringify(keys).includes('"oct"');
  const isSignatureValid = (vector.result === "valid" && !isSymmetric) || group.comment === ROCA_GROUP;
  return { denials: isSignatureValid ? ["jwt_malformed"] : DENIALS, isSignatureValid };
}

function vectorsOf(
  file: string,
  checkToken: (
    vector: Case,
    group: Group,
    keys: readonly unknown[],
  ) => Pick<WycheproofVector, "denials" | "isSignatureValid">,
): WycheproofVector[] {
  const { testGroups } = read<{ testGroups: readonly Group[] }>(`testvectors_v1/json_web_${file}_test.json`);
  return testGroups.flatMap((group) => {
    const keys = published(group);
    return group.tests.map((vector) => ({
      name: `${file} ${vector.tcId} ${group.comment} ${vector.comment}`,
      keys,
      token: compact(vector.jws ?? vector.jwe),
      ...checkToken(vector, group, keys),
    }));
  });
}

function read<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(path, FOLDER), "utf8"));
}

function compact(token: unknown): string {
  return typeof token === "string" ? token : JSON.stringify(token);
}

/** Some groups have only the private key: its public part is what a provider publishes, and a secret as it is. */
function published({ public: publicPart, private: privatePart }: Group): readonly unknown[] {
  const key = publicPart ?? privatePart;
  const keys: readonly unknown[] = Array.isArray(key.keys) ? key.keys : [key];
  return publicPart === undefined ? keys.map(withoutPrivatePart) : keys;
}

function withoutPrivatePart(key: unknown): unknown {
  const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...rest } = { ...(key as Record<string, unknown>) };
  return rest;
}
