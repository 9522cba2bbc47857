import { sql } from "kysely";

/** Identifies a server by its start. A standby was started by itself, so it differs from the primary that it replaces. */
export const SERVER = sql<string>`extract(epoch from pg_postmaster_start_time())::text`;
