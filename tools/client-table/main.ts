import { readFileSync, writeFileSync } from "node:fs";
import { PAGE, withTable } from "./table.ts";

/** Writes what each client has into docs/guides/other-languages.md. Part of `npm run generate`. */
writeFileSync(PAGE, withTable(readFileSync(PAGE, "utf8")));
