import { isJsonObject } from "../../../domain/vocabulary/json-object.ts";
import type { InstantForm } from "../instant.ts";
import { Members } from "../members.ts";
import { RowProblem } from "../read-result.ts";
import type { Source, SourceContext, SourceKey } from "../source.ts";

const CREDENTIALS = "keyauth_credentials";
/** Seconds from the Admin API, a time from the table. */
const CREATED: InstantForm = { epoch: "seconds", isUtc: true };

/**
 * Credentials of Kong's plugin key-auth, which are plain keys: pages of `GET /key-auths`, what `deck gateway dump --format json`
 * writes, or the table `keyauth_credentials`.
 */
export const kong: Source = {
  columns: ["key"],
  lists: new Set(["data", "consumers", CREDENTIALS]),
  bookkeeping: ["id", "ws_id", "cache_key", "updated_at", "consumer.id", "consumer.created_at", "consumer.updated_at"],
  keysOf,
  read,
  isPartial: (page) => page.text("next", "offset") !== undefined,
};

/** decK has each consumer with its credentials. Other kinds of credentials, such as `basicauth_credentials`, are reported. */
function* keysOf(record: Members): Generator<Members> {
  const credentials = record.json(CREDENTIALS);
  if (credentials === undefined) {
    if (!record.has("username") && !record.has("custom_id")) yield record;
    return;
  }
  if (!Array.isArray(credentials)) throw new RowProblem(CREDENTIALS, "must be a list");
  const consumer = record.without(CREDENTIALS);
  for (const credential of credentials) yield Members.of({ ...(isJsonObject(credential) && credential), consumer });
}

function read(members: Members, { exportedAt, lose }: SourceContext): SourceKey {
  const key = members.text("key");
  if (key === undefined) throw new RowProblem("key", "is missing");
  const consumer = Members.of(members.object("consumer") ?? {});
  const tags = members.texts("tags") ?? [];
  const id = members.text("consumer_id") ?? consumer.text("id");
  const username = consumer.text("username");
  const customId = consumer.text("custom_id");
  for (const member of consumer.unread()) lose(`consumer.${member}`);
  return {
    secret: { kind: "key", member: "key", key },
    scopes: ["scopes", []],
    name: username ?? customId ?? members.text("id") ?? id,
    expires_at: expiryOf(members, exportedAt),
    created_at: members.instant(CREATED, "created_at"),
    external_id: customId ?? username ?? id,
    metadata: tags.length === 0 ? undefined : { tags },
  };
}

/** The Admin API answers how many seconds are left, and the table has the instant. */
function expiryOf(members: Members, exportedAt: Date): string | undefined {
  if (!members.isNumber("ttl")) return members.instant({ isUtc: true }, "ttl");
  const seconds = members.count("ttl") ?? 0;
  return Members.of({ ttl: Math.trunc(exportedAt.getTime() / 1_000) + seconds }).instant({ epoch: "seconds" }, "ttl");
}
