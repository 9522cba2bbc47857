import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { checkTypes, type PackedClient, packClient, run } from "./packed.ts";

// One app may load the packed client twice: with `import`, and with `require` in a package that it uses.

let latchkey: Latchkey;
let packed: PackedClient;

beforeAll(async () => {
  [latchkey, packed] = await Promise.all([startLatchkey(), packClient()]);
});

afterAll(async () => {
  await latchkey.close();
  await packed.remove();
});

/** Type-checks a program, runs it with Node, and returns what it prints, parsed. */
async function outputOf(name: string, program: string) {
  const file = join(packed.project, name);
  await writeFile(file, program);
  await checkTypes(packed, file);
  const { key } = await latchkey.createKey(await latchkey.dashboard(newTenant()), { permissions: ["plans:read"] });
  const env = { PATH: process.env.PATH, LATCHKEY_URL: latchkey.url, LATCHKEY_KEY: key };
  return JSON.parse((await run(process.execPath, [file], { cwd: packed.project, env })).stdout);
}

test.each([
  ["import", "imports.mts", (name: string, of: string) => `import * as ${name} from "${of}";`],
  [
    "require",
    "requires.cts",
    (name: string, of: string) => `const ${name} = require("${of}") as typeof import("${of}");`,
  ],
])("Node loads client and guard with %s", async (_how, file, load) => {
  const program = `
    ${load("client", "@latchkey/client")}
    ${load("server", "@latchkey/client/server")}
    const { LATCHKEY_URL: baseUrl = "", LATCHKEY_KEY: apiKey = "" } = process.env;
    async function main() {
      const { tenantId } = await client.createLatchkeyClient({ baseUrl, apiKey }).auth.verify({});
      const request = new Request("http://upstream", { headers: { "X-API-Key": apiKey } });
      await server.createGuard({ baseUrl }).fetch("plans:read", () => new Response())(request);
      console.log(JSON.stringify([tenantId, server.callerOf(request).tenantId]));
    }
    main();`;
  const [tenant, callersTenant] = await outputOf(file, program);
  expect(tenant).toMatch(/^ten_/);
  expect(callersTenant).toBe(tenant);
});

test("Node loads every entry in both formats, with the same exports", async () => {
  const { exports } = JSON.parse(await readFile(join(packed.directory, "package.json"), "utf8"));
  const names = Object.keys(exports).filter((entry) => entry !== "./package.json");
  const program = `
    import { createRequire } from "node:module";
    const require = createRequire(import.meta.url);
    const entries: Record<string, string[][]> = {};
    for (const entry of ${JSON.stringify(names)}) {
      const [esm, cjs] = [await import("@latchkey/client" + entry.slice(1)), require("@latchkey/client" + entry.slice(1))];
      entries[entry] = [esm, cjs].map((each) => Object.keys(each).filter((name) => name !== "__esModule").sort());
    }
    console.log(JSON.stringify(entries));`;
  const entries: Record<string, string[][]> = await outputOf("entries.mts", program);
  expect(Object.keys(entries)).toEqual(names);
  for (const [name, [esm, cjs]] of Object.entries(entries)) expect(esm, name).toEqual(cjs);
  expect(entries["./express"]?.[0]).toEqual(["callerOf", "createGuard"]);
  expect(entries["./react"]?.[0]).toEqual(["LatchkeyProvider", "useConversation", "useLatchkey", "useThreads"]);
});

test("the types of both formats fit together in one program", async () => {
  const uses = `
    export const hono = (c: Context<{ Variables: GuardVariables }>): string => c.var.caller.tenantId;
    export const fastify = (request: FastifyRequest): string => request.caller.tenantId;
    export const express = (req: Request): string | undefined => req.caller?.tenantId;`;
  const imports = [
    'import type { GuardVariables } from "@latchkey/client/hono";',
    'import type { latchkey } from "@latchkey/client/fastify";',
    'import type { createGuard } from "@latchkey/client/express";',
    'import type { Context } from "hono";',
    'import type { FastifyRequest } from "fastify";',
    'import type { Request } from "express";',
    "export type Guards = [typeof latchkey, typeof createGuard];",
  ].join("\n");
  const other = join(packed.project, "other.cts");
  await writeFile(other, imports + uses);
  const file = join(packed.project, "one.mts");
  await writeFile(
    file,
    `${imports}${uses}\nimport type { Guards as Others } from "./other.cjs";\nexport type Both = [Guards, Others];`,
  );
  await checkTypes(packed, file);
});

test("each format knows the callers, the denials and the errors of the other", async () => {
  const program = `
    import { createRequire } from "node:module";
    import * as esm from "@latchkey/client";
    import * as esmServer from "@latchkey/client/server";
    const require = createRequire(import.meta.url);
    const cjs: typeof esm = require("@latchkey/client");
    const cjsServer: typeof esmServer = require("@latchkey/client/server");
    const { LATCHKEY_URL: baseUrl = "", LATCHKEY_KEY: apiKey = "" } = process.env;

    async function crossing(one: typeof esm, oneServer: typeof esmServer, other: typeof esm, otherServer: typeof esmServer) {
      const request = new Request("http://upstream", { headers: { "X-API-Key": apiKey } });
      await oneServer.createGuard({ baseUrl }).fetch("plans:read", () => new Response())(request);
      const { gateway } = one.createLatchkeyClient({ baseUrl, apiKey: "sk_none" });
      const err: unknown = await gateway.listThreads({}).catch((err) => err);
      return [
        otherServer.callerOf(request).kind,
        other.denialOf(err)?.reason,
        other.isDenial(err, "api_key_not_found"),
        err instanceof other.ConnectError,
        err instanceof other.RunFailedError,
        new one.RunFailedError("run_1", "c", "") instanceof other.RunFailedError,
      ];
    }
    console.log(JSON.stringify([
      esm.createLatchkeyClient !== cjs.createLatchkeyClient,
      await crossing(esm, esmServer, cjs, cjsServer),
      await crossing(cjs, cjsServer, esm, esmServer),
    ]));`;
  const known = ["secret_key", "api_key_not_found", true, true, false, true];
  expect(await outputOf("both.mts", program)).toEqual([true, known, known]);
});
