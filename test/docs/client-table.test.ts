import { readdir, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { type Client, FEATURES } from "../../tools/client-table/features.ts";
import { type Package, symbolsOf } from "../../tools/client-table/symbols.ts";
import { PAGE, withTable } from "../../tools/client-table/table.ts";
import { isOfApi } from "../harness/services.ts";

const ROOT = new URL("../../", import.meta.url);
const LIST = "tools/client-table/features.ts";
const packages: readonly Package[] = ["typescript", "go", "python", "swift"];
const text = (path: string) => readFile(new URL(path, ROOT), "utf8");

test("the table of the clients is what npm run generate writes", async () => {
  const page = await readFile(PAGE, "utf8");
  expect(page).toBe(withTable(page));
});

describe.each(packages)("the package for %s", (name) => {
  const symbols = symbolsOf(name);
  const compared = FEATURES.flatMap(({ title, cells, symbols: wanted }) =>
    wanted === undefined ? [] : [[title, typeof cells[name] === "string", wanted] as const],
  );

  test.each(compared)("has, or lacks, as the table says: %s", (title, isClaimed, wanted) => {
    const missing = wanted.filter((pattern) => !symbols.some((symbol) => pattern.test(symbol)));
    const advice = isClaimed ? `${title}: ${name} does not have it` : `${title}: ${name} has it; say so in ${LIST}`;
    expect(missing.length === 0, advice).toBe(isClaimed);
  });
});

test("what no name shows is in the files that the list names", async () => {
  for (const { title, proofs = {} } of FEATURES) {
    for (const [client, files] of Object.entries(proofs))
      for (const [path, pattern] of files) expect(await text(path), `${title}: ${client}`).toMatch(pattern);
  }
});

test("each claim of the table is compared with something", () => {
  for (const { title, cells, symbols, proofs } of FEATURES) {
    for (const [client, cell] of Object.entries(cells) as [Client, string | object][]) {
      const isProven = (symbols !== undefined && client !== "generated") || proofs?.[client] !== undefined;
      if (typeof cell === "string") expect(isProven, `${title}: ${client}`).toBe(true);
    }
  }
});

test("no RPC of the API streams, so no client has to", async () => {
  const folder = new URL("gen/latchkey/v1/", ROOT);
  const names = (await readdir(folder)).filter(isOfApi);
  const modules = await Promise.all(names.map((name) => import(new URL(name, folder).href)));
  const kinds = modules
    .flatMap((each) => Object.values<{ kind?: string; methods?: readonly { methodKind: string }[] }>(each))
    .flatMap(({ kind, methods = [] }) => (kind === "service" ? methods.map(({ methodKind }) => methodKind) : []));
  expect(kinds.length).toBeGreaterThan(40);
  expect(new Set(kinds)).toEqual(new Set(["unary"]));
});
