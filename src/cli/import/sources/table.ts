import { ALGORITHMS, type Algorithm } from "../../../domain/key-formats/key-format.ts";
import type { ImportedLimits, ImportedRateLimit } from "../import-row.ts";
import type { ImportedSecret } from "../imported-secret.ts";
import type { InstantForm } from "../instant.ts";
import { Members } from "../members.ts";
import { RowProblem } from "../read-result.ts";
import type { Source, SourceContext, SourceKey } from "../source.ts";

type Lose = SourceContext["lose"];

const LIMITS = ["requests_per_minute", "requests_per_hour", "burst_size"] as const;
/** A table may be in any time zone, so its times must say in which. */
const ZONED: InstantForm = {};

/**
 * A table of one's own, whose columns have the names of the members of an import: `hash` or `key`, `name`, `permissions` and so on.
 * `hash` may be the digest, with the columns `algorithm` and `pepper`; the limits may be columns.
 */
export const csv: Source = {
  kind: "csv",
  columns: ["hash", "key"],
  bookkeeping: [],
  read: readOwnMembers,
};

/** The same with an object on each line. */
export const ndjson: Source = { kind: "ndjson", bookkeeping: [], read: readOwnMembers };

export function readOwnMembers(members: Members, { lose }: SourceContext): SourceKey {
  return {
    secret: secretOf(members, lose),
    scopes: ["permissions", members.texts("permissions") ?? []],
    tenant_id: members.text("tenant_id"),
    public_part: members.text("public_part"),
    key_format: members.text("key_format"),
    key_prefix: members.text("key_prefix"),
    name: members.text("name"),
    description: members.text("description"),
    rate_limit: rateLimitOf(members, lose),
    expires_at: members.instant(ZONED, "expires_at"),
    created_at: members.instant(ZONED, "created_at"),
    revoked_at: members.instant(ZONED, "revoked_at"),
    external_id: members.text("external_id"),
    metadata: members.object("metadata"),
    allowed_ips: members.texts("allowed_ips"),
    allow_browser: members.flag("allow_browser"),
    disabled: members.flag("disabled"),
  };
}

function secretOf(members: Members, lose: Lose): ImportedSecret {
  const key = members.text("key");
  const isObject = members.isObject("hash");
  const inner = isObject ? Members.of(members.object("hash") ?? {}) : members;
  const digest = isObject ? inner.text("digest") : inner.text("hash");
  if (key === undefined && digest === undefined)
    throw new RowProblem("hash", "and key are missing; one of them is needed");
  if (key !== undefined && digest !== undefined)
    throw new RowProblem("hash", "and key are both given; give one of them");
  if (inner.has("salt"))
    throw new RowProblem(
      "salt",
      "cannot be imported: no key is found by a digest with a salt; import the key at its first use",
    );
  if (key !== undefined) return { kind: "key", member: "key", key };
  const algorithm = algorithmOf(inner.text("algorithm"));
  const pepper = inner.text("pepper");
  if (isObject) loseUnread("hash", inner, lose);
  return { kind: "digest", member: "hash", digest: digest ?? "", algorithm, ...(pepper !== undefined && { pepper }) };
}

function algorithmOf(name: string | undefined): Algorithm | undefined {
  const algorithm = ALGORITHMS.find((each) => each === name);
  if (algorithm === undefined && name !== undefined)
    throw new RowProblem("algorithm", `must be one of ${ALGORITHMS.join(", ")}`);
  return algorithm;
}

function rateLimitOf(members: Members, lose: Lose): ImportedRateLimit | undefined {
  const limit = members.object("rate_limit");
  if (limit === undefined) return limitsOf(members);
  const inner = Members.of(limit);
  const perUser = inner.object("per_user");
  const ofUser = Members.of(perUser ?? {});
  const limits = { ...limitsOf(inner), ...(perUser && { per_user: limitsOf(ofUser) ?? {} }) };
  // `unlimited` and `warning` are in answers only.
  inner.flag("unlimited");
  inner.text("warning");
  loseUnread("rate_limit", inner, lose);
  loseUnread("rate_limit.per_user", ofUser, lose);
  return limits;
}

function limitsOf(members: Members): ImportedLimits | undefined {
  const set = LIMITS.map((name) => [name, members.count(name)] as const).filter(([, count]) => count !== undefined);
  return set.length === 0 ? undefined : Object.fromEntries(set);
}

function loseUnread(member: string, inner: Members, lose: Lose): void {
  for (const each of inner.unread()) lose(`${member}.${each}`);
}
