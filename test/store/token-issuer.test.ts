import { afterAll, beforeAll, inject } from "vitest";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { openCopy } from "../servers/embedded-template.ts";
import { copyServingDatabase } from "../servers/least-privilege.ts";
import { tokenIssuerSuite } from "./token-issuer.suite.ts";

let postgres: SqlDatabase;
let embedded: SqlDatabase;
beforeAll(async () => {
  const { url } = await copyServingDatabase(inject("servingTemplate"));
  postgres = await openDatabase({ kind: "postgres", url });
  embedded = await openCopy(inject("embeddedTemplate"));
});
afterAll(() => Promise.all([postgres.close(), embedded.close()]));

tokenIssuerSuite("PostgreSQL", () => postgres);
tokenIssuerSuite("PGlite", () => embedded);
