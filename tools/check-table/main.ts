import { readFileSync, writeFileSync } from "node:fs";
import { GENERATED } from "./pages.ts";

/** Writes the order of checks into the pages that name it. Part of `npm run generate`. */
for (const { page, write } of GENERATED) writeFileSync(page, write(readFileSync(page, "utf8")));
