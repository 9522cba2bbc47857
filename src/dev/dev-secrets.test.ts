import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { devOperatorToken, devTokenSecret } from "./dev-secrets.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "latchkey-secrets-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe.each([
  ["operator-token", devOperatorToken],
  ["token-secret", devTokenSecret],
])("the %s of a folder", (file, secretOf) => {
  test("is random, the same at each start, and readable only by its owner", async () => {
    const secret = await secretOf(dir);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(await secretOf(dir)).toBe(secret);
    expect((await stat(join(dir, file))).mode & 0o777).toBe(0o600);
    await rm(join(dir, file));
    expect(await secretOf(dir)).not.toBe(secret);
  });

  test.each(["", "secret", `${"0".repeat(64)}\n`])("is replaced where its file has %j", async (text) => {
    await writeFile(join(dir, file), text, { mode: 0o644 });
    const secret = await secretOf(dir);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(await readFile(join(dir, file), "utf8")).toBe(secret);
    expect((await stat(join(dir, file))).mode & 0o777).toBe(0o600);
  });
});
