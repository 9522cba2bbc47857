import { createServer, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";
import express from "express";
import { fastify } from "fastify";
import {
  callerOf,
  type Guard,
  type RequestOptions,
  type VerifiedCaller,
} from "../../clients/typescript/src/server/index.ts";
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

export type UpstreamKind = "node:http" | "express" | "fastify" | "web requests";
export const UPSTREAMS: readonly UpstreamKind[] = ["node:http", "express", "fastify", "web requests"];

/** A service behind a guard, written as its framework's users do: POST /plans answers what its handler saw. */
export async function startUpstream(
  kind: UpstreamKind,
  guard: Guard,
  scopes: string | string[],
  options?: RequestOptions,
): Promise<Upstream> {
  const count = { handled: 0 };
  const asking: Guard = {
    node: (asked) => guard.node(asked, options),
    fetch: (asked, handler) => guard.fetch(asked, handler, options),
  };
  return { ...(await STARTERS[kind](asking, scopes, count)), handled: () => count.handled };
}

type Starter = (
  guard: Guard,
  scopes: string | string[],
  count: { handled: number },
) => Promise<Pick<Upstream, "url" | "close">>;

const STARTERS: Record<UpstreamKind, Starter> = {
  "node:http": (guard, scopes, count) => {
    const check = guard.node(scopes);
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

  express: (guard, scopes, count) => {
    const app = express();
    app.use(guard.node(scopes));
    app.use(express.json());
    app.post("/plans", (req, res) => {
      count.handled += 1;
      res.json({ caller: callerOf(req), headers: nodeHeaders(req), body: req.body } satisfies Seen);
    });
    return listen(createServer(app));
  },

  fastify: async (guard, scopes, count) => {
    const app = fastify();
    app.addHook("onRequest", guard.node(scopes));
    app.post("/plans", async (request) => {
      count.handled += 1;
      const headers = [...nodeHeaders(request.raw), ...Object.keys(request.headers)];
      return { caller: callerOf(request), headers, body: request.body } satisfies Seen;
    });
    return { url: await app.listen({ port: 0, host: "127.0.0.1" }), close: () => app.close() };
  },

  "web requests": (guard, scopes, count) => {
    const handle = guard.fetch(scopes, async (request, caller) => {
      count.handled += 1;
      if (callerOf(request) !== caller) throw new Error("the request's caller is another");
      return Response.json({ caller, headers: [...request.headers.keys()], body: await request.json() } satisfies Seen);
    });
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
  },
};

function nodeHeaders(req: IncomingMessage): string[] {
  const raw = req.rawHeaders.filter((_, i) => i % 2 === 0);
  return [...raw, ...Object.keys(req.headers), ...Object.keys(req.headersDistinct)].map((name) => name.toLowerCase());
}

async function listen(server: Server): Promise<Pick<Upstream, "url" | "close">> {
  const port = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}`, close: () => closeAll(server) };
}
