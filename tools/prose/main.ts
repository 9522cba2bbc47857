import { writeFileSync } from "node:fs";
import { comparison, PROSE_LEDGER, readLedger } from "../weight/ledger.ts";
import { countProse, findProse } from "./count.ts";

/**
 * `npm run ledger:prose`: prints how many findings each group has beside the ledger. With `--list` and the beginning of a
 * path or a group it prints the findings there. With `--write` the counts become the ledger.
 */
const findings = findProse();
const counted = countProse(findings);
const [option, beginning = ""] = process.argv.slice(2);
if (option === "--list") {
  const listed = findings.filter(({ group, path }) => [group, path].some((name) => name.startsWith(beginning)));
  for (const { path, line, found } of listed) process.stdout.write(`${path}:${line}: ${found}\n`);
} else {
  process.stdout.write(comparison(counted, readLedger(PROSE_LEDGER)));
}
if (option === "--write") writeFileSync(PROSE_LEDGER, `${JSON.stringify(counted, null, 2)}\n`);
