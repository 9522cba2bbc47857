import type { JsonObject } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type ApiKey, KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import type { KeyPolicy } from "../../../clients/typescript/src/gen/latchkey/v1/key_policy_service_pb.ts";
import { type ExpiryDraft, type ExpiryRule, expiryDraftOf, expiryOf, expiryProblem, NEVER } from "./expiry-draft.ts";
import { hasLimit, LIMIT_MEMBERS, type LimitDraft, limitDraftOf, limitOf, NO_LIMIT } from "./limit-draft.ts";
import type { Limit } from "./limit-sentence.ts";
import { NO_OIDC, type OidcDraft, oidcDraftOf, oidcOf } from "./oidc-draft.ts";

/** What a form says of a key, as typed. */
export interface KeyDraft {
  readonly type: "secret" | "publishable";
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly string[];
  readonly limit: LimitDraft;
  readonly userLimit: LimitDraft;
  readonly expiry: ExpiryDraft;
  /** One a line. */
  readonly ips: string;
  readonly origins: string;
  readonly allowBrowser: boolean;
  readonly externalId: string;
  /** JSON. */
  readonly metadata: string;
  readonly oidc: OidcDraft;
}

export const NEW_KEY: KeyDraft = {
  type: "secret",
  name: "",
  description: "",
  permissions: [],
  limit: NO_LIMIT,
  userLimit: NO_LIMIT,
  expiry: NEVER,
  ips: "",
  origins: "",
  allowBrowser: false,
  externalId: "",
  metadata: "",
  oidc: NO_OIDC,
};

export function draftOf(key: ApiKey): KeyDraft {
  return {
    type: key.keyType === KeyType.PUBLISHABLE ? "publishable" : "secret",
    name: key.name,
    description: key.description,
    permissions: key.permissions,
    limit: limitDraftOf(key.rateLimit),
    userLimit: limitDraftOf(key.rateLimit?.perUser),
    expiry: expiryDraftOf(key.expiresAt),
    ips: key.allowedIps.join("\n"),
    origins: key.allowedOrigins.join("\n"),
    allowBrowser: key.allowBrowser === true,
    externalId: key.externalId ?? "",
    metadata: key.metadata === undefined ? "" : JSON.stringify(key.metadata, null, 2),
    oidc: oidcDraftOf(key.publishableConfig?.oidc),
  };
}

/** A draft for a key like another one: all but what makes it that one. */
export function draftLike(key: ApiKey): KeyDraft {
  return { ...draftOf(key), expiry: NEVER };
}

export function linesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((line) => line !== "");
}

/** Undefined: the text is not a JSON object. Null: empty. */
export function metadataOf(text: string): JsonObject | null | undefined {
  if (text.trim() === "") return null;
  try {
    const value: unknown = JSON.parse(text);
    // JSON.parse returns JSON.
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

export function expiryRuleOf(rules: KeyPolicy | undefined, key?: ApiKey): ExpiryRule {
  return {
    isRequired: rules?.expiryRequired ?? false,
    hoursMax: rules?.maxLifetimeHours ?? 0,
    createdAt: key?.createdAt && timestampDate(key.createdAt),
  };
}

/** The missing entries of a form, as phrases. */
export function missingOf(draft: KeyDraft, rules: KeyPolicy | undefined, rule: ExpiryRule, now: Date): string[] {
  const { rateLimit, userLimit } = { rateLimit: limitOf(draft.limit), userLimit: limitOf(draft.userLimit) };
  const { perUser, ...most } = rules?.maxRateLimit ?? {};
  const lacks = [
    draft.name.trim() === "" && "a name",
    draft.permissions.length === 0 && "at least one scope",
    (rateLimit === undefined || goesBeyond(rateLimit, most)) && "a valid limit",
    (userLimit === undefined || goesBeyond(userLimit, perUser)) && "a valid limit of each user",
    expiryProblem(draft.expiry, rule, now) !== undefined && "a valid expiry",
    rules?.allowedIpsRequired && linesOf(draft.ips).length === 0 && "allowed addresses",
    metadataOf(draft.metadata) === undefined && "metadata as a JSON object",
    draft.type === "publishable" && oidcOf(draft.oidc) === undefined && "issuer and audience",
  ];
  return lacks.filter((lack) => typeof lack === "string");
}

function goesBeyond(limit: Limit, most: Partial<Limit> = {}): boolean {
  return LIMIT_MEMBERS.some(({ key }) => {
    const max = most[key] ?? 0;
    return max > 0 && (limit[key] > max || (limit[key] === 0 && key !== "burstSize"));
  });
}

/** The request that makes the key. `fallback`: the requests per minute of a new key that has no limit. */
export function newKeyRequest(draft: KeyDraft, fallback: number, now: Date) {
  const expiry = expiryOf(draft.expiry, now);
  const oidc = oidcOf(draft.oidc);
  const isPublishable = draft.type === "publishable";
  const own = limitOf(draft.limit) ?? limitOf(NO_LIMIT);
  const perUser = limitOf(draft.userLimit);
  const hasOwn = own !== undefined && hasLimit(own);
  const hasPerUser = perUser !== undefined && hasLimit(perUser);
  return {
    ...valuesOf(draft),
    keyType: isPublishable ? KeyType.PUBLISHABLE : KeyType.SECRET,
    // Absent rather than zeros: the operator's default for new keys is then used. With a limit of each user it is written out.
    ...(own &&
      (hasOwn || hasPerUser) && {
        rateLimit: {
          ...(hasOwn ? own : { ...own, requestsPerMinute: fallback }),
          ...(hasPerUser && { perUser }),
        },
      }),
    ...(expiry && { expiresAt: timestampFromDate(expiry) }),
    ...(isPublishable && oidc && { publishableConfig: { oidc } }),
  };
}

/** The request that changes what differs, and nothing else: the mask names only these members. */
export function updateRequest(keyId: string, before: KeyDraft, after: KeyDraft, now: Date) {
  const expiry = expiryOf(after.expiry, now);
  const perUser = limitOf(after.userLimit);
  const rateLimit = { ...limitOf(after.limit), ...(perUser && { perUser }) };
  return {
    ...valuesOf(after),
    keyId,
    updateMask: maskOf(before, after).join(","),
    rateLimit,
    ...(expiry && { expiresAt: timestampFromDate(expiry) }),
  };
}

export function maskOf(before: KeyDraft, after: KeyDraft): string[] {
  const differs = (one: object | null | undefined, other: object | null | undefined) =>
    JSON.stringify(one) !== JSON.stringify(other);
  const limits = (path: string, one: LimitDraft, other: LimitDraft) =>
    LIMIT_MEMBERS.filter(({ member }) => one[member].trim() !== other[member].trim()).map(
      ({ name }) => `${path}.${name}`,
    );
  const names = [
    before.name !== after.name && "name",
    before.description !== after.description && "description",
    differs(before.permissions.toSorted(), after.permissions.toSorted()) && "permissions",
    differs(before.expiry, after.expiry) && "expires_at",
    differs(linesOf(before.ips), linesOf(after.ips)) && "allowed_ips",
    differs(linesOf(before.origins), linesOf(after.origins)) && "allowed_origins",
    before.allowBrowser !== after.allowBrowser && "allow_browser",
    before.externalId !== after.externalId && "external_id",
    differs(metadataOf(before.metadata), metadataOf(after.metadata)) && "metadata",
  ].filter((name) => name !== false);
  return [
    ...names,
    ...limits("rate_limit", before.limit, after.limit),
    ...limits("rate_limit.per_user", before.userLimit, after.userLimit),
  ];
}

function valuesOf(draft: KeyDraft) {
  const metadata = metadataOf(draft.metadata);
  const isPublishable = draft.type === "publishable";
  return {
    name: draft.name,
    description: draft.description,
    permissions: [...draft.permissions],
    externalId: draft.externalId,
    allowedIps: linesOf(draft.ips),
    allowedOrigins: isPublishable ? linesOf(draft.origins) : [],
    ...(!isPublishable && draft.allowBrowser && { allowBrowser: true }),
    ...(metadata && { metadata }),
  };
}
