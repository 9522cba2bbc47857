import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { countWeight } from "./count.ts";
import { readLedger, renewed, writeLedger } from "./ledger.ts";

/** `npm run ledger:weight`: builds the service, and prints each count beside the ledger. With `--write` the counts become the ledger. */
execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: fileURLToPath(new URL("../../", import.meta.url)) });
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
if (process.argv.includes("--write")) writeLedger(renewed(counted, ledger));
