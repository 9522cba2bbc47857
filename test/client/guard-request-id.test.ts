// promise: guards.request-id
import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import express, { type RequestHandler } from "express";
import { fastify } from "fastify";
import { Hono } from "hono";
import { expect, onTestFinished, test } from "vitest";
import * as forExpress from "../../clients/typescript/src/server/express.ts";
import { latchkey } from "../../clients/typescript/src/server/fastify.ts";
import * as forHono from "../../clients/typescript/src/server/hono.ts";
import { createGuard } from "../../clients/typescript/src/server/index.ts";
import * as forNext from "../../clients/typescript/src/server/next.ts";
import { UPSTREAMS, type UpstreamKind } from "../harness/upstreams.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

// That each guard answers with the id of the decision: test/contract/client.guard.test.ts.

const options = {
  baseUrl: "https://keys.example",
  fetch: async () =>
    Response.json(
      { caller: "CALLER_SECRET_KEY", tenant_id: "ten_1", key_id: "key_1" },
      { headers: { "X-Request-Id": "req_1", "X-RateLimit-Remaining": "4" } },
    ),
};
/** Those of the service itself, of which its log has the first. */
const OWN = { "X-Request-Id": "own", "X-RateLimit-Remaining": "9" };
const guard = createGuard(options);
const own = () => new Response("", { headers: OWN });
const numbered: RequestHandler = (_req, res, next) => {
  res.setHeader("X-Request-Id", "own");
  next();
};
const ended: RequestHandler = (_req, res) => void res.end();
const served = (handle: (request: Request) => Promise<Response> | Response): Server =>
  createServer(getRequestListener(handle));

/** Services that have given their requests an id before the guard decides, or in their handler. */
const SERVICES: Record<UpstreamKind | "guard.mcp" | "guard.mcp.fetch", () => Server> = {
  "node:http": () =>
    createServer((req, res) => {
      res.setHeader("X-Request-Id", "own");
      guard.node([])(req, res, () => void res.end());
    }),
  "guard.node in Express": () => createServer(express().use(numbered, guard.node([]), ended)),
  Express: () => createServer(express().use(numbered, forExpress.createGuard(options)([]), ended)),
  "guard.node in Fastify": () => {
    const app = fastify();
    app.addHook("onRequest", async (_request, reply) => void reply.raw.setHeader("X-Request-Id", "own"));
    app.addHook("onRequest", guard.node([]));
    app.get("/", () => "");
    return serverOf(app);
  },
  Fastify: () => {
    const app = fastify();
    app.addHook("onRequest", async (_request, reply) => void reply.header("X-Request-Id", "own"));
    app.register(latchkey, { ...options, scopes: [] });
    app.get("/", () => "");
    return serverOf(app);
  },
  Hono: () => served(new Hono().get("/", forHono.createGuard(options)([]), own).fetch),
  "guard.fetch": () => served(guard.fetch([], own)),
  "Next.js": () => served((request) => forNext.createGuard(options)([], own)(request, { params: Promise.resolve({}) })),
  "guard.mcp": () => createServer(express().use(numbered, guard.mcp({ tools: {} }).node, ended)),
  "guard.mcp.fetch": () => served(guard.mcp({ tools: {} }).fetch(own)),
};

/** Fastify answers on this server once it is ready. */
function serverOf(app: ReturnType<typeof fastify>): Server {
  onTestFinished(() => app.close());
  return createServer(async (req, res) => {
    await app.ready();
    app.routing(req, res);
  });
}

test("all guards are here", () => {
  expect(Object.keys(SERVICES)).toEqual(expect.arrayContaining(UPSTREAMS));
});

test.each(Object.entries(SERVICES))("an answer's own X-Request-Id stays behind a guard: %s", async (_kind, start) => {
  const server = start();
  onTestFinished(() => closeAll(server));
  const { status, headers } = await fetch(`http://127.0.0.1:${await listenOnLoopback(server)}/`);
  expect([status, headers.get("x-request-id")]).toEqual([200, "own"]);
  expect(headers.get("x-ratelimit-remaining")).toBe("4");
});
