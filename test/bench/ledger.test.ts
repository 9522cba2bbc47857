// promise: access.cost
import { readFileSync } from "node:fs";
import { expect, inject, test } from "vitest";
import { budgetTable, comparison, dearCalls, misfits, readBudget } from "../../bench/ledger/budget.ts";
import { countCosts } from "../../bench/ledger/count.ts";
import counts from "./fixtures/counts.json" with { type: "json" };

test("a request takes no more bytes, promises and turns of the event loop than its budget", async () => {
  const counted = await countCosts({ postgresUrl: inject("postgresUrl"), redisUrl: inject("redisUrl") });
  console.log(`What one request takes (and its budget):\n${comparison(counted, readBudget())}`);
  // A change that needs more raises bench/ledger.json in its own commit, which says why: npm run ledger -- --write
  // What a token takes beside its key is held by the budget itself, below: two counts that are compared with each other differ twice.
  expect(misfits(counted, readBudget())).toEqual([]);
}, 900_000);

test("the commit that cost a third of the speed crosses the budget of the one before it, in every row", () => {
  const crossed = misfits(counts["94cf466"], counts["5dff23e"]);
  const rows = (member: string) => crossed.filter((misfit) => misfit.includes(`: ${member} `)).map(nameOf);
  expect(rows("promises")).toEqual(Object.keys(counts["5dff23e"]));
  expect(rows("bytes")).toEqual(Object.keys(counts["5dff23e"]).filter((name) => !name.startsWith("list-threads")));
});

test("a call by a token has a budget of at most 1.1 of that by its key, and by an imported key of 1.15, in bytes and promises", () => {
  const budget = readBudget();
  expect(dearCalls(budget)).toEqual([]);
  const name = "verify, token of a limited key";
  const [byToken, byKey] = [budget[name], budget["verify, limited key"]];
  if (byToken === undefined || byKey === undefined) throw new Error("the budget has no such rows");
  for (const member of ["bytes", "promises"] as const) {
    const dear = { ...budget, [name]: { ...byToken, [member]: 1.2 * byKey[member] } };
    expect(dearCalls(dear)).toEqual([expect.stringContaining(`${name}: ${member} `)]);
  }
});

test("a budget that lets half of a gain be lost again is lowered", () => {
  const budget = readBudget();
  const [[name, cost] = ["", undefined]] = Object.entries(budget);
  if (cost === undefined) throw new Error("the budget is empty");
  const counted = { ...budget, [name]: { ...cost, bytes: cost.bytes * 0.9 } };
  expect(misfits(counted, budget)).toEqual([expect.stringContaining("lower the budget")]);
});

test("the page about benchmarks has the table of the budget", () => {
  const page = readFileSync(new URL("../../docs/benchmarks.md", import.meta.url), "utf8");
  expect(page).toContain(budgetTable(readBudget()));
});

function nameOf(misfit: string): string {
  return misfit.slice(0, misfit.indexOf(":"));
}
