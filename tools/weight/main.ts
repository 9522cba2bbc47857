import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { countWeight } from "./count.ts";
import { comparison, readLedger, renewed, writeLedger } from "./ledger.ts";

/** `npm run ledger:weight`: builds the service, and prints each count beside the ledger. With `--write` the counts become the ledger. */
execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: fileURLToPath(new URL("../../", import.meta.url)) });
const counted = countWeight();
const ledger = readLedger();
process.stdout.write(comparison(counted, ledger));
if (process.argv.includes("--write")) writeLedger(renewed(counted, ledger));
