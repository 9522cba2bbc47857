import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { SECRET_FILES } from "../../src/config/secret-files.ts";
import { STOP_TIMEOUT_MS } from "../../src/process/process.ts";
import { readText } from "./files.ts";

// systemd itself reads the unit in test/peers/systemd.test.ts.

const unit = await readText("deploy/systemd/latchkey.service");

/** The values of a setting, in their order. */
function valuesOf(name: string): string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);
}

test("the unit starts the service as npm start does, and gives it the time that a stop takes", () => {
  expect(valuesOf("ExecStart").map((command) => command.replace("/usr/bin/node", "exec node"))).toEqual([
    packageJson.scripts.start,
  ]);
  expect(1_000 * Number(valuesOf("TimeoutStopSec")[0])).toBeGreaterThan(STOP_TIMEOUT_MS);
});

test("each credential that the unit loads is named by the variable of its file, and no secret is in the unit", () => {
  const loaded = valuesOf("LoadCredential").map((value) => value.split(":")[0] ?? "");
  const variables = valuesOf("Environment").flatMap((value) => value.split(" "));
  const files = variables.filter((variable) => variable.includes("_FILE="));
  expect(files).toEqual(loaded.map((name) => `${name.toUpperCase()}_FILE=%d/${name}`));
  for (const variable of files) expect([...SECRET_FILES.values()]).toContain(variable.split("=")[0]);
});

test("the unit names optional credentials in the same way: only the secrets of tokens and edges", () => {
  const off = unit.replaceAll(/^(?!#(?:LoadCredential|Environment)=).*\n/gm, "").replaceAll(/^#/gm, "");
  const lines = off.trim().split("\n");
  const names = ["token_secret", "edge_token"];
  expect(lines).toEqual([
    ...names.map((name) => `LoadCredential=${name}:/etc/latchkey/${name}`),
    `Environment=${names.map((name) => `${name.toUpperCase()}_FILE=%d/${name}`).join(" ")}`,
  ]);
  for (const name of names) expect([...SECRET_FILES.keys()]).toContain(name.toUpperCase());
});
