import { readFileSync } from "node:fs";
import type { Weight } from "./count.ts";

export const LEDGER = new URL("../../bench/weight.json", import.meta.url);
export const PAGE = new URL("../../CONTRIBUTING.md", import.meta.url);

/** The table in CONTRIBUTING.md. */
const TABLE = /^\| Weight .*\n(?:\|.*\n)+/m;

export function readLedger(): Weight {
  return JSON.parse(readFileSync(LEDGER, "utf8"));
}

/** Every count above the ledger, and every one that only one of both has. */
export function excess(counted: Weight, ledger: Weight): string[] {
  const names = new Set([...Object.keys(counted), ...Object.keys(ledger)]);
  return [...names].flatMap((name) => {
    const [now, allowed] = [counted[name], ledger[name]];
    if (now === undefined || allowed === undefined)
      return [`${name}: only ${now === undefined ? "in the ledger" : "counted"}`];
    return now > allowed ? [`${name}: ${now}, ledger ${allowed}`] : [];
  });
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
