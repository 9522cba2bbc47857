import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { ownSearchPath } from "../search-path.ts";
import { AUDIT } from "./audit.ts";
import { changes } from "./changes.ts";
import { CONVERSATIONS } from "./conversations.ts";
import { KEYS } from "./keys.ts";
import { ORGS } from "./orgs.ts";
import { REPLICAS } from "./replicas.ts";

/** The first schema. Migrations go forward only: a later one fixes the mistakes of an earlier one. */
export const initial: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const searchPath = await ownSearchPath(db);
    const statements = [...KEYS, ...ORGS, ...CONVERSATIONS, ...AUDIT, ...changes(searchPath), ...REPLICAS];
    for (const statement of statements) await statement.execute(db);
  },
};
