// promise: clients.user-agent
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import clientPackage from "../../clients/typescript/package.json" with { type: "json" };
import { createLatchkeyClient } from "../../clients/typescript/src/index.ts";
import { createGuard } from "../../clients/typescript/src/server/index.ts";
import { userAgent } from "../../clients/typescript/src/user-agent.ts";
import packageJson from "../../package.json" with { type: "json" };
import { latchkey } from "../cli/command-line.ts";
import { type ScriptedService, startScriptedService } from "./scripted-service.ts";

const NAME = `latchkey-typescript/${clientPackage.version}`;

let service: ScriptedService;
beforeAll(async () => {
  service = await startScriptedService();
});
afterAll(() => service.close());

const sent = () => service.received.map(({ headers }) => headers["user-agent"]);

test("the TypeScript client names itself with its version, and a call's own name stays", async () => {
  const client = createLatchkeyClient({ baseUrl: service.url, apiKey: "sk_x" });
  service.play({ status: 200 });
  await client.gateway.listThreads({});
  await client.gateway.listThreads({}, { headers: { "User-Agent": "my-app/2" } });
  expect(sent()).toEqual([NAME, "my-app/2"]);
});

test("so does its guard, whatever the guarded request has", async () => {
  service.play({ status: 401, body: '{"code":"unauthenticated","denial_reason":"missing_credentials"}' });
  const handler = createGuard({ baseUrl: service.url }).fetch("plans:read", () => new Response());
  const { status } = await handler(new Request("https://guarded.example", { headers: { "User-Agent": "a browser" } }));
  expect({ status, sent: sent() }).toEqual({ status: 401, sent: [NAME] });
});

test("the command line names itself", async () => {
  service.play({ status: 200 });
  await latchkey(["keys", "list"], { env: { LATCHKEY_URL: service.url, LATCHKEY_TOKEN: "token" } });
  expect(sent()).toEqual([`latchkey-cli/${packageJson.version}`]);
});

test("in a browser it sends none: with one, each call would need a permission of CORS that it does not get", () => {
  Object.assign(globalThis, { document: {} });
  try {
    expect(userAgent()).toBeUndefined();
  } finally {
    Reflect.deleteProperty(globalThis, "document");
  }
  expect(userAgent()).toBe(NAME);
});

describe("the version is that of the release in", () => {
  test.each([
    ["clients/typescript/package.json", /"version": "(.*)"/],
    ["clients/typescript/src/user-agent.ts", /VERSION = "(.*)"/],
    ["clients/python/pyproject.toml", /^version = "(.*)"/m],
    ["clients/python/src/latchkey/_version.py", /^VERSION = "(.*)"/m],
    ["clients/swift/Sources/Latchkey/Version.swift", /latchkeyVersion = "(.*)"/],
    ["clients/go/version.go", /version = "(.*)"/],
  ])("%s", async (path, pattern) => {
    const text = await readFile(new URL(`../../${path}`, import.meta.url), "utf8");
    expect(pattern.exec(text)?.[1]).toBe(packageJson.version);
  });
});
