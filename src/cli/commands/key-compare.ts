import type { Command } from "commander";
import { addCommand, type Invocation, type Surroundings } from "../command.ts";
import { EXIT_STATUS } from "../exit-status.ts";
import { compareKeys, type Difference } from "../import/compare-keys.ts";
import { exportedPages } from "../import/exported-pages.ts";
import { withoutFormulas } from "../import/refused-row.ts";
import { readFormats } from "../import/service-formats.ts";
import { addSourceOptions, openSource, type SourceOptions } from "../import/source-options.ts";
import { untilInterrupted } from "../interruption.ts";
import { groupOf } from "./groups.ts";

/** `latchkey keys compare`: the keys of another system beside those that were imported, while both are in use. */
export function addKeyCompare(program: Command, around: Surroundings): void {
  const description =
    "as the operator, compare the keys of another system with those here: stdout has a line of JSON for each difference";
  addSourceOptions(
    addCommand<SourceOptions>(groupOf(program, ["keys"]), "compare <file>", description, around, compare),
  );
}

async function compare(run: Invocation<SourceOptions>): Promise<void> {
  const client = await run.client("operator");
  const { rows } = await openSource(run.args[0] ?? "", run.options);
  const formats = await readFormats(client);
  const counts = new Map<string, number>();
  await untilInterrupted(async (signal) => {
    const there = rows({ kind: "hash", formats });
    const comparison = compareKeys(there, exportedPages(client, signal), { formats, now: new Date() });
    for await (const difference of comparison) {
      if (signal.aborted) return;
      run.show(difference, withoutFormulas(difference));
      for (const name of namesOf(difference)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  });
  for (const [name, count] of counts) run.note(`${name}: ${count}`);
  if (counts.size === 0) run.note("No differences.");
  else process.exitCode = EXIT_STATUS.failed;
}

/** The name under which a difference is counted. */
function namesOf(difference: Difference): readonly string[] {
  return difference.difference === "differs" ? Object.keys(difference.members) : [difference.difference];
}
