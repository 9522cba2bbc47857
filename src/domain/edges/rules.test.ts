// promise: edges.releases
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createCatalogue } from "../access/catalogue.ts";
import { isReserved } from "../access/scopes.ts";
import type { Fence, OidcConfig } from "../credentials/key.ts";
import { ALGORITHMS, ALPHABETS, CASES, HASHED_PARTS } from "../key-formats/key-format.ts";
import { KEY_MEMBERS } from "../keys/key-fields.ts";
import { AUDIENCE_CLAIMS, TOKEN_TYPES } from "../tokens/claims.ts";
import { DENIALS } from "../vocabulary/denial.ts";
import { RULES } from "./rules.ts";

/** All of them, or this does not compile. */
const OIDC_MEMBERS: Readonly<Record<keyof OidcConfig, true>> = {
  issuer: true,
  jwksUrl: true,
  audience: true,
  userIdClaim: true,
  requiredClaims: true,
  audienceClaim: true,
  authorizedParties: true,
  tokenType: true,
  claimRules: true,
  userIdPrefix: true,
};
const FENCE_MEMBERS: Readonly<Record<keyof Fence, true>> = {
  allowedIps: true,
  allowedOrigins: true,
  allowBrowser: true,
};

/** The messages between edge and service, without comments. */
const PROTOCOL = readFileSync(new URL("../../../internal/latchkey/v1/edge_service.proto", import.meta.url), "utf8")
  .replaceAll(/\/\/.*/g, "")
  .split(/\s+/);

/** What decides about calls with keys, as far as tables know it. */
function whatDecides(): Readonly<Record<string, unknown>> {
  const { scopes } = createCatalogue();
  return {
    keyMembers: KEY_MEMBERS,
    oidcMembers: Object.keys(OIDC_MEMBERS),
    fenceMembers: Object.keys(FENCE_MEMBERS),
    audienceClaims: AUDIENCE_CLAIMS,
    tokenTypes: TOKEN_TYPES,
    keyFormats: [ALPHABETS, CASES, ALGORITHMS, HASHED_PARTS],
    denials: Object.entries(DENIALS).map(([reason, { code, status, sentence }]) => [reason, code, status, sentence]),
    protocol: PROTOCOL,
    scopes: scopes.map(({ name, publishable }) => [name, publishable, isReserved(name)]),
  };
}

/** Of each version of the rules. Those of releases stay as they are. */
const HASHES: Readonly<Record<number, string>> = {
  1: "10e9575287d5c735e3dbda26733cc0c1c1f1dc31058ce450182067688d6d33d9",
  2: "ff23a4e6f5911a1459d8edb68d674befc2a64adc8bfec78b63a453ee90cc3822",
  3: "6460925f307e82c097d6f44fc7583265e801b47141f51813021a703bb43d3987",
};

// threat: G4
test("an edge decides only by the rules of its version: the rules have not changed since RULES was raised", () => {
  const now = hash("sha256", JSON.stringify(whatDecides()));
  expect(
    HASHES[RULES],
    `What decides about calls with keys has changed. An edge of an earlier release would decide without it: raise RULES in src/domain/edges/rules.ts, and add ${RULES + 1}: "${now}" to HASHES here. If ${RULES} is in no release yet, replace its hash.`,
  ).toBe(now);
});

test("RULES is the newest version, and no two versions have the same rules", () => {
  expect(Math.max(...Object.keys(HASHES).map(Number))).toBe(RULES);
  expect(new Set(Object.values(HASHES)).size).toBe(Object.keys(HASHES).length);
});
