// promise: edges.releases
import { isDeepStrictEqual } from "node:util";
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { EdgeDenialSchema, EdgeKeyFormatsSchema, EdgeKeySchema } from "../../gen/latchkey/v1/edge_service_pb.ts";
import { sentDecision, sentFormats, sentKey } from "../../test/harness/edge-messages.ts";
import { newKey } from "../../test/store/records.ts";
import type { FoundKey, OidcConfig } from "../domain/credentials/key.ts";
import type { KeyFormat } from "../domain/key-formats/key-format.ts";
import { KEY_MEMBERS } from "../domain/keys/key-fields.ts";
import { StoreUnavailable } from "../domain/vocabulary/store-unavailable.ts";
import { fromEdgeDecision, fromEdgeDenial, fromEdgeFormats, fromEdgeKey, fromEdgePeek } from "./messages.ts";

const at = (second: number): Date => new Date(1_800_000_000_000 + second * 1_000 + 1);
const CAPS = { requestsPerMinute: 60, requestsPerHour: 2_147_483_647, burstSize: 7 };
const OIDC: Required<OidcConfig> = {
  ...{ issuer: "https://a.example", jwksUrl: "https://a.example/keys", audience: "app", userIdClaim: "uid" },
  ...{ requiredClaims: { "a.b": "c" }, audienceClaim: "azp", authorizedParties: ["a", "b"], tokenType: "access" },
  claimRules: [
    { claim: "verified", equals: true },
    { claim: "level", equals: 3 },
    { claim: "groups", contains: "staff" },
  ],
  userIdPrefix: "a:",
};
const SECRET: FoundKey = {
  ...newKey({
    ...{ type: "secret", permissions: ["plans:read", "*"], rateLimit: { ...CAPS, perUser: { ...CAPS, burstSize: 0 } } },
    ...{ expiresAt: at(1), createdAt: at(2), updatedAt: at(3), disabledAt: at(4), revokedAt: at(5) },
    ...{ rotatedTo: "key_to", rotatedFrom: "key_from", metadata: { a: [1, null, { b: "c" }] }, externalId: "own" },
    ...{
      budgetId: "key_first",
      allowedIps: ["10.0.0.0/8"],
      allowedOrigins: ["https://a.example"],
      allowBrowser: false,
    },
  }).record,
  sharedUntil: at(6),
};
const PUBLISHABLE: FoundKey = newKey({ type: "publishable", oidc: OIDC }).record;
const { issuer, jwksUrl, audience, userIdClaim } = OIDC;
const PLAIN: FoundKey = newKey({
  ...{ type: "publishable", oidc: { issuer, jwksUrl, audience, userIdClaim, requiredClaims: {} } },
}).record;

describe("a key arrives at an edge with each member that decides, and without what people call it:", () => {
  test.each([SECRET, PUBLISHABLE, PLAIN, newKey().record])("$type", (key) => {
    expect(fromEdgeKey(sentKey(key))).toEqual({ ...key, secretPrefix: "", name: "", description: "" });
  });

  test("these keys have another value than usual in each member", () => {
    const usual = newKey().record;
    const keys = [SECRET, PUBLISHABLE];
    const people: readonly string[] = ["secretPrefix", "name", "description"];
    const same = KEY_MEMBERS.filter((member) => keys.every((key) => isDeepStrictEqual(key[member], usual[member])));
    expect(same.filter((member) => !people.includes(member))).toEqual([]);
  });
});

const FORMAT: KeyFormat = {
  ...{ name: "acme", prefix: "acme_", lengthMin: 40, lengthMax: 50, alphabet: "VISIBLE", case: "LOWER" },
  ...{ algorithm: "HMAC_SHA512", pepper: "old", hashedPart: "AFTER_LAST", separator: "|", isBearer: true },
  ...{ pepperFingerprint: "its fingerprint", tenants: ["acme"], createdAt: at(1) },
};

test("a format arrives at an edge without the fingerprint of its pepper and the tenants that may import its keys", () => {
  const sent = sentFormats({ formats: [FORMAT] });
  expect(fromEdgeFormats(sent)).toEqual({ formats: [{ ...FORMAT, pepperFingerprint: "", tenants: [] }] });
});

// threat: G4
test.each(["createdAt", "alphabet", "case", "algorithm", "hashedPart"])(
  "an edge reads no keys by a format whose %s it does not know",
  (member) => {
    const [format] = sentFormats({ formats: [FORMAT] }).formats;
    const { [member as "alphabet"]: word, ...rest } = { ...format };
    const sent = { ...rest, ...(typeof word === "string" && { [member]: `${word}_OF_ANOTHER_RELEASE` }) };
    expect(() => fromEdgeFormats(create(EdgeKeyFormatsSchema, { formats: [sent as never] }))).toThrow(StoreUnavailable);
  },
);

// threat: G4
test.each(["key", "tenantId", "rateLimit", "createdAt", "updatedAt"])(
  "an edge decides by no key without %s",
  (member) => {
    const { key, ...rest } = sentKey(SECRET);
    const { [member as "keyId"]: _, ...without } = { ...key };
    const sent = create(EdgeKeySchema, { ...rest, ...(member !== "key" && { key: without as never }) });
    expect(() => fromEdgeKey(sent)).toThrow(StoreUnavailable);
  },
);

test.each(["", "toString", "of_another_release"])(
  "an edge denies no token for a reason that it does not know: %j",
  (reason) => {
    expect(() => fromEdgeDenial(create(EdgeDenialSchema, { reason, message: "a" }))).toThrow(StoreUnavailable);
  },
);

const STATE = { limit: 2_147_483_647, remaining: 3, resetAt: at(1), scope: "user" as const };

test.each([
  { kind: "allow" as const, ...STATE },
  { kind: "allow" as const, ...STATE, scope: undefined },
  { kind: "deny" as const, ...STATE, retryAfterSeconds: 7 },
  { kind: "deny" as const, ...STATE, retryAfterSeconds: undefined },
])("a decision of a limit arrives as it was made: %j", (decision) => {
  expect(fromEdgeDecision(sentDecision(decision))).toEqual(decision);
});

test("a look at a budget arrives as it was", () => {
  const { scope: _, ...peeked } = { ...STATE, atOnce: 2 };
  expect(fromEdgePeek(sentDecision(peeked))).toEqual(peeked);
});
