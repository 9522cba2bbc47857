import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { devOperatorToken } from "./operator-token.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "latchkey-operator-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

test("the operator's token of a folder is random, the same at each start, and its owner's alone", async () => {
  const token = await devOperatorToken(dir);
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect(await devOperatorToken(dir)).toBe(token);
  expect((await stat(join(dir, "operator-token"))).mode & 0o777).toBe(0o600);
  await rm(join(dir, "operator-token"));
  expect(await devOperatorToken(dir)).not.toBe(token);
});

test.each(["", "secret", `${"0".repeat(64)}\n`])("a file with %j in place of a token is made anew", async (text) => {
  await writeFile(join(dir, "operator-token"), text, { mode: 0o644 });
  const token = await devOperatorToken(dir);
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect(await readFile(join(dir, "operator-token"), "utf8")).toBe(token);
  expect((await stat(join(dir, "operator-token"))).mode & 0o777).toBe(0o600);
});
