import type { Command } from "commander";
import { addCommand, type Invocation, type Surroundings } from "../command.ts";
import { hasCredential } from "../connection.ts";
import { EXIT_STATUS } from "../exit-status.ts";
import type { Findings } from "../import/findings.ts";
import { importRows, type Tally } from "../import/import-rows.ts";
import { createRefusedFile, freeRefusedPath } from "../import/refused-file.ts";
import { rowSender } from "../import/send-rows.ts";
import { readFormats } from "../import/service-formats.ts";
import { addSourceOptions, openSource, type SourceOptions } from "../import/source-options.ts";
import { untilInterrupted } from "../interruption.ts";
import type { Column } from "../output/column.ts";
import { groupOf } from "./groups.ts";

interface Options extends SourceOptions {
  readonly dryRun?: true;
  readonly sendKeys?: true;
  readonly operator?: true;
  readonly refusedFile?: string;
}

/** The result of a run, also of one that broke off. */
interface Report extends Tally {
  readonly refusedFile: string | undefined;
}

const REPORT: readonly Column<Report>[] = [
  { name: "rows", text: ({ rows }) => String(rows) },
  { name: "created", text: ({ created }) => String(created) },
  { name: "exists", text: ({ exists }) => String(exists) },
  {
    name: "refused",
    text: ({ refused }) => String(refused),
    tone: ({ refused }) => (refused > 0 ? "bad" : undefined),
  },
  { name: "refused_file", text: ({ refusedFile = "" }) => refusedFile },
];

const LOST: readonly Column<Findings["lost"][number]>[] = [
  { name: "member", text: ({ member }) => member, shrinks: true },
  { name: "keys", text: ({ keys }) => String(keys) },
];

const FORMS: readonly Column<ReturnType<Findings["forms"]["list"]>[number]>[] = [
  { name: "prefix", text: ({ prefix }) => prefix },
  { name: "algorithm", text: ({ algorithm = "" }) => algorithm },
  { name: "alphabet", text: ({ alphabet = "" }) => alphabet },
  { name: "length_min", text: ({ length_min: min = "" }) => String(min) },
  { name: "length_max", text: ({ length_max: max = "" }) => String(max) },
  { name: "keys", text: ({ keys }) => String(keys) },
];

/** `latchkey keys import`: keys that another system has issued. */
export function addKeyImport(program: Command, around: Surroundings): void {
  const description =
    "import the keys of another system from its export, `-` for stdin; repeat it after a break, and it goes on";
  const command = addCommand<Options>(groupOf(program, ["keys"]), "import <file>", description, around, importKeys);
  addSourceOptions(command)
    .option("--operator", "as the operator: keys of any tenants, and by their digests")
    .option("--dry-run", "store nothing; show what would become of the keys, and the key formats that they need")
    .option("--send-keys", "send plain keys instead of hashing them on this machine")
    .option("--refused-file <path>", "new file for the rows that are refused (default: <file>.refused.ndjson, here)");
}

async function importKeys(run: Invocation<Options>): Promise<void> {
  const { options } = run;
  const [input = ""] = run.args;
  const isOperator = isForOperator(run);
  const isDryRun = options.dryRun === true;
  const client = await run.client(isOperator ? "operator" : "user");
  const source = await openSource(input, options);
  const sendKeys = options.sendKeys === true;
  const plainKeys = sendKeys
    ? ({ kind: "send" } as const)
    : ({ kind: "hash", formats: isOperator ? await readFormats(client) : undefined } as const);
  const refused = createRefusedFile(options.refusedFile ?? freeRefusedPath(input));
  let tally: Tally = { rows: 0, created: 0, exists: 0, refused: 0 };
  let isDone = false;
  try {
    await untilInterrupted((signal) =>
      importRows(source.rows(plainKeys), {
        send: rowSender(client, { isOperator, isDryRun }),
        refuse: refused.write,
        signal,
        onTally(latest) {
          tally = latest;
          run.progress(`${tally.rows} rows: ${tally.created} created, ${tally.exists} exist, ${tally.refused} refused`);
        },
      }),
    );
    isDone = true;
  } finally {
    run.progress("");
    refused.close();
    // Not of credentials that are refused.
    if (isDone || tally.rows > 0)
      report(run, { ...tally, refusedFile: tally.refused > 0 ? refused.path : undefined }, source.findings);
  }
  if (tally.refused > 0) process.exitCode = EXIT_STATUS.failed;
}

/** By `--operator` or `--tenant`, or because only the operator's token is there. */
function isForOperator({ options, env }: Invocation<Options>): boolean {
  if (options.operator === true || options.tenant !== undefined) return true;
  return !hasCredential("token", env, options) && hasCredential("operatorToken", env, options);
}

function report(run: Invocation<Options>, result: Report, { lost, forms, isPartial }: Findings): void {
  const { refusedFile, ...tally } = result;
  const found = { lost, forms: forms.list() };
  const json = { ...tally, ...(refusedFile && { refused_file: refusedFile }), ...found, partial: isPartial };
  run.item(json, result, REPORT);
  if (isPartial) run.note("Warning: the file ends with a page that has a next one; the keys of that are missing.");
  if (refusedFile)
    run.note(`Correct the rows and import them again: latchkey keys import ${refusedFile} --from latchkey`);
  if (run.options.json) return;
  if (lost.length > 0) {
    run.note("Members without a place here, which were not imported:");
    run.list(json, lost, LOST);
  }
  if (run.options.dryRun !== true) return;
  run.note("Nothing was stored. The forms of the keys, for operator key-formats create:");
  run.list(json, found.forms, FORMS);
}
