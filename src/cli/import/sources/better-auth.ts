import { isJsonObject } from "../../../domain/vocabulary/json-object.ts";
import type { ImportedSecret } from "../imported-secret.ts";
import type { InstantForm } from "../instant.ts";
import type { Members } from "../members.ts";
import { RowProblem } from "../read-result.ts";
import type { Source, SourceContext, SourceKey } from "../source.ts";
import { rateLimitOf } from "./windows.ts";

/** Drivers write a date as a text in UTC, or as milliseconds. */
const DATE: InstantForm = { epoch: "milliseconds", isUtc: true };

/** Of `start`, unless configured. */
const START_CHARS = 6;
/** Base64url of SHA-256. */
const DIGEST_CHARS = 43;

/** The table `apikey` of better-auth's plugin, as JSON or CSV. */
export const betterAuth: Source = {
  columns: ["key"],
  bookkeeping: ["id", "configId", "updatedAt", "requestCount", "lastRequest", "lastRefillAt", "refillInterval"],
  read,
};

function read(members: Members, context: SourceContext): SourceKey {
  const start = members.text("start");
  const isEnabled = members.flag("enabled");
  return {
    secret: secretOf(members, start),
    scopes: ["permissions", scopesOf(members)],
    key_prefix: start ?? members.text("prefix"),
    name: members.text("name") ?? start ?? members.text("id"),
    rate_limit: limitOf(members, context),
    expires_at: members.instant(DATE, "expiresAt"),
    created_at: members.instant(DATE, "createdAt"),
    external_id: members.text("referenceId", "userId"),
    metadata: members.object("metadata"),
    disabled: isEnabled === false ? true : undefined,
  };
}

/**
 * With `disableKeyHashing` the column has the key itself, which begins with `start`. Where fewer characters are known, a digest
 * may begin with them by chance, and its length decides.
 */
function secretOf(members: Members, start: string | undefined): ImportedSecret {
  const key = members.text("key");
  const prefix = members.text("prefix");
  const beginning = start ?? prefix;
  if (key === undefined) throw new RowProblem("key", "is missing");
  const isLikeKey = beginning !== undefined && key.startsWith(beginning);
  if (isLikeKey && (beginning.length >= START_CHARS || key.length !== DIGEST_CHARS))
    return { kind: "key", member: "key", key };
  return { kind: "digest", member: "key", digest: key, algorithm: "SHA256" };
}

/** `{"files":["read","write"]}` is `files:read` and `files:write`. */
function scopesOf(members: Members): readonly string[] {
  const permissions = members.json("permissions") ?? {};
  if (!isJsonObject(permissions)) throw new RowProblem("permissions", "must be a JSON object");
  return Object.entries(permissions).flatMap(([resource, actions]) => {
    if (!Array.isArray(actions)) throw new RowProblem(`permissions.${resource}`, "must be a list of actions");
    return actions.map((action: unknown) => `${resource}:${String(action)}`);
  });
}

function limitOf(members: Members, { lose }: SourceContext) {
  const isOn = members.flag("rateLimitEnabled") ?? true;
  const limit = members.count("rateLimitMax");
  const windowMs = members.count("rateLimitTimeWindow");
  if (!isOn || limit === undefined || windowMs === undefined) return undefined;
  return rateLimitOf([{ member: `rateLimitMax per ${windowMs} ms`, limit, windowMs }], lose);
}
