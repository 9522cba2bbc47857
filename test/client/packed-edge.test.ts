// promise: edges.guards
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EDGE_TOKEN } from "../harness/edges.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { checkTypes, type PackedClient, packClient, run } from "./packed.ts";

/** The edge of the packed client, whose code is bundled of the service's, in programs of users. */

const GUIDE = new URL("../../docs/guides/edge.md", import.meta.url);

let latchkey: Latchkey;
let packed: PackedClient;

beforeAll(async () => {
  [latchkey, packed] = await Promise.all([startLatchkey({ config: { edgeTokens: [EDGE_TOKEN] } }), packClient()]);
});

afterAll(async () => {
  await latchkey.close();
  await packed.remove();
});

/** Type-checks a program, runs it with Node until it ends by itself, and returns what it prints, parsed. */
async function outputOf(name: string, program: string, node: readonly string[] = []) {
  const file = join(packed.project, name);
  await writeFile(file, program);
  await checkTypes(packed, file);
  const permissions = ["plans:read"];
  const { key, key_id } = await latchkey.createKey(await latchkey.dashboard(), {
    permissions,
    rate_limit: { requests_per_minute: 100 },
  });
  const env = { PATH: process.env.PATH, LATCHKEY_URL: latchkey.url, LATCHKEY_KEY: key, EDGE_TOKEN };
  const { stdout, stderr } = await run(process.execPath, [...node, file], { cwd: packed.project, env });
  expect(stderr).toBe("");
  return { printed: JSON.parse(stdout), keyId: key_id };
}

const program = (load: string, end: string) => `
  ${load}
  const { LATCHKEY_URL: baseUrl = "", LATCHKEY_KEY: apiKey = "", EDGE_TOKEN: token = "" } = process.env;
  async function main() {
    const guard = server.createGuard({ baseUrl, edge: { token } });
    const handle = guard.fetch("plans:read", (_request, { keyId }) => new Response(keyId));
    while (guard.edge?.leaseMs === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const answers: unknown[] = [];
    for (const headers of [{ "X-API-Key": apiKey }, { "X-API-Key": apiKey }, { "X-API-Key": "sk_unknown" }]) {
      const answer = await handle(new Request("http://upstream", { headers }));
      answers.push([answer.status, answer.headers.get("X-RateLimit-Limit"), answer.ok && (await answer.text())]);
    }
    const { decided, asked, problem } = guard.edge ?? {};
    ${end}
    console.log(JSON.stringify({ answers, decided, asked, problem, isConnected: guard.edge?.isConnected }));
  }
  main();`;
const IMPORT = 'import * as server from "@latchkey/client/server";';
const REQUIRE = 'const server = require("@latchkey/client/server") as typeof import("@latchkey/client/server");';

test.each([
  ["import", "edge.mts", IMPORT],
  ["require", "edge.cts", REQUIRE],
])("a guard that is loaded with %s decides in its process, and ends with close", async (_how, file, load) => {
  const { printed, keyId } = await outputOf(file, program(load, "await guard.edge?.close();"));
  expect(printed).toEqual({
    answers: [
      [200, "100", keyId],
      [200, "100", keyId],
      [401, "0", false],
    ],
    decided: 3,
    asked: 0,
    isConnected: false,
  });
});

test("an edge that is not closed keeps no program alive", async () => {
  const { printed } = await outputOf("unclosed.mts", program(IMPORT, ""));
  expect(printed).toMatchObject({ decided: 3, isConnected: true });
});

test("the guide's program makes a guard with an edge", async () => {
  const [, example = ""] = /^```ts\n(.*?)^```$/ms.exec(await readFile(GUIDE, "utf8")) ?? [];
  const end = "console.log(JSON.stringify(guard.edge)); await guard.edge?.close();";
  const { printed } = await outputOf("guide.mts", example + end);
  expect(printed).toMatchObject({ isConnected: false, leaseMs: 0, decided: 0, asked: 0 });
});

test("where there is no Node, the service is asked and the guard says why", async () => {
  const { printed } = await outputOf(
    "browser.mts",
    `${IMPORT}
     const { LATCHKEY_URL: baseUrl = "", LATCHKEY_KEY: apiKey = "", EDGE_TOKEN: token = "" } = process.env;
     const reasons: string[] = [];
     const onError = (err: unknown) => void reasons.push(String(err));
     const guard = server.createGuard({ baseUrl, edge: { token }, onError });
     const handle = guard.fetch("plans:read", () => new Response());
     const { status } = await handle(new Request("http://upstream", { headers: { "X-API-Key": apiKey } }));
     console.log(JSON.stringify({ status, reasons }));`,
    ["--conditions=workerd"],
  );
  expect(printed).toEqual({ status: 200, reasons: [expect.stringContaining("an edge needs Node.js")] });
});
