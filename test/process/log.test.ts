import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { run } from "./run.ts";

test("every line of the log is written once and in order, also those of the last moment", async () => {
  const logging = run("../test/process/fixtures/log-lines.ts", {}, tmpdir());
  expect(await logging.ended()).toBe(0);
  const lines = logging.output().trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).n)).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
});
