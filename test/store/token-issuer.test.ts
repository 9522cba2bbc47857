import { afterAll, beforeAll, inject } from "vitest";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { createServingDatabase } from "../servers/least-privilege.ts";
import { tokenIssuerSuite } from "./token-issuer.suite.ts";

let postgres: SqlDatabase;
let embedded: SqlDatabase;
beforeAll(async () => {
  const { url } = await createServingDatabase(inject("postgresUrl"));
  postgres = await openDatabase({ kind: "postgres", url });
  embedded = await openDatabase({ kind: "embedded", dataDir: "memory://" });
  await migrateToLatest(postgres);
  await migrateToLatest(embedded);
});
afterAll(() => Promise.all([postgres.close(), embedded.close()]));

tokenIssuerSuite("PostgreSQL", () => postgres);
tokenIssuerSuite("PGlite", () => embedded);
