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
  dir = await mkdtemp(join(tmpdir(), "latchkey-tag-"));
  repository = join(dir, "latchkey.git");
  await git("init", "-q", "--bare", repository);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function git(...args: string[]): Promise<string> {
  return (await run("git", args, { cwd: ROOT })).stdout.trim();
}

const tag = (...args: string[]) => run(join(ROOT, "scripts/tag-go.sh"), args);

test("a release of the Go modules is a tag of each folder and its version, with its license", async () => {
  await tag(repository, version);
  expect((await git("-C", repository, "for-each-ref", "--format=%(refname)")).split("\n")).toEqual([
    `refs/tags/clients/go/grpcguard/v${version}`,
    `refs/tags/clients/go/v${version}`,
  ]);
  expect(await git("-C", repository, "rev-parse", `clients/go/v${version}`)).toBe(await git("rev-parse", "HEAD"));
  const files = await git("-C", repository, "ls-tree", "--name-only", `clients/go/v${version}:clients/go`);
  expect(files.split("\n")).toEqual(expect.arrayContaining(["LICENSE", "README.md", "go.mod"]));
});

test("a version that was published is not published again, and another than the module's is not published", async () => {
  const before = await git("-C", repository, "for-each-ref");
  await expect(tag(repository, version)).rejects.toThrow("is published already");
  await expect(tag(repository, "99.0.0")).rejects.toThrow("has another version");
  expect(await git("-C", repository, "for-each-ref")).toBe(before);
});
