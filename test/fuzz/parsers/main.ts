import { parseArgs } from "node:util";
import { randomFrom, seedOfRun } from "../random.ts";
import { readCorpus, writeCorpus } from "./corpus.ts";
import { startCoverage } from "./coverage.ts";
import { explore } from "./explore.ts";
import { PARSERS } from "./parsers.ts";

// Explores the parsers, or those that are named, for `--seconds` in all. `--write` keeps what it found in the corpus. Prints a
// line of JSON for each. A process of its own, because V8 counts in the whole process.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string", default: "60" }, write: { type: "boolean", default: false } },
});

const names = positionals.length > 0 ? positionals : Object.keys(PARSERS);
const eachMs = (Number(values.seconds) * 1_000) / names.length;
const seed = seedOfRun();
const coverage = startCoverage();
for (const name of names) {
  const parser = PARSERS[name];
  if (parser === undefined) throw new Error(`there is no parser ${name}; there are ${Object.keys(PARSERS).join(", ")}`);
  // The last of these lines names the parser that does not return.
  console.error(name);
  const bounds = { inputs: Number.POSITIVE_INFINITY, untilMs: performance.now() + eachMs };
  const { corpus, findings, ...counts } = await explore(parser, readCorpus(name), coverage, randomFrom(seed), bounds);
  if (values.write) writeCorpus(name, corpus);
  const shown = findings.map(({ input, problem }) => ({ problem, input: input.toString("latin1") }));
  console.log(JSON.stringify({ name, seed, ...counts, kept: corpus.length, findings: shown }));
}
