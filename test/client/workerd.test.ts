import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Code } from "../../clients/typescript/src/index.ts";
import { INSTALL_MS, load } from "../../tools/on-demand/packages.ts";
import type { JsonObject } from "../harness/http.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";
import { redirector } from "./redirector.ts";

/** A worker with the client and the guard in Cloudflare's own runtime, without its imitation of Node, and a real service. */

/** What is used of Miniflare. */
interface Workerd {
  dispatchFetch(url: string, init: RequestInit): Promise<Response>;
  dispose(): Promise<void>;
}

let latchkey: Latchkey;
let workerd: Workerd;
let key: string;
const tenantId = newTenant();

beforeAll(async () => {
  latchkey = await startLatchkey();
  const { Miniflare } = await load<{ Miniflare: new (options: object) => Workerd }>("miniflare");
  workerd = new Miniflare({
    modulesRoot: "/",
    modules: [
      { type: "ESModule", path: "/index.mjs", contents: 'export { worker as default } from "./worker.mjs";' },
      { type: "ESModule", path: "/worker.mjs", contents: await bundled("fixtures/worker.ts") },
    ],
    compatibilityDate: "2025-01-01",
    bindings: { REGION: "eu" },
    // Otherwise it would call a server of Cloudflare's.
    cf: false,
  });
  const permissions = ["plans:read", "conversations:*"];
  ({ key } = await latchkey.createKey(await latchkey.dashboard(tenantId), { permissions }));
}, INSTALL_MS);

afterAll(async () => {
  await workerd.dispose();
  await latchkey.close();
});

async function bundled(path: string): Promise<string> {
  const bundle = await rolldown({ input: fileURLToPath(new URL(path, import.meta.url)), platform: "browser" });
  const { output } = await bundle.generate({ format: "esm" });
  return output[0].code;
}

/** What the worker answers, for a Latchkey at that place. */
async function visit(path: string, at: string, headers: Record<string, string>) {
  const url = `http://upstream${path}?at=${encodeURIComponent(at)}`;
  const answer = await workerd.dispatchFetch(url, { method: "POST", headers, body: '{"n":1}' });
  // The shape is the worker's.
  return { status: answer.status, headers: answer.headers, json: (await answer.json()) as JsonObject };
}

describe("in workerd, a guard", () => {
  test("admits a caller, and gives its handler env, ctx and a request without X-Auth-*", async () => {
    const claims = { "x-auth-tenant-id": "ten_other", x_auth_key_id: "key_other" };
    const { status, headers, json } = await visit("/plans", latchkey.url, { "x-api-key": key, ...claims });
    expect(headers.get("x-failure")).toBeNull();
    expect(status).toBe(200);
    expect(json).toMatchObject({
      caller: { kind: "secret_key", tenantId },
      isCaller: true,
      region: "eu",
      body: { n: 1 },
    });
    expect(json.headers).toContain("x-api-key");
    expect(json.headers).not.toContain("x-auth-tenant-id");
    expect(json.headers).not.toContain("x_auth_key_id");
    expect(headers.get("x-ratelimit-limit")).toBe("2147483647");
  });

  test("answers a denial as Latchkey does", async () => {
    const { status, json } = await visit("/plans", latchkey.url, {});
    expect([status, json.denial_reason]).toEqual([401, "missing_credentials"]);
  });
});

describe("in workerd, a client", () => {
  test("calls, waits for a reply, and has answers that print as JSON", async () => {
    const { json } = await visit("/client", latchkey.url, { "x-api-key": key });
    expect(json).toMatchObject({ text: "You said: Hi" });
    expect(json.answer.threads).toEqual([expect.objectContaining({ conversation_key: "c", message_count: 2 })]);
  });

  test("reads the reason of a denial", async () => {
    const { json } = await visit("/client", latchkey.url, { "x-api-key": "sk_nonsense" });
    expect(json).toMatchObject({ code: Code.Unauthenticated, denial: { reason: "api_key_not_found" } });
  });
});

test("in workerd, neither a guard nor a client follows a redirect, and the key is not sent to the target", async () => {
  let followed = 0;
  const target = createServer((_req, res) => {
    followed += 1;
    res.end("{}");
  });
  const targetUrl = `http://127.0.0.1:${await listenOnLoopback(target)}`;
  for (const status of [301, 302, 303, 307, 308]) {
    const source = await redirector(status, targetUrl);
    const guarded = await visit("/plans", source.url, { "x-api-key": key });
    expect(guarded.status).toBe(503);
    expect(guarded.headers.get("x-failure")).toContain(`a redirect (${status} to ${targetUrl}); none is followed`);
    const { json } = await visit("/client", source.url, { "x-api-key": key });
    expect(json).toMatchObject({ code: Code.Unknown, message: expect.stringContaining(`redirect (${status}`) });
    expect(source.received()).toBe(2);
    await source.close();
  }
  expect(followed).toBe(0);
  await closeAll(target);
});
