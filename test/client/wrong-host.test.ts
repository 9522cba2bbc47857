// promise: guards.log, clients.wrong-host
import { createServer, type RequestListener } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Code, createLatchkeyClient } from "../../clients/typescript/src/index.ts";
import { createGuard } from "../../clients/typescript/src/server/index.ts";
import { listenOnLoopback } from "../servers/loopback.ts";
import { ok, type ScriptedService, type Step, startScriptedService } from "./scripted-service.ts";

let service: ScriptedService;

beforeAll(async () => {
  service = await startScriptedService();
});

afterAll(() => service.close());

const QUESTION = "is baseUrl that of a Latchkey service?";
const HTML = { "Content-Type": "text/html" };

describe.each<[what: string, code: Code, step: Step]>([
  ["a page", Code.Unknown, { status: 200, headers: HTML, body: "<h1>It works!</h1>" }],
  ["a page that is not there", Code.Unimplemented, { status: 404, headers: HTML, body: "<h1>Not Found</h1>" }],
  ["an API without that path", Code.Unimplemented, { status: 404, body: '{"message":"Not Found"}' }],
  ["an API that wants another login", Code.Unauthenticated, { status: 401, body: '{"error":"no"}' }],
  ["an API with codes of its own", Code.Unimplemented, { status: 404, body: '{"code":"NOT_FOUND","message":"no"}' }],
  ["an API whose login has codes", Code.Unauthenticated, { status: 401, body: '{"code":"NO_TOKEN","message":"no"}' }],
  ["a port that expects TLS", Code.Internal, { status: 400, headers: HTML, body: "<h1>HTTP to an HTTPS port</h1>" }],
  ["an API that takes other questions", Code.Internal, { status: 400, body: '{"code":"bad_request","message":"no"}' }],
  ["a server without POST", Code.Unknown, { status: 405, body: "" }],
  ["a server that fails", Code.Unknown, { status: 500, headers: HTML, body: "<h1>Error</h1>" }],
])("another host than Latchkey's, with %s", (_what, code, step) => {
  test("gets a question from the client, and no second call", async () => {
    service.play(step);
    const { gateway } = createLatchkeyClient({ baseUrl: service.url, apiKey: "sk_x" });
    await expect(gateway.listThreads({})).rejects.toMatchObject({
      code,
      rawMessage: expect.stringContaining(QUESTION),
    });
    expect(service.received).toHaveLength(1);
  });

  test("gets a question where a workload exchanges its token", async () => {
    service.play(step);
    const federation = { rule: `fed_${"0".repeat(32)}`, getAssertion: () => "eyJ" };
    const { gateway } = createLatchkeyClient({ baseUrl: service.url, federation, retry: { attemptsMax: 1 } });
    await expect(gateway.listThreads({})).rejects.toMatchObject({ rawMessage: expect.stringContaining(QUESTION) });
    expect(service.received.map(({ path }) => path)).toEqual(["/oauth/token"]);
  });

  test("gets a question from a guard", async () => {
    service.play(step);
    const errors: unknown[] = [];
    const guard = createGuard({ baseUrl: service.url, onError: (err) => void errors.push(err) });
    const handle = guard.fetch("plans:read", () => new Response("handled"));
    expect((await handle(new Request("http://upstream"))).status).toBe(503);
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining(QUESTION) })]);
  });
});

test.each(['"ok"', "[]", "null", "{}", '{"caller":"bob"}', '{"caller":5,"tenant_id":"t"}'])(
  "a guard asks about a host that answers what names no caller: %s",
  async (body) => {
    service.play(ok(JSON.parse(body)));
    const errors: unknown[] = [];
    const guard = createGuard({ baseUrl: service.url, onError: (err) => void errors.push(err) });
    const handle = guard.fetch([], () => new Response("handled"));
    expect((await handle(new Request("http://upstream"))).status).toBe(503);
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining(QUESTION) })]);
  },
);

describe("the edge of a guard", () => {
  const page: RequestListener = (_req, res) => void res.writeHead(404, HTML).end("<h1>Not Found</h1>");

  test.each<[what: string, server: () => Server]>([
    ["HTTP/1.1", () => createServer(page)],
    ["HTTP/2", () => createHttp2Server((_req, res) => void res.writeHead(404, HTML).end("<h1>Not Found</h1>"))],
  ])("asks about another host of %s", async (_what, make) => {
    const other = make();
    const baseUrl = `http://127.0.0.1:${await listenOnLoopback(other)}`;
    const errors: unknown[] = [];
    const edge = { token: "x".repeat(32), baseUrl };
    const guard = createGuard({ baseUrl: service.url, edge, onError: (err) => void errors.push(err) });
    const question = "is edge.baseUrl that of a Latchkey service with EDGE_TOKEN, on its ADMIN_PORT where it has one?";
    await expect.poll(() => errors[0]).toMatchObject({ message: expect.stringContaining(question) });
    await guard.edge?.close();
    other.close();
  });
});

test.each([302, 307])("the redirect of another host, %i, gets a question from each of them", async (status) => {
  const step: Step = { status, headers: { Location: "https://login.example.com/?ticket=1" } };
  const federation = { rule: `fed_${"0".repeat(32)}`, getAssertion: () => "eyJ" };
  for (const credentials of [{ apiKey: "sk_x" }, { federation }]) {
    service.play(step);
    const { gateway } = createLatchkeyClient({ baseUrl: service.url, ...credentials });
    await expect(gateway.listThreads({})).rejects.toMatchObject({ rawMessage: expect.stringContaining(QUESTION) });
    expect(service.received).toHaveLength(1);
  }
});

test("an error of Latchkey's own, or of a proxy before it, is not another host", async () => {
  const { gateway } = createLatchkeyClient({ baseUrl: service.url, apiKey: "sk_x", retry: { attemptsMax: 1 } });
  for (const step of [
    { status: 404, body: JSON.stringify({ code: "not_found", message: "no such conversation" }) },
    { status: 503, headers: HTML, body: "<h1>503</h1>" },
  ]) {
    service.play(step);
    await expect(gateway.listThreads({})).rejects.not.toMatchObject({ rawMessage: expect.stringContaining(QUESTION) });
  }
});

test("a guard without onError logs the first failure, and no other; one with it logs none", async () => {
  const logged = vi.spyOn(console, "error").mockReturnValue();
  try {
    service.play({ status: 404, headers: HTML, body: "" });
    const call = (guard: ReturnType<typeof createGuard>) =>
      guard.fetch("plans:read", () => new Response())(new Request("http://upstream"));
    const guard = createGuard({ baseUrl: service.url });
    for (let count = 0; count < 3; count += 1) expect((await call(guard)).status).toBe(503);
    expect(logged.mock.calls).toEqual([
      [
        expect.stringMatching(/^@latchkey\/client: credentials could not be checked\. .* onError/),
        expect.objectContaining({ message: expect.stringContaining(QUESTION) }),
      ],
    ]);
    await call(createGuard({ baseUrl: service.url, onError: () => {} }));
    service.play(ok({ caller: "CALLER_SECRET_KEY", tenant_id: "ten_1" }));
    expect((await call(createGuard({ baseUrl: service.url }))).status).toBe(200);
    expect(logged).toHaveBeenCalledTimes(1);
  } finally {
    logged.mockRestore();
  }
});
