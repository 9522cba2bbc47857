import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));

let dir: string;
let repository: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "latchkey-publish-"));
  repository = join(dir, "latchkey-swift.git");
  await git("init", "-q", "--bare", "--initial-branch=main", repository);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function git(...args: string[]): Promise<string> {
  return (await run("git", args, { cwd: ROOT })).stdout.trim();
}

const published = (...args: string[]) => git("-C", repository, ...args);
const publish = (...args: string[]) => run(join(ROOT, "scripts/publish-swift.sh"), args);

test("a release of the Swift package is its folder at the root of a repository of its own, with a tag", async () => {
  await publish(repository, version);
  expect(await published("rev-parse", `${version}^{tree}`)).toBe(await git("rev-parse", "HEAD:clients/swift"));
  expect(await published("rev-parse", "main")).toBe(await published("rev-parse", version));
  expect(await published("log", "-1", "--format=%b", "main")).toBe(`From ${await git("rev-parse", "HEAD")}.`);
  const files = await published("ls-tree", "--name-only", version);
  expect(files.split("\n")).toEqual(expect.arrayContaining(["LICENSE", "Package.swift", "README.md", "Sources"]));
});

test("a version that was published is not published again, and another than the package's is not published", async () => {
  const before = await published("for-each-ref");
  await expect(publish(repository, version)).rejects.toThrow("is published already");
  await expect(publish(repository, "99.0.0")).rejects.toThrow("has another version");
  expect(await published("for-each-ref")).toBe(before);
});

test("the next release follows the one before", async () => {
  const first = await published("rev-parse", "main");
  // As if that had been an older version.
  await published("update-ref", "-d", `refs/tags/${version}`);
  await publish(repository, version);
  expect(await published("rev-parse", `${version}^`)).toBe(first);
});
