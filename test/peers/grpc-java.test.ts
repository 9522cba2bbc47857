import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Callers, needs, output, startCallers } from "./callers.ts";

const PROJECT = fileURLToPath(new URL("grpc-java", import.meta.url));

let callers: Callers;
let dir: string;
const mvn = (...args: string[]) =>
  output("mvn", ["-q", "-B", ...args], { cwd: dir, env: { LATCHKEY_TARGET: new URL(callers.url).host } });

beforeAll(async () => {
  const advice = "The tests with grpc-java need Java 17 or later and Maven: install both.";
  await needs(advice, "java", "-version");
  await needs(advice, "mvn", "-v");
  dir = await mkdtemp(join(tmpdir(), "latchkey-grpc-java-"));
  await cp(PROJECT, dir, { recursive: true });
  callers = await startCallers();
  await mvn("compile");
}, 600_000);
afterAll(async () => {
  await callers?.close();
  await rm(dir, { recursive: true, force: true });
});

test("a program with grpc-java loses no call, with and without pauses", async ({ task }) => {
  const printed = await mvn("exec:java");
  expect(printed.match(/\d+ at .*$/gm)).toEqual([
    "500 at 1, pause 20 ms: 0 lost",
    "4000 at 10, pause 1 ms: 0 lost",
    "10000 at 50, pause 0 ms: 0 lost",
  ]);
  task.meta.figures = "0 of 14500 lost";
}, 170_000);
