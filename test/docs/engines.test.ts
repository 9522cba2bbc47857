import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The installed packages whose own manifest excludes a version of Node. */
async function excluding(version: string): Promise<string[]> {
  const selector = `:attr(engines, [node]):not(:semver(${version}, :attr(engines, [node])))`;
  const { stdout } = await promisify(execFile)("npm", ["query", selector], { cwd: ROOT, maxBuffer: 1 << 24 });
  const found: { name: string }[] = JSON.parse(stdout);
  return found.map(({ name }) => name);
}

test("every installed package runs on the Node that the project brings", async () => {
  expect(await excluding(process.versions.node)).toEqual([]);
  // Otherwise the query finds nothing at all.
  expect(await excluding("4.0.0")).toContain("vitest");
});

test("package-lock.json has engines of the project's own packages only: node scripts/lock-engines.mjs removes the others", async () => {
  const { packages } = JSON.parse(await readFile(new URL("../../package-lock.json", import.meta.url), "utf8"));
  const paths = Object.keys(packages).filter((path) => "engines" in packages[path]);
  expect(paths).toEqual(["", "clients/typescript"]);
});
