import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { markdownTable } from "../table.ts";
import { findingsOf, hasEdge } from "./bounds.ts";
import type { Sample, SoakRecord } from "./record.ts";
import { tablesOf } from "./tables.ts";

/** The last run, which is committed, and its page. */
export const RECORD_FILE = fileURLToPath(new URL("../soak.json", import.meta.url));
export const PAGE_FILE = fileURLToPath(new URL("../../docs/soak.md", import.meta.url));
const RESULTS = /(?<=<!-- results -->\n)[\s\S]*(?=\n<!-- end -->)/;

const MIB = 1_048_576;
const COLUMNS = [
  "requests",
  "heap MiB",
  "resident MiB",
  "connections",
  "timers",
  "sessions",
  "keys in Redis",
  "change log",
];
const EDGE_COLUMNS = ["edge's heap MiB", "edge's records", "tokens", "reports"];

export function report(record: SoakRecord): string {
  const { commit, date, machine, seconds, keys, samples, changes } = record;
  const requests = samples.at(-1)?.requests ?? 0;
  const made = changes.created + changes.updated + changes.rotated + changes.revoked + (changes.derived ?? 0);
  const facts = [
    `${whole(requests)} requests with ${whole(keys)} keys, beside ${whole(made)} changes, in ${whole(seconds)} s`,
    `on ${date} of commit \`${commit}\`. ${machine}.`,
  ].join(" ");
  const findings = findingsOf(record).map(({ what, found, bound, holds }) => [
    what,
    found,
    bound,
    holds ? "yes" : "NO",
  ]);
  const tables = tablesOf(record);
  const shown = samples.filter((_, n) => (samples.length - 1 - n) % 2 === 0);
  return [
    facts,
    markdownTable(["bound", "found", "allowed", "holds"], findings),
    "With no request under way, of both replicas, every second sample:",
    hasEdge(record)
      ? markdownTable(
          [...COLUMNS, ...EDGE_COLUMNS],
          shown.map((sample) => [...row(sample), ...edgeCells(sample)]),
        )
      : markdownTable(COLUMNS, shown.map(row)),
    ...(tables === "" ? [] : ["Tables at the end, and their growth:", tables]),
  ].join("\n\n");
}

/** Writes the record and its table, to be committed. */
export function keep(record: SoakRecord): void {
  writeFileSync(RECORD_FILE, `${JSON.stringify(record, undefined, 2)}\n`);
  writeFileSync(PAGE_FILE, pageWith(record));
}

/** The page as it should be with this record. */
export function pageWith(record: SoakRecord): string {
  return readFileSync(PAGE_FILE, "utf8").replace(RESULTS, () => `\n${report(record)}\n`);
}

function row({ requests, replicas, sessions, redisKeys, rows }: Sample): string[] {
  const both = (value: (one: Sample["replicas"][number]) => string) => replicas.map(value).join(" / ");
  return [
    whole(requests),
    both(({ heapBytes }) => (heapBytes / MIB).toFixed(1)),
    both(({ residentBytes }) => (residentBytes / MIB).toFixed(0)),
    both(({ connections }) => `${connections}`),
    both(({ timers }) => `${timers}`),
    `${sessions}`,
    whole(redisKeys),
    whole(rows.keyChanges),
  ];
}

function edgeCells({ edge, rows: { accessTokens, usedOnce } }: Sample): string[] {
  const heapMib = (edge?.heapBytes ?? Number.NaN) / MIB;
  return [heapMib.toFixed(1), ...[edge?.records, accessTokens, usedOnce].map((count) => whole(count ?? Number.NaN))];
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
