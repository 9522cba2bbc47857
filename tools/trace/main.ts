import { mkdirSync, writeFileSync } from "node:fs";
import { FOLDER, PAGES, pageOf } from "./pages.ts";
import { readTags } from "./tags.ts";

/** Writes docs/reference/promise-tests.md and threat-tests.md from the tags in the tests. Part of `npm run generate`. */
const tags = readTags();
mkdirSync(FOLDER, { recursive: true });
for (const page of PAGES) writeFileSync(new URL(page.name, FOLDER), pageOf(page, tags));
