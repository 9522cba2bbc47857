import { readFileSync, writeFileSync } from "node:fs";
import { PAGE, parts } from "./page.ts";

/** Writes the tables into docs/authorization.md, each between its two markers. Part of `npm run generate`. */

let page = readFileSync(PAGE, "utf8");
for (const { begin, end, text } of parts()) {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/authorization.md lacks ${begin} or ${end}`);
  page = `${before}${begin}\n\n${text}\n\n${end}${after}`;
}
writeFileSync(PAGE, page);
