import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { installPacked, type PackedProject } from "./packed-project.ts";

// The packed client and its guards in Bun and in Deno, whose npm packages contain them. About 200 MB.

const PACKAGES = ["@oven/bun-linux-x64@1.4.4", "@deno/linux-x64-glibc@2.9.6", "hono@4.13.19"];
const PROGRAM = `
  import { createRequire } from "node:module";
  import { createLatchkeyClient, denialOf } from "@latchkey/client";
  import { callerOf, createGuard } from "@latchkey/client/server";
  import { createGuard as createHonoGuard } from "@latchkey/client/hono";
  import { Hono } from "hono";

  const { LATCHKEY_URL: baseUrl, LATCHKEY_KEY: apiKey, LATCHKEY_TOKEN: token } = process.env;
  const client = createLatchkeyClient({ baseUrl, apiKey });
  const { text } = await client.sendAndWait({ conversationKey: process.argv.at(-1), text: "Hi" });
  const err = await createLatchkeyClient({ baseUrl, apiKey: "sk_none" }).gateway.listThreads({}).catch((err) => err);
  const dashboard = createLatchkeyClient({ baseUrl, getUserToken: () => token });
  const created = await dashboard.apiKeys.createApiKey({ name: "k", permissions: ["plans:read"] });
  console.log(created);

  const { denialOf: denialOfCommonJs } = createRequire(import.meta.url)("@latchkey/client");
  const send = (headers) => new Request("http://upstream/", { method: "POST", body: '{"n":1}', headers });
  const guard = createGuard({ baseUrl });
  const handle = guard.fetch("plans:read", async (request, caller) => Response.json({
    isCaller: callerOf(request) === caller, claims: [...request.headers.keys()].filter((name) => name.startsWith("x-auth")),
    body: await request.json(),
  }));
  const app = new Hono().use(createHonoGuard({ baseUrl })("plans:read")).post("/", (c) => c.json(c.var.caller.kind));
  const headers = { "x-api-key": apiKey, "x-auth-tenant-id": "ten_other" };
  console.log("---" + JSON.stringify({
    text,
    denial: [denialOf(err)?.reason, denialOfCommonJs(err)?.reason],
    key: JSON.parse(JSON.stringify(created)).result.key,
    served: await served(async (url) => (await fetch(url, { method: "POST", body: '{"n":1}', headers })).json()),
    refused: (await handle(send({}))).status,
    hono: await (await app.request("/", { method: "POST", headers })).json(),
  }));
  process.exit();

  /** With the runtime's own server, whose requests are its own, too. */
  async function served(use) {
    if (globalThis.Deno !== undefined) {
      const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, handle);
      return use("http://127.0.0.1:" + server.addr.port);
    }
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: handle });
    return use("http://127.0.0.1:" + server.port);
  }`;

let latchkey: Latchkey;
let project: PackedProject;
const tenant = newTenant();

beforeAll(async () => {
  if (process.platform !== "linux" || process.arch !== "x64") throw new Error("These tests run on Linux on x64.");
  [latchkey, project] = await Promise.all([startLatchkey(), installPacked(...PACKAGES)]);
  await writeFile(join(project.folder, "program.mjs"), PROGRAM);
}, 300_000);

afterAll(async () => {
  await project?.remove();
  await latchkey?.close();
});

test.each([
  ["Bun", "@oven/bun-linux-x64/bin/bun", ["run"]],
  ["Deno", "@deno/linux-x64-glibc/deno", ["run", "--allow-net", "--allow-env", "--allow-read"]],
])("%s runs the client, the guards of web requests and of Hono, and prints no secret", async (name, command, args) => {
  const permissions = ["conversations:*", "plans:read"];
  const { key } = await latchkey.createKey(await latchkey.dashboard(tenant), { permissions });
  const env = {
    HOME: project.folder,
    NO_COLOR: "1",
    LATCHKEY_URL: latchkey.url,
    LATCHKEY_KEY: key,
    LATCHKEY_TOKEN: await latchkey.dashboardToken({ tenant_id: tenant }),
  };
  const path = join(project.folder, "node_modules", command);
  const { stdout } = await promisify(execFile)(path, [...args, "program.mjs", name], { cwd: project.folder, env });
  const [printed = "", report = ""] = stdout.split("---");
  const { key: created, ...seen } = JSON.parse(report);
  expect(seen).toEqual({
    text: "You said: Hi",
    denial: ["api_key_not_found", "api_key_not_found"],
    served: { isCaller: true, claims: [], body: { n: 1 } },
    refused: 401,
    hono: "secret_key",
  });
  expect(created).toMatch(/^sk_\w{20,}$/);
  expect(printed).toContain("[redacted]");
  expect(printed).not.toContain(created);
});
