import { fromJson, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import { type ListValue, ListValueSchema } from "@bufbuild/protobuf/wkt";
import type { FederationRule } from "../../../clients/typescript/src/gen/latchkey/v1/federation_pb.ts";
import { metadataOf } from "../keys/key-draft.ts";
import { placesIn } from "./places.ts";

/** What a claim must be. `literal`: a number, true or false. */
export type ClaimKind = "equals" | "literal" | "contains";

export interface ClaimDraft {
  /** Of the row in the form. */
  readonly id: number;
  readonly claim: string;
  readonly kind: ClaimKind;
  readonly value: string;
}

/** Where the issuer's keys come from. */
export type KeySource = "discovered" | "url" | "pasted";

/** A rule, as typed. */
export interface RuleDraft {
  readonly name: string;
  readonly issuer: string;
  readonly audience: string;
  readonly source: KeySource;
  readonly jwksUrl: string;
  /** JSON. */
  readonly jwks: string;
  readonly claims: readonly ClaimDraft[];
  readonly keyId: string;
  readonly scopes: readonly string[];
  /** A number of seconds. */
  readonly ttl: string;
}

export const TTL_SECONDS_MIN = 60;
export const TTL_SECONDS_MAX = 900;

let drafts = 0;

export function claimDraft(claim = "", value = "", kind: ClaimKind = "equals"): ClaimDraft {
  drafts += 1;
  return { id: drafts, claim, kind, value };
}

export function draftOf(rule: FederationRule): RuleDraft {
  const { name, issuer, audience, jwksUrl = "", jwks, keyId, scopes, ttlSeconds } = rule;
  return {
    ...{ name, issuer, audience, jwksUrl, keyId, scopes },
    source: jwks === undefined ? "url" : "pasted",
    jwks: jwks === undefined ? "" : JSON.stringify(jwks, null, 2),
    claims: claimsOf(rule.claimRules),
    ttl: String(ttlSeconds),
  };
}

/** The claim rules of a record. */
export function claimsOf(rules: ListValue | undefined): ClaimDraft[] {
  const list = rules === undefined ? [] : toJson(ListValueSchema, rules);
  return Array.isArray(list) ? list.flatMap(claimOf) : [];
}

function claimOf(rule: JsonValue): ClaimDraft[] {
  if (typeof rule !== "object" || rule === null || Array.isArray(rule) || typeof rule.claim !== "string") return [];
  const { claim, equals, contains } = rule;
  if (typeof contains === "string") return [claimDraft(claim, contains, "contains")];
  return [
    typeof equals === "string" ? claimDraft(claim, equals) : claimDraft(claim, JSON.stringify(equals), "literal"),
  ];
}

/** As the service takes them. Undefined: one is not complete. */
function claimRulesOf({ claims }: RuleDraft): JsonObject[] | undefined {
  const rules = claims.map(({ claim, kind, value }) => {
    const [name, text] = [claim.trim(), value.trim()];
    if (name === "" || text === "") return undefined;
    if (kind === "contains") return { claim: name, contains: text };
    const equals = kind === "equals" ? text : literalOf(text);
    return equals === undefined ? undefined : { claim: name, equals };
  });
  const complete = rules.filter((rule) => rule !== undefined);
  return complete.length === rules.length && rules.length > 0 ? complete : undefined;
}

function literalOf(text: string): number | boolean | undefined {
  if (text === "true" || text === "false") return text === "true";
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

function ttlOf({ ttl }: RuleDraft): number | undefined {
  const seconds = Number(ttl);
  const isValid = Number.isInteger(seconds) && seconds >= TTL_SECONDS_MIN && seconds <= TTL_SECONDS_MAX;
  return isValid ? seconds : undefined;
}

/** The missing entries of the form, as phrases. */
export function missingOf(draft: RuleDraft): string[] {
  const { name, issuer, audience, source, jwksUrl, jwks, keyId, scopes, claims } = draft;
  const lacks = [
    name.trim() === "" && "a name",
    issuer.trim() === "" && "an issuer",
    audience.trim() === "" && "an audience",
    source === "url" && jwksUrl.trim() === "" && "the key set's URL",
    source === "pasted" && !metadataOf(jwks) && "a key set as a JSON object",
    claimRulesOf(draft) === undefined && "at least one claim, and a value for each",
    keyId === "" && "a key",
    scopes.length === 0 && "at least one scope",
    ttlOf(draft) === undefined && `${TTL_SECONDS_MIN} to ${TTL_SECONDS_MAX} seconds`,
    ...placesIn([issuer, audience, ...claims.map(({ value }) => value)]).map((place) => `a value in place of ${place}`),
  ];
  return lacks.filter((lack) => typeof lack === "string");
}

/** A rule as the service takes it. */
export function requestOf(draft: RuleDraft) {
  const { name, issuer, audience, source, jwksUrl, jwks, keyId, scopes } = draft;
  const pasted = source === "pasted" ? metadataOf(jwks) : null;
  return {
    name: name.trim(),
    issuer: issuer.trim(),
    audience: audience.trim(),
    jwksUrl: source === "url" ? jwksUrl.trim() : "",
    ...(pasted && { jwks: pasted }),
    claimRules: fromJson(ListValueSchema, claimRulesOf(draft) ?? []),
    keyId,
    scopes: [...scopes],
    ttlSeconds: ttlOf(draft) ?? 0,
  };
}

/** The members that differ, as an update names them. */
export function maskOf(before: RuleDraft, after: RuleDraft): string[] {
  const [one, other] = [requestOf(before), requestOf(after)];
  const keysDiffer = before.source !== after.source || one.jwksUrl !== other.jwksUrl || differs(one.jwks, other.jwks);
  const names = [
    one.name !== other.name && "name",
    one.issuer !== other.issuer && "issuer",
    one.audience !== other.audience && "audience",
    // With the issuer, or the service would look for the keys of the new one by itself.
    (keysDiffer || one.issuer !== other.issuer) && "jwks_url",
    (keysDiffer || one.issuer !== other.issuer) && "jwks",
    differs(claimRulesOf(before), claimRulesOf(after)) && "claim_rules",
    one.keyId !== other.keyId && "key_id",
    differs(one.scopes.toSorted(), other.scopes.toSorted()) && "scopes",
    one.ttlSeconds !== other.ttlSeconds && "ttl_seconds",
  ];
  return names.filter((name) => name !== false);
}

function differs(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}
