import { createServer, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";
import { createGuard as createExpressGuard } from "../../clients/typescript/src/server/express.ts";
import { latchkey } from "../../clients/typescript/src/server/fastify.ts";
import { createGuard as createHonoGuard } from "../../clients/typescript/src/server/hono.ts";
import {
  callerOf,
  createGuard,
  type GuardOptions,
  type RequestOptions,
  type VerifiedCaller,
} from "../../clients/typescript/src/server/index.ts";
import { createGuard as createNextGuard } from "../../clients/typescript/src/server/next.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

/** What an upstream's handler saw, as it answers it. */
export interface Seen {
  readonly caller: VerifiedCaller;
  /** Every place where a handler may look for a header. */
  readonly headers: readonly string[];
  readonly body: unknown;
}

export interface Upstream {
  readonly url: string;
  /** Requests that came as far as the handler. */
  handled(): number;
  close(): Promise<void>;
}

export type UpstreamKind = keyof typeof STARTERS;

/** A service behind a guard, written as its framework's users do: POST /plans answers what its handler saw. */
export async function startUpstream(
  kind: UpstreamKind,
  guard: Options,
  scopes: string | string[],
  options?: RequestOptions,
): Promise<Upstream> {
  const count = { handled: 0 };
  const starter: Starter = STARTERS[kind];
  return { ...(await starter({ guard, scopes, options }, count)), handled: () => count.handled };
}

/** Those that each framework has. */
type Options = Omit<GuardOptions, "clientAddress">;

interface Guarded {
  readonly guard: Options;
  readonly scopes: string | string[];
  readonly options: RequestOptions | undefined;
}

type Starter = (guarded: Guarded, count: { handled: number }) => Promise<Pick<Upstream, "url" | "close">>;

const STARTERS = {
  "node:http": ({ guard, scopes, options }: Guarded, count) => {
    const check = createGuard(guard).node(scopes, options);
    return listen(
      createServer((req, res) =>
        check(req, res, async () => {
          count.handled += 1;
          const body = JSON.parse(await text(req));
          res.setHeader("Content-Type", "application/json");
          res.end(JSON.stringify({ caller: callerOf(req), headers: nodeHeaders(req), body } satisfies Seen));
        }),
      ),
    );
  },

  "guard.node in Express": ({ guard, scopes, options }, count) => {
    const app = express();
    app.use(createGuard(guard).node(scopes, options));
    app.use(express.json());
    app.post("/plans", (req, res) => {
      count.handled += 1;
      res.json({ caller: callerOf(req), headers: nodeHeaders(req), body: req.body } satisfies Seen);
    });
    return listen(createServer(app));
  },

  Express: ({ guard, scopes, options }, count) => {
    const app = express();
    app.post("/plans", createExpressGuard(guard)(scopes, options), express.json(), (req, res) => {
      count.handled += 1;
      if (req.caller !== callerOf(req)) throw new Error("the request's caller is another");
      res.json({ caller: req.caller, headers: nodeHeaders(req), body: req.body } satisfies Seen);
    });
    return listen(createServer(app));
  },

  "guard.node in Fastify": async ({ guard, scopes, options }, count) => {
    const app = fastify();
    app.addHook("onRequest", createGuard(guard).node(scopes, options));
    app.post("/plans", async (request) => {
      count.handled += 1;
      const headers = [...nodeHeaders(request.raw), ...Object.keys(request.headers)];
      return { caller: callerOf(request), headers, body: request.body } satisfies Seen;
    });
    return { url: await app.listen({ port: 0, host: "127.0.0.1" }), close: () => app.close() };
  },

  Fastify: async ({ guard, scopes, options }, count) => {
    const app = fastify();
    app.register(latchkey, guard);
    app.post("/plans", { config: { latchkey: { scopes, ...options } } }, async (request) => {
      count.handled += 1;
      if (request.caller !== callerOf(request)) throw new Error("the request's caller is another");
      const headers = [...nodeHeaders(request.raw), ...Object.keys(request.headers)];
      return { caller: request.caller, headers, body: request.body } satisfies Seen;
    });
    return { url: await app.listen({ port: 0, host: "127.0.0.1" }), close: () => app.close() };
  },

  Hono: ({ guard, scopes, options }, count) => {
    const app = new Hono().post("/plans", createHonoGuard(guard)(scopes, options), async (c) => {
      count.handled += 1;
      if (c.var.caller !== callerOf(c.req.raw)) throw new Error("the request's caller is another");
      const headers = [...Object.keys(c.req.header()), ...c.req.raw.headers.keys()];
      return c.json({ caller: c.var.caller, headers, body: await c.req.json() } satisfies Seen);
    });
    return listen(createServer(getRequestListener(app.fetch)));
  },

  "guard.fetch": ({ guard, scopes, options }, count) =>
    listenForFetch(
      createGuard(guard).fetch(
        scopes,
        async (request, caller) => {
          count.handled += 1;
          if (callerOf(request) !== caller) throw new Error("the request's caller is another");
          return Response.json(await seenBy(request, caller));
        },
        options,
      ),
    ),

  // In Next.js itself: test/peers/next.test.ts.
  "Next.js": ({ guard, scopes, options }, count) => {
    const handle = createNextGuard(guard)(
      scopes,
      async (request, { caller }) => {
        count.handled += 1;
        if (callerOf(request) !== caller) throw new Error("the request's caller is another");
        return Response.json(await seenBy(request, caller));
      },
      options,
    );
    return listenForFetch((request) => handle(request, { params: Promise.resolve({}) }));
  },
} satisfies Record<string, Starter>;

export const UPSTREAMS = Object.keys(STARTERS).filter(isKind);

function isKind(name: string): name is UpstreamKind {
  return Object.hasOwn(STARTERS, name);
}

async function seenBy(request: Request, caller: VerifiedCaller): Promise<Seen> {
  return { caller, headers: [...request.headers.keys()], body: await request.json() };
}

/** A server for a handler of web requests. */
function listenForFetch(handle: (request: Request) => Promise<Response>): Promise<Pick<Upstream, "url" | "close">> {
  return listen(
    createServer(async (req, res) => {
      const headers = new Headers();
      for (let i = 0; i < req.rawHeaders.length; i += 2) {
        headers.append(req.rawHeaders[i] ?? "", req.rawHeaders[i + 1] ?? "");
      }
      const body = await text(req);
      const answer = await handle(new Request("http://upstream/plans", { method: "POST", headers, body }));
      res.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    }),
  );
}

function nodeHeaders(req: IncomingMessage): string[] {
  const raw = req.rawHeaders.filter((_, i) => i % 2 === 0);
  return [...raw, ...Object.keys(req.headers), ...Object.keys(req.headersDistinct)].map((name) => name.toLowerCase());
}

async function listen(server: Server): Promise<Pick<Upstream, "url" | "close">> {
  const port = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}`, close: () => closeAll(server) };
}
