import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pageWith } from "../../bench/results.ts";

const page = readFileSync(new URL("../../docs/benchmarks.md", import.meta.url), "utf8");

test("docs/benchmarks.md has the tables of bench/results.json", () => {
  expect(page).toBe(pageWith());
});

test("new results replace every table of a scenario", () => {
  const row = { requestsPerSecond: 98_765, p99Ms: 1, cpuMicrosPerRequest: 2, redisMicrosPerRequest: null };
  const headings = [...page.matchAll(/^### (\S+, \d+ connections)$/gm)].map(([, heading]) => heading);
  expect(headings.length).toBeGreaterThan(5);
  const tables = Object.fromEntries(headings.map((heading) => [`${heading}, 1000 keys`, { "node:http": row }]));
  const renewed = pageWith({ commit: "a", date: "2026-01-01", tables });
  expect(renewed.match(/^\| node:http +\| +98,765 \| +1\.00 \| +1\.00 \| +2\.0 \| +- \|$/gm)).toHaveLength(
    headings.length,
  );
});
