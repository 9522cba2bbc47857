import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { beforeAll, expect, test } from "vitest";
import { output } from "./callers.ts";
import { goTool, PEERS_DIR } from "./go-tools.ts";

const MODULE = "connectrpc.com/conformance";
const VERSION = "v1.0.7";
/** The suite, the service that it calls, and the cases that differ by design, each with its reason. */
const FILES = fileURLToPath(new URL("conformance/", import.meta.url));
const DIR = join(PEERS_DIR, "conformance");

/** In one file: where the machine is busy, hundreds of modules take longer to load than the suite waits. */
const SERVER = join(DIR, "server.mjs");

let suite: string;
beforeAll(async () => {
  suite = await goTool("connectconformance", `${MODULE}/cmd/connectconformance@${VERSION}`);
  await mkdir(DIR, { recursive: true });
  const { Dir } = JSON.parse(await output("go", ["mod", "download", "-json", `${MODULE}@${VERSION}`]));
  await output("buf", ["build", "proto", "-o", join(DIR, "protos.binpb")], { cwd: Dir });
  await build({ input: join(FILES, "server.ts"), platform: "node", treeshake: false, output: { file: SERVER } });
}, 600_000);

/** Runs the suite. Rejects if a case fails that is in no list, or one passes that must fail. */
async function run(
  config: string,
  lists: readonly string[],
  ...way: string[]
): Promise<[passed: number, figures: string]> {
  const options = ["--mode", "server", "--conf", join(FILES, config), "--max-servers", "1", "-p", "4"];
  const printed = await output(suite, [...options, ...lists, "--", process.execPath, SERVER, DIR, ...way]);
  const [, passed = "", expected = ""] =
    /^(\d+) passed, 0 failed\s+\(Another (\d+) failed as expected/m.exec(printed) ?? [];
  return [Number(passed), `${passed} passed, ${expected} differ by design`];
}

/** The patterns of lists as options, one by one: the suite reads only the first of several files. */
async function listed(option: string, ...lists: string[]): Promise<string[]> {
  const texts = await Promise.all(lists.map((list) => readFile(join(FILES, `${list}.txt`), "utf8")));
  return texts.flatMap((text) => text.match(/^[^#\n].*$/gm) ?? []).flatMap((pattern) => [option, pattern]);
}

test("Connect's suite passes over HTTP/1.1, h2c and TLS, except cases that differ by design", async ({ task }) => {
  const failing = await listed("--known-failing", "by-design", "by-design-plain");
  const either = await listed("--known-flaky", "either-way");
  const [passed, figures] = await run("config.yaml", [...failing, ...either]);
  expect(passed).toBeGreaterThan(1_400);
  task.meta.figures = figures;
}, 170_000);

test("a failure that no list has fails the suite, and so does a case that passes against its list", async () => {
  const one = (name: string) => ["--run", name];
  const differs = one("Connect Unexpected Requests/*/*/unexpected-verb");
  await expect(run("config-lean.yaml", differs)).rejects.toThrow(/^FAILED: Connect Unexpected Requests/m);
  const [, differing] = await run("config-lean.yaml", [...differs, "--known-failing", ...differs.slice(1)]);
  expect(differing).toMatch(/^0 passed, [1-9]/);
  const passes = one("**/unimplemented");
  await expect(run("config-lean.yaml", [...passes, "--known-failing", ...passes.slice(1)])).rejects.toThrow(
    "expected to fail",
  );
}, 170_000);

test("its plain unary calls pass by the lean path, too, except the same cases", async ({ task }) => {
  const failing = await listed("--known-failing", "by-design-plain");
  const either = await listed("--known-flaky", "either-way-lean");
  const [passed, figures] = await run("config-lean.yaml", [...failing, ...either], "lean");
  expect(passed).toBeGreaterThan(300);
  task.meta.figures = `lean path: ${figures}`;
}, 170_000);
