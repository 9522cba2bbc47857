import { readFileSync, writeFileSync } from "node:fs";
import { markdown } from "./tables.ts";

/** Writes the tables into docs/authorization.md, between its two markers. Part of `npm run generate`. */

const PAGE = new URL("../../docs/authorization.md", import.meta.url);
const [BEGIN, END] = ["<!-- generated: begin -->", "<!-- generated: end -->"];

const page = readFileSync(PAGE, "utf8");
const [before, rest] = page.split(BEGIN);
const after = rest?.split(END)[1];
if (before === undefined || after === undefined) throw new Error(`docs/authorization.md lacks ${BEGIN} or ${END}`);
writeFileSync(PAGE, `${before}${BEGIN}\n\n${markdown()}\n\n${END}${after}`);
