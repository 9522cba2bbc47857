import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Callers, output, startCallers } from "./callers.ts";
import { exists, goTool, PEERS_DIR } from "./go-tools.ts";

const GRPC = "google.golang.org/grpc@v1.85.0";
const GHZ = "github.com/bojand/ghz/cmd/ghz@v0.120.0";
const PROGRAM = fileURLToPath(new URL("grpc-go/main.go", import.meta.url));
const MODULE = join(PEERS_DIR, "grpc-go");
const CALLS = 5_000;

let callers: Callers;
let host: string;
let ghz: string;
beforeAll(async () => {
  ghz = await goTool("ghz", GHZ);
  await buildProgram();
  callers = await startCallers();
  host = new URL(callers.url).host;
}, 600_000);
afterAll(() => callers?.close());

async function buildProgram(): Promise<void> {
  await mkdir(MODULE, { recursive: true });
  await cp(PROGRAM, join(MODULE, "main.go"));
  const go = (...args: string[]) => output("go", args, { cwd: MODULE });
  if (!(await exists(join(MODULE, "go.mod")))) await go("mod", "init", "example.com/calls");
  await go("get", GRPC);
  await go("build", "-o", "calls", ".");
}

/** The calls of a run of ghz, by their result. */
async function load(call: string, ...options: string[]): Promise<Record<string, number>> {
  const args = ["--insecure", "--call", call, "-d", "{}", "-n", String(CALLS), "-c", "50", "-O", "json", ...options];
  return JSON.parse(await output(ghz, [...args, host])).statusCodeDistribution;
}

test("ghz loses no call of 5,000 at 50 at once", async ({ task }) => {
  expect(await load("grpc.health.v1.Health.Check")).toEqual({ OK: CALLS });
  const key = ["-m", JSON.stringify({ "x-api-key": callers.key })];
  expect(await load("latchkey.v1.AuthService.Verify", ...key)).toEqual({ OK: CALLS });
  task.meta.figures = `ghz: 0 of ${2 * CALLS} lost`;
}, 170_000);

test("a program with grpc-go loses no call, with and without pauses", async ({ task }) => {
  const printed = await output(join(MODULE, "calls"), [host]);
  expect(printed.trim().split("\n")).toEqual([
    "1000 at 1, pause 20ms: 0 lost",
    "500 at 5, pause 100ms: 0 lost",
    "4000 at 10, pause 1ms: 0 lost",
    "10000 at 50, pause 0s: 0 lost",
  ]);
  task.meta.figures = "grpc-go: 0 of 15500 lost";
}, 170_000);
