import { readFileSync, writeFileSync } from "node:fs";
import type { Weight } from "./count.ts";

const LEDGER = new URL("../../bench/weight.json", import.meta.url);
/** Of `npm run ledger:prose`. */
export const PROSE_LEDGER = new URL("../../bench/prose.json", import.meta.url);
export const PAGE = new URL("../../CONTRIBUTING.md", import.meta.url);

export const TEST_UNITS = "CPU units of npm test";
/** Not counted everywhere: megabytes only of a whole installation and build on one platform, units only by `npm run test:cpu`. */
const MEASURED: ReadonlySet<string> = new Set(["npm ci, MB", "image without Node, MB", TEST_UNITS]);

/** The table in CONTRIBUTING.md. */
const TABLE = /^\| Weight .*\n(?:\|.*\n)+/m;

export function readLedger(ledger = LEDGER): Weight {
  return JSON.parse(readFileSync(ledger, "utf8"));
}

export function writeLedger(ledger: Weight): void {
  writeFileSync(LEDGER, `${JSON.stringify(ledger, null, 2)}\n`);
  writeFileSync(PAGE, withTable(readFileSync(PAGE, "utf8"), ledger));
}

/** The ledger that counts become. It keeps measures that could not be taken now. */
export function renewed(counted: Weight, ledger: Weight): Weight {
  const kept = Object.entries(ledger).filter(([name]) => MEASURED.has(name) && counted[name] === undefined);
  return { ...counted, ...Object.fromEntries(kept) };
}

/** Every count above the ledger, and every one that only one of both has. */
export function excess(counted: Weight, ledger: Weight): string[] {
  const names = new Set([...Object.keys(counted), ...Object.keys(ledger)]);
  return [...names].flatMap((name) => {
    const [now, allowed] = [counted[name], ledger[name]];
    if (now === undefined && MEASURED.has(name)) return [];
    if (now === undefined || allowed === undefined)
      return [`${name}: only ${now === undefined ? "in the ledger" : "counted"}`];
    return now > allowed ? [`${name}: ${now}, ledger ${allowed}`] : [];
  });
}

/** Each count, with the difference to the ledger. */
export function comparison(counted: Weight, ledger: Weight): string {
  const lines = Object.entries(counted).map(([name, count]) => {
    const change = count - (ledger[name] ?? count);
    const note = change === 0 ? "" : ` (ledger ${ledger[name]}, ${change > 0 ? "+" : ""}${change})`;
    return `${String(count).padStart(9)}  ${name}${note}\n`;
  });
  return lines.join("");
}

/** The page with the table of a ledger. */
export function withTable(page: string, ledger: Weight): string {
  if (!TABLE.test(page)) throw new Error("CONTRIBUTING.md has no table that begins with the column Weight");
  return page.replace(TABLE, tableOf(ledger));
}

function tableOf(ledger: Weight): string {
  const rows = Object.entries(ledger).map(([name, count]) => [name, count.toLocaleString("en")] as const);
  const [left, right] = [0, 1].map((n) => Math.max(6, ...rows.map((row) => String(row[n]).length))) as [number, number];
  const head = [
    `| ${"Weight".padEnd(left)} | ${"Most".padStart(right)} |`,
    `| ${"-".repeat(left)} | ${"-".repeat(right - 1)}: |`,
  ];
  return `${[...head, ...rows.map(([name, count]) => `| ${name.padEnd(left)} | ${count.padStart(right)} |`)].join("\n")}\n`;
}
