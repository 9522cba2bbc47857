import { readFileSync, writeFileSync } from "node:fs";
import { countWeight } from "./count.ts";
import { LEDGER, PAGE, readLedger, withTable } from "./ledger.ts";

/** `npm run ledger:weight`: prints each count beside the ledger. With `--write` the counts become the ledger. */
const counted = countWeight();
const ledger = readLedger();
for (const [name, count] of Object.entries(counted)) {
  const allowed = ledger[name];
  const change =
    allowed === undefined || count === allowed
      ? ""
      : ` (ledger ${allowed}, ${count > allowed ? "+" : ""}${count - allowed})`;
  process.stdout.write(`${String(count).padStart(9)}  ${name}${change}\n`);
}
if (process.argv.includes("--write")) {
  writeFileSync(LEDGER, `${JSON.stringify(counted, null, 2)}\n`);
  writeFileSync(PAGE, withTable(readFileSync(PAGE, "utf8"), counted));
}
