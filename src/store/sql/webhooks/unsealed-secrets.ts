import { type Kysely, sql } from "kysely";
import type { SecretSealer } from "../../webhooks/secret-sealer.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { SERVICE } from "../driver/list-turns.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import type { FormerSecret, Schema } from "../schema.ts";

const AT_ONCE = 100;

interface StoredSecrets {
  readonly webhook_id: string;
  readonly tenant_id: string;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly former_secrets: readonly FormerSecret[];
}

/**
 * Returns what seals, some at a time, the secrets that were stored as they are, or under the secret before, so that this one may go.
 * Resolves with whether there may be more. `onUnreadable`: called for those that no secret opens, which stay as they are.
 */
export function createSealingPass(
  { lists }: Pick<SqlDatabase, "lists">,
  sealer: SecretSealer,
  onUnreadable: (webhookId: string) => void,
): () => Promise<boolean> {
  /** Those that cannot be opened must not keep the others from their turn. */
  let after = "";

  async function sealSome(db: Kysely<Schema>, prefix: string): Promise<boolean> {
    const found = await findUnsealed(db, prefix, after);
    for (const row of found) await resealRow(db, row);
    after = found.length < AT_ONCE ? "" : (found.at(-1)?.webhook_id ?? "");
    return after !== "";
  }

  async function resealRow(db: Kysely<Schema>, row: StoredSecrets): Promise<void> {
    const [secret, previous] = [resealed(row, row.secret), resealed(row, row.previous_secret)];
    const opened = row.former_secrets.map((former) => ({ former, secret: resealed(row, former.secret) ?? undefined }));
    const former = opened.map((each) => ({ ...each.former, secret: each.secret ?? each.former.secret }));
    const isFormerRead = opened.every((each) => each.secret !== undefined);
    if (secret === undefined || previous === undefined || !isFormerRead) onUnreadable(row.webhook_id);
    if (secret === undefined && (previous ?? null) === null && former.length === 0) return;
    // Unless a rotation or another replica has changed them since.
    await db
      .updateTable("webhooks")
      .set({
        secret: secret ?? row.secret,
        previous_secret: previous === undefined ? row.previous_secret : previous,
        former_secrets: JSON.stringify(former),
      })
      .where("webhook_id", "=", row.webhook_id)
      .where("secret", "=", row.secret)
      .where("previous_secret", "is not distinct from", row.previous_secret)
      .execute();
  }

  function resealed(row: StoredSecrets, stored: string | null): string | null | undefined {
    if (stored === null) return null;
    const place = { tenantId: row.tenant_id, webhookId: row.webhook_id };
    const plain = sealer.open(place, stored);
    return plain === undefined ? undefined : sealer.seal(place, plain);
  }

  return async () => {
    const { prefix } = sealer;
    if (prefix === undefined) return false;
    return translateOutage(() => lists(SERVICE, (reader) => sealSome(reader, prefix)));
  };
}

async function findUnsealed(db: Kysely<Schema>, prefix: string, after: string): Promise<StoredSecrets[]> {
  return db
    .selectFrom("webhooks")
    .select(["webhook_id", "tenant_id", "secret", "previous_secret", "former_secrets"])
    .where("webhook_id", ">", after)
    .where(({ or }) =>
      or([
        sql<boolean>`not starts_with(secret, ${prefix})`,
        sql<boolean>`previous_secret is not null and not starts_with(previous_secret, ${prefix})`,
        sql<boolean>`exists (
          select from jsonb_array_elements(former_secrets) as former where not starts_with(former ->> 'secret', ${prefix})
        )`,
      ]),
    )
    .orderBy("webhook_id")
    .limit(AT_ONCE)
    .execute();
}
