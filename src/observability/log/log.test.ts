import { expect, test } from "vitest";
import { createLogger } from "./log.ts";

// threat: B19
test("a line ends where it ends for every reader, and commands no terminal, whatever its texts are", () => {
  const lines: string[] = [];
  const log = createLogger("info", (line) => lines.push(line));
  const hostile = `é\u009b31m\u007f\u0085\u2028{"level":50}\u2029\u202e\u2066\u200f\u061c`;
  log.info({ tenant_id: hostile, err: new Error(hostile) }, hostile);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+\n$/u);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ tenant_id: hostile, err: { message: hostile }, msg: hostile });
});
