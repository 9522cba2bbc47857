import { faultsOf } from "./packages.ts";

/** `node tools/release/main.ts v0.1.0`: fails if this checkout must not be published under the tag, and says why. */
const faults = faultsOf(process.cwd(), process.argv[2] ?? "");
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
