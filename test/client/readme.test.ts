import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { snippetOf } from "../../console/src/keys/snippets.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { accepting } from "../proxies/proxy.ts";
import { freePort } from "../servers/free-port.ts";
import { checkTypes, type PackedClient, packClient, run } from "./packed.ts";
import { readmePrograms } from "./readme-programs.ts";

// The README's programs are type-checked and do what they say, with the packed client.

const VISIT = fileURLToPath(new URL("fixtures/visit.mjs", import.meta.url));

const programs = await readmePrograms("ts");
const tenant = newTenant();

let latchkey: Latchkey;
let packed: PackedClient;
let env: Record<string, string | undefined>;

beforeAll(async () => {
  [latchkey, packed] = await Promise.all([startLatchkey(), packClient()]);
  const permissions = ["conversations:*", "plans:read"];
  const { key } = await latchkey.createKey(await latchkey.dashboard(tenant), { permissions });
  env = {
    PATH: process.env.PATH,
    LATCHKEY_URL: latchkey.url,
    LATCHKEY_KEY: key,
    LATCHKEY_TOKEN: await latchkey.dashboardToken({ tenant_id: tenant }),
  };
});

afterAll(async () => {
  await latchkey.close();
  await packed.remove();
});

/** The only program that has all of these words, type-checked. */
async function programWith(...words: readonly string[]): Promise<string> {
  const found = programs.filter((program) => words.every((word) => program.includes(word)));
  expect(found, words.join()).toHaveLength(1);
  const file = join(packed.project, `program-${programs.indexOf(found[0] ?? "")}.mts`);
  await writeFile(file, found[0] ?? "");
  await checkTypes(packed, file);
  return file;
}

async function outputOf(...words: readonly string[]): Promise<string> {
  return (await run(process.execPath, [await programWith(...words)], { cwd: packed.project, env })).stdout;
}

test("a conversation", async () => {
  expect(await outputOf("client.sendAndWait(")).toBe("You said: Hi\n1 conversation\n");
});

test("the first request that the console shows beside a new key", async () => {
  const url = latchkey.url;
  const shown = {
    secret: snippetOf("typescript", { url, key: env.LATCHKEY_KEY ?? "", isPublishable: false }),
    publishable: snippetOf("typescript", { url, key: "pk_x", isPublishable: true }),
  };
  for (const [kind, program] of Object.entries(shown)) {
    const file = join(packed.project, `console-${kind}.mts`);
    await writeFile(file, program);
    await checkTypes(packed, file);
  }
  const { stdout } = await run(process.execPath, [join(packed.project, "console-secret.mts")], {
    cwd: packed.project,
    env: { PATH: process.env.PATH },
  });
  expect(stdout).toBe("[ 'conversations:*', 'plans:read' ]\n");
});

test("the management of keys", async () => {
  const [listed, record = "", revoked] = (await outputOf("revokeApiKey(")).split("\n");
  expect(listed).toBe("shorter-lived");
  expect(revoked).toBe("revoked, as it should be");
  // What HTTP answers, zero values and all.
  expect(JSON.parse(record)).toMatchObject({
    name: "shorter-lived",
    description: "",
    status: "KEY_STATUS_REVOKED",
    rate_limit: { requests_per_minute: 0 },
    expires_at: expect.stringMatching(/^20\d\d-/),
  });
});

test("a publishable key", async () => {
  expect(await outputOf("KeyType.PUBLISHABLE")).toMatch(/^pk_\w{9} \n$/);
});

test("a guard of node:http, and one of web requests", async () => {
  expect(await outputOf("guard.node(")).toBe("200 2147483647\n401\n");
  expect(await outputOf("FetchHandler")).toBe('{"kind":"secret_key","region":"eu"}\n');
});

test("a receiver of webhooks", async () => {
  const port = await freePort();
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const file = await programWith("receiveWebhooksOnNode(");
  const receiver = spawn(process.execPath, [file], {
    env: { ...env, LATCHKEY_WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await accepting(port);
    const data = { tenant_id: tenant, key_id: "key_1", expires_in_days: 7, sequence: 1 };
    const body = JSON.stringify({ type: "api_key.expiring", timestamp: new Date().toISOString(), data });
    const printed = once(receiver.stdout, "data");
    const statuses: number[] = [];
    for (const by of [secret, secret, `whsec_${Buffer.alloc(32, 8).toString("base64")}`]) {
      const at = new Date();
      const headers = {
        "webhook-id": "evt_1",
        "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
        "webhook-signature": new Webhook(by).sign("evt_1", at, body),
      };
      statuses.push((await fetch(`http://127.0.0.1:${port}/webhooks`, { method: "POST", headers, body })).status);
    }
    expect(statuses).toEqual([204, 204, 400]);
    expect(String(await printed)).toBe("key_1 expires in 7 days\n");
  } finally {
    receiver.kill();
    await once(receiver, "exit");
  }
});

test.each([
  ["express", [200, 401, 403, 404], { planId: "p1", tenantId: tenant, kind: "secret_key" }],
  ["fastify", [200, 401, 403, 200], { planId: "p1", tenantId: tenant }],
  ["hono", [200, 401, 404, 200], { planId: "p1", tenantId: tenant }],
  ["next", [200, 401], { planId: "p1", tenantId: tenant }],
])("the guard of %s", async (entry, statuses, seen) => {
  const headers = { "x-api-key": env.LATCHKEY_KEY };
  const post = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: "{}" };
  const requests = [["/plans/p1", { headers }], ["/plans/p1"], ["/plans", post], ["/health"]].slice(0, statuses.length);
  const args = [VISIT, await programWith(`@latchkey/client/${entry}"`), JSON.stringify(requests)];
  const answers = JSON.parse((await run(process.execPath, args, { cwd: packed.project, env })).stdout);
  expect(answers.map(([status]: [number]) => status)).toEqual(statuses);
  expect(JSON.parse(answers[0][1])).toEqual(seen);
});

test("it has no other program, except one of React, which test/browser/react.test.ts runs", async () => {
  expect(programs).toHaveLength(10);
  expect(await readmePrograms("tsx")).toHaveLength(1);
  expect(await readmePrograms("\\w+(?: not-run)?")).toHaveLength(11 + 2);
});
