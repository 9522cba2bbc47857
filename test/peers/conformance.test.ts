import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { output } from "./callers.ts";
import { goTool, PEERS_DIR } from "./go-tools.ts";

const MODULE = "connectrpc.com/conformance";
const VERSION = "v1.0.7";
/** The suite, the service that it calls, and the cases that differ by design, each with its reason. */
const FILES = fileURLToPath(new URL("conformance/", import.meta.url));
const DIR = join(PEERS_DIR, "conformance");

let suite: string;
beforeAll(async () => {
  suite = await goTool("connectconformance", `${MODULE}/cmd/connectconformance@${VERSION}`);
  await mkdir(DIR, { recursive: true });
  const { Dir } = JSON.parse(await output("go", ["mod", "download", "-json", `${MODULE}@${VERSION}`]));
  await output("buf", ["build", "proto", "-o", join(DIR, "protos.binpb")], { cwd: Dir });
}, 600_000);

test("Connect's suite passes over HTTP/1.1, h2c and TLS, but for what differs by design", async ({ task }) => {
  const options = ["--mode", "server", "--conf", join(FILES, "config.yaml"), "--max-servers", "1", "-p", "4"];
  const known = ["--known-failing", `@${FILES}by-design.txt`, "--known-flaky", `@${FILES}either-way.txt`];
  const server = ["--", process.execPath, join(FILES, "server.ts"), DIR];
  // It ends with 1 if a case fails that is in neither list, or one passes that must fail.
  const printed = await output(suite, [...options, ...known, ...server]);
  const [, passed = "", expected = ""] =
    /^(\d+) passed, 0 failed\s+\(Another (\d+) failed as expected/m.exec(printed) ?? [];
  expect(Number(passed)).toBeGreaterThan(1_400);
  task.meta.figures = `${passed} passed, ${expected} differ by design`;
}, 170_000);
