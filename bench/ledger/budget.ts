import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { markdownTable } from "../table.ts";
import type { Cost, Costs } from "./count.ts";

/** What each request may take, and where that is written. */

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const BUDGET = file("../ledger.json");
const PAGE = file("../../docs/benchmarks.md");

const MEMBERS = ["bytes", "oldBytes", "promises", "turns"] as const;
const TITLES = ["", "bytes", "in the old generation", "promises", "turns"];

/**
 * How far above its budget a count may be. On a machine with six times the work that it can do, bytes rise by 2 %, promises
 * by 1 %, and turns by a third of one, since answers arrive in pieces.
 */
const MARGINS: Readonly<Record<keyof Cost, (budget: number) => number>> = {
  bytes: (budget) => 0.04 * budget,
  // Half of a function that is allocated there, or what differs between two counts of a request that has several.
  oldBytes: (budget) => Math.max(32, 0.1 * budget),
  // Where none is made, what timers make is taken off a little too much or too little.
  promises: (budget) => Math.max(0.5, 0.03 * budget),
  turns: () => 0.5,
};
/** Further below than so many margins, the budget would let half of a gain be lost again. */
const MARGINS_BELOW = 2;

export function readBudget(): Costs {
  return JSON.parse(readFileSync(BUDGET, "utf8"));
}

/** Renews the budget, and its table in docs/benchmarks.md. */
export function writeBudget(counted: Costs): void {
  const page = readFileSync(PAGE, "utf8");
  const before = budgetTable(readBudget());
  if (!page.includes(before))
    throw new Error(`docs/benchmarks.md does not have the table of bench/ledger.json:\n${before}`);
  const budget = Object.fromEntries(Object.entries(counted).map(([name, cost]) => [name, rounded(cost)]));
  writeFileSync(
    PAGE,
    page.replace(before, () => budgetTable(budget)),
  );
  writeFileSync(BUDGET, `${JSON.stringify(budget, undefined, 2)}\n`);
}

/** As it stands in docs/benchmarks.md. */
export function budgetTable(budget: Costs): string {
  return markdownTable(
    TITLES,
    Object.entries(budget).map(([name, cost]) => [name, ...MEMBERS.map((member) => shown(cost, member))]),
  );
}

/** Each count with its budget in brackets. */
export function comparison(counted: Costs, budget: Costs): string {
  const cell = (name: string, cost: Cost, member: keyof Cost) => {
    const allowed = budget[name];
    return `${shown(cost, member)} (${allowed === undefined ? "none" : shown(allowed, member)})`;
  };
  return markdownTable(
    TITLES,
    Object.entries(counted).map(([name, cost]) => [name, ...MEMBERS.map((member) => cell(name, cost, member))]),
  );
}

/** A sentence for each count that its budget does not fit. */
export function misfits(counted: Costs, budget: Costs): string[] {
  const names = new Set([...Object.keys(counted), ...Object.keys(budget)]);
  return [...names].flatMap((name) => {
    const [cost, allowed] = [counted[name], budget[name]];
    if (cost === undefined) return [`${name}: has a budget, and is not counted`];
    if (allowed === undefined) return [`${name}: has no budget`];
    return MEMBERS.flatMap((member) => {
      const [over, margin] = [cost[member] - allowed[member], MARGINS[member](allowed[member])];
      const both = `${name}: ${member} ${shown(cost, member)}, budget ${shown(allowed, member)}`;
      if (over > margin) return [`${both}: more than the budget allows`];
      if (over < -MARGINS_BELOW * margin) return [`${both}: lower the budget, so that the gain is kept`];
      return [];
    });
  });
}

/** Calls that take at most so much of one by a key of this service. */
const RELATED: readonly (readonly [name: string, byKey: string, factor: number])[] = [
  ["verify, token of an unlimited key", "verify, unlimited key", 1.1],
  ["verify, token of a limited key", "verify, limited key", 1.1],
  ["verify, imported unlimited key", "verify, unlimited key", 1.15],
  ["verify, imported unlimited key with a pepper", "verify, unlimited key", 1.15],
];

/** A sentence for each count of such a call that is too far above that of the key. Of no promise, half a one is allowed. */
export function dearCalls(costs: Costs): string[] {
  return RELATED.flatMap(([name, byKey, factor]) => {
    const [call, key] = [costs[name], costs[byKey]];
    if (call === undefined || key === undefined) return [`${name}: is not counted, or ${byKey} is not`];
    return (["bytes", "promises"] as const)
      .filter((member) => call[member] > Math.max(factor * key[member], key[member] + 0.5))
      .map((member) => `${name}: ${member} ${shown(call, member)}, by the key ${shown(key, member)}`);
  });
}

function shown(cost: Cost, member: keyof Cost): string {
  const value = rounded(cost)[member];
  return member === "turns" || member === "promises" ? value.toFixed(1) : value.toLocaleString("en");
}

/** To no more digits than a second count would have, too. */
function rounded({ bytes, oldBytes, promises, turns }: Cost): Cost {
  const to = (step: number, value: number) => Math.round(value / step) * step;
  return { bytes: to(100, bytes), oldBytes: to(10, oldBytes), promises: tenth(promises), turns: tenth(turns) };
}

function tenth(value: number): number {
  return Math.max(0, Math.round(value * 10) / 10);
}
