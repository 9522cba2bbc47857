import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const FOLDER = new URL("../../proto/latchkey/v1/", import.meta.url);
/** protovalidate's rules on timestamps that depend on the current time, and the variable of CEL by which any rule can. */
const ASKS_THE_TIME = /\b(?:lt_now|gt_now|within)\b|\bnow\b/;

test("no rule of the proto depends on the time, since parsed bodies are cached", () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".proto"));
  expect(files.length).toBeGreaterThan(5);
  for (const name of files) {
    const code = readFileSync(new URL(name, FOLDER), "utf8").replaceAll(/\/\/.*/g, "");
    expect(code, name).toContain("package latchkey.v1;");
    expect(code, name).not.toMatch(ASKS_THE_TIME);
  }
});
