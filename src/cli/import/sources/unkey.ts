import { isJsonObject } from "../../../domain/vocabulary/json-object.ts";
import type { ImportedSecret } from "../imported-secret.ts";
import type { InstantForm } from "../instant.ts";
import { Members } from "../members.ts";
import { RowProblem } from "../read-result.ts";
import type { Source, SourceContext, SourceKey } from "../source.ts";
import { rateLimitOf } from "./windows.ts";

/** Milliseconds, and `datetime` in UTC for `expires` of the table. */
const TIME: InstantForm = { epoch: "milliseconds", isUtc: true };
/** The table's default, which stands for an unknown time. */
const EPOCH = new Date(0).toISOString();

/**
 * Keys of Unkey: the table `keys`, as JSON or CSV; the `keys` of a request to `keys.migrateKeys`; or pages of `apis.listKeys` with
 * `decrypt`, since they have no digests.
 */
export const unkey: Source = {
  columns: ["hash"],
  lists: new Set(["data", "keys"]),
  bookkeeping: [
    ...["pk", "id", "keyId", "key_auth_id", "workspace_id", "for_workspace_id", "pending_migration_id"],
    ...["updated_at_m", "updatedAt", "last_used_at", "lastUsedAt", "last_refill_at", "refill_day", "refill_amount"],
  ],
  read,
  isPartial: (page) => page.object("pagination")?.hasMore === true,
};

function read(members: Members, { lose }: SourceContext): SourceKey {
  const createdAt = members.instant(TIME, "created_at_m", "createdAt");
  const start = members.text("start");
  return {
    secret: secretOf(members),
    scopes: ["permissions", members.texts("permissions") ?? []],
    key_prefix: start,
    name: members.text("name") ?? start ?? members.text("id", "keyId"),
    rate_limit: limitsOf(members, lose),
    expires_at: members.instant(TIME, "expires"),
    created_at: createdAt === EPOCH ? undefined : createdAt,
    revoked_at: members.instant(TIME, "deleted_at_m"),
    external_id: externalIdOf(members),
    metadata: members.object("meta"),
    disabled: members.flag("enabled") === false ? true : undefined,
  };
}

function secretOf(members: Members): ImportedSecret {
  const key = members.text("plaintext");
  const digest = members.text("hash");
  if (key !== undefined) return { kind: "key", member: "plaintext", key };
  if (digest !== undefined) return { kind: "digest", member: "hash", digest, algorithm: "SHA256" };
  throw new RowProblem("hash", "is missing; export the table keys, or the API's list with decrypt");
}

function externalIdOf(members: Members): string | undefined {
  const identity = members.object("identity");
  return members.text("externalId", "external_id") ?? (identity && Members.of(identity).text("externalId"));
}

function limitsOf(members: Members, lose: (member: string) => void) {
  const limits = members.json("ratelimits") ?? [];
  if (!Array.isArray(limits)) throw new RowProblem("ratelimits", "must be a list");
  const windows = limits.map((each: unknown) => {
    const limit = Members.of(isJsonObject(each) ? each : {});
    const windowMs = limit.count("duration") ?? 0;
    return {
      member: `ratelimits of ${windowMs} ms`,
      limit: limit.count("limit") ?? 0,
      windowMs,
      isApplied: limit.flag("autoApply"),
    };
  });
  // Without `autoApply` a limit counts only where a request to verify names it.
  for (const { member, isApplied } of windows) if (isApplied !== true) lose(member);
  return rateLimitOf(
    windows.filter(({ isApplied }) => isApplied === true),
    lose,
  );
}
