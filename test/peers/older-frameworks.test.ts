import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { output } from "./callers.ts";
import { installPacked, type PackedProject } from "./packed-project.ts";

// The packed client with the oldest majors among its peers, but for Next.js, which next.test.ts has: npm installs them beside it,
// they compile with it, and they do what the newest ones do.

const PACKAGES = [
  ...["express@4.22.3", "@types/express@4.17.25", "react@18.3.1", "react-dom@18.3.1", "@types/react@18.3.31"],
  ...["@types/react-dom@18.3.7", "@types/node@24.19.2", "typescript@5.9.3"],
];
const EXPRESS = `
  import { callerOf, createGuard } from "@latchkey/client/express";
  import express from "express";

  const { LATCHKEY_URL = "", LATCHKEY_KEY = "" } = process.env;
  const guard = createGuard({ baseUrl: LATCHKEY_URL });
  const app = express();
  app.get("/plans/:planId", guard("plans:read"), (req, res) => {
    res.json({ planId: req.params.planId, tenantId: callerOf(req).tenantId, kind: req.caller?.kind });
  });
  const server = app.listen(0, "127.0.0.1", async () => {
    const address = server.address();
    const url = \`http://127.0.0.1:\${typeof address === "object" ? address?.port : ""}/plans/p1\`;
    const answer = await fetch(url, { headers: { "X-API-Key": LATCHKEY_KEY } });
    console.log(JSON.stringify([await answer.json(), (await fetch(url)).status]));
    process.exit();
  });`;
const REACT = `
  import { LatchkeyProvider, useConversation, useThreads } from "@latchkey/client/react";
  import { renderToString } from "react-dom/server";

  function Chat() {
    const { data, isLoading, send } = useConversation("support");
    return <p onClick={() => void send("Hi")}>{isLoading ? "loading" : data?.messages.length} {String(useThreads().isLoading)}</p>;
  }
  console.log(renderToString(
    <LatchkeyProvider baseUrl="https://api.example.com" apiKey="pk_x" getUserToken={() => "t"}><Chat /></LatchkeyProvider>,
  ));`;

let latchkey: Latchkey;
let project: PackedProject;
const tenant = newTenant();

beforeAll(async () => {
  [latchkey, project] = await Promise.all([startLatchkey(), installPacked(...PACKAGES)]);
}, 300_000);

afterAll(async () => {
  await project?.remove();
  await latchkey?.close();
});

/** What a program prints that is type-checked and compiled in the project. */
async function outputOf(file: string, text: string): Promise<string> {
  const { folder } = project;
  await writeFile(join(folder, file), text);
  const options = ["--strict", "--outDir", "dist", "--module", "nodenext", "--target", "es2022", "--jsx", "react-jsx"];
  const tsc = join(folder, "node_modules/typescript/bin/tsc");
  await output(process.execPath, [tsc, file, ...options, "--esModuleInterop"], { cwd: folder });
  const { key } = await latchkey.createKey(await latchkey.dashboard(tenant), { permissions: ["plans:read"] });
  const env = { LATCHKEY_URL: latchkey.url, LATCHKEY_KEY: key };
  return output(process.execPath, [join(folder, "dist", file.replace(/tsx?$/, "js"))], { cwd: folder, env });
}

test("Express 4 is guarded, with its own types", async () => {
  const seen = { planId: "p1", tenantId: tenant, kind: "secret_key" };
  expect(JSON.parse(await outputOf("express.ts", EXPRESS))).toEqual([seen, 401]);
}, 120_000);

test("React 18 renders the hooks, with its own types", async () => {
  // React's warnings would stand there, too.
  expect(await outputOf("chat.tsx", REACT)).toMatch(/^<p>loading.*true<\/p>\n$/);
}, 120_000);
