import { readdir, readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const README = await readFile(`${ROOT}examples/README.md`, "utf8");
/** The rows of the first table: each example's links, and the tests that run it. */
const ROWS = (/^\| Example .*\n\|[ |-]+\n((?:\|.*\n)+)/m.exec(README)?.[1] ?? "")
  .trim()
  .split("\n")
  .map((line) => {
    const [, example = "", protocol = "", tests = ""] = line.split("|").map((cell) => cell.trim());
    return { example, protocol, tests: [...tests.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, path = ""]) => path) };
  });

test("every example has a row in the README's table, with its protocol and the tests that run it", async () => {
  const folders = (await readdir(`${ROOT}examples`, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const { name } of folders) {
    const rows = ROWS.filter(({ example }) => new RegExp(`\\]\\(${name}[/)]`).test(example));
    expect(rows.length, name).toBeGreaterThan(0);
  }
  for (const { example, protocol, tests } of ROWS) {
    expect([example, protocol === ""]).toEqual([example, false]);
    expect(tests.length, example).toBeGreaterThan(0);
  }
});

test("the tests that the table names exist, and none says that it is not run", async () => {
  for (const path of ROWS.flatMap(({ tests }) => tests))
    expect((await stat(`${ROOT}${path}`)).isFile(), path).toBe(true);
  for (const path of await readdir(`${ROOT}examples`, { recursive: true })) {
    if (!/\.(?:ya?ml|conf|md)$|Caddyfile$/.test(path) || path.includes("node_modules")) continue;
    expect(await readFile(`${ROOT}examples/${path}`, "utf8"), path).not.toMatch(/not run by/i);
  }
});
