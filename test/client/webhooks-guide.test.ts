// promise: clients.webhooks
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkTypes, type PackedClient, packClient } from "./packed.ts";
import { expectReceiver, guideProgram } from "./webhooks-guide.suite.ts";

// test/peers/webhooks-guide.test.ts runs the guide's programs in Go and Python.

let packed: PackedClient;
beforeAll(async () => {
  packed = await packClient();
});
afterAll(() => packed?.remove());

test("the guide's receiver in TypeScript, with the packed client, takes each event once, and no other's", async () => {
  const file = join(packed.project, "receiver.mts");
  await writeFile(file, await guideProgram("ts"));
  await checkTypes(packed, file);
  await expectReceiver({ command: process.execPath, args: [file], cwd: packed.project });
});

test("the guide's receiver without a library does, too", async () => {
  const file = join(packed.project, "receiver.mjs");
  await writeFile(file, await guideProgram("js"));
  await expectReceiver({ command: process.execPath, args: [file] });
});

test("the guide has no other program than these, and those in Go and Python", async () => {
  for (const language of ["ts", "js", "go", "python"]) expect(await guideProgram(language)).not.toBe("");
});
