import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import express, { type ErrorRequestHandler } from "express";
import { type FastifyInstance, fastify } from "fastify";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as forExpress from "../../clients/typescript/src/server/express.ts";
import { latchkey as plugin } from "../../clients/typescript/src/server/fastify.ts";
import * as forHono from "../../clients/typescript/src/server/hono.ts";
import * as forNext from "../../clients/typescript/src/server/next.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { trusting } from "../harness/trusted-proxies.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

// What each framework's users expect beyond that requests are admitted and denied, which test/contract/client.guard.test.ts
// checks for all of them.

let latchkey: Latchkey;
beforeAll(async () => {
  latchkey = await startLatchkey({ config: { trustedProxies: trusting(["127.0.0.1"]) } });
});
afterAll(() => latchkey.close());

const TENANT = newTenant();

/** Headers of a new key with `plans:read`. */
async function keyHeaders(fields: object = {}): Promise<Record<string, string>> {
  const { key } = await latchkey.createKey(await latchkey.dashboard(TENANT), {
    permissions: ["plans:read"],
    ...fields,
  });
  return { "x-api-key": key };
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  onTestFinished(() => closeAll(server));
  return `http://127.0.0.1:${await listenOnLoopback(server)}`;
}

const misspelt = 'did you mean "plans:read"';

describe("Express", () => {
  test("guards one route, whose handler keeps the types of its path, and no other route", async () => {
    const guard = forExpress.createGuard({ baseUrl: latchkey.url });
    const app = express();
    app.get("/open", (req, res) => void res.json({ caller: req.caller ?? null }));
    app.get("/plans/:planId", guard("plans:read"), (req, res) => {
      const planId: string = req.params.planId;
      // @ts-expect-error the path has no such parameter
      req.params.other;
      res.json({ planId, tenantId: forExpress.callerOf(req).tenantId });
    });
    const url = await listen(createServer(app));
    expect(await (await fetch(`${url}/open`)).json()).toEqual({ caller: null });
    const headers = await keyHeaders();
    expect(await (await fetch(`${url}/plans/p1`, { headers })).json()).toEqual({ planId: "p1", tenantId: TENANT });
    expect((await fetch(`${url}/plans/p1`)).status).toBe(401);
  });

  test("gives the errors of handlers, and none of the guard's own denials, to the error handler", async () => {
    const app = express();
    app.use(forExpress.createGuard({ baseUrl: latchkey.url })("plans:read"));
    app.get("/", () => {
      throw new Error("a bug");
    });
    const seen: string[] = [];
    const onError: ErrorRequestHandler = (err, req, res, _next) => {
      seen.push(String(err), req.caller?.kind ?? "");
      res.sendStatus(500);
    };
    const url = await listen(createServer(app.use(onError)));
    expect((await fetch(url, { headers: await keyHeaders() })).status).toBe(500);
    expect((await fetch(url)).status).toBe(401);
    expect(seen).toEqual(["Error: a bug", "secret_key"]);
  });

  test("throws for a misspelt scope when the route is made", () => {
    expect(() => forExpress.createGuard({ baseUrl: latchkey.url })("plan:read")).toThrow(misspelt);
  });
});

describe("Fastify", () => {
  function newApp(options: object = {}): FastifyInstance {
    const app = fastify();
    onTestFinished(() => app.close());
    app.register(plugin, { baseUrl: latchkey.url, ...options });
    return app;
  }

  test("guards the routes that say so, also those made before the plugin is loaded, and in scopes within", async () => {
    const app = newApp();
    app.get("/plans", { config: { latchkey: "plans:read" } }, (request) => request.caller.tenantId);
    app.register(async (child) => {
      child.get<{ Params: { id: string } }>("/plans/:id", { config: { latchkey: ["plans:read"] } }, (request) => [
        request.params.id,
        request.caller.tenantId,
      ]);
    });
    app.get("/open", () => "open");
    const headers = await keyHeaders();
    expect((await app.inject({ url: "/plans" })).statusCode).toBe(401);
    expect((await app.inject({ url: "/plans", headers })).body).toBe(TENANT);
    expect((await app.inject({ url: "/plans/p1" })).statusCode).toBe(401);
    expect((await app.inject({ url: "/plans/p1", headers })).json()).toEqual(["p1", TENANT]);
    expect((await app.inject({ url: "/open" })).body).toBe("open");
  });

  test("guards every route, and unknown paths, with `scopes`, except those with `latchkey: false`", async () => {
    const app = newApp({ scopes: "plans:read" });
    app.get("/plans", () => "plans");
    app.get("/health", { config: { latchkey: false } }, () => "healthy");
    for (const url of ["/plans", "/nothing"]) expect((await app.inject({ url })).statusCode).toBe(401);
    expect((await app.inject({ url: "/health" })).body).toBe("healthy");
    expect((await app.inject({ url: "/nothing", headers: await keyHeaders() })).statusCode).toBe(404);
  });

  test("spends a request's cost once, for HEAD as for GET", async () => {
    const app = newApp();
    app.get("/plans", { config: { latchkey: { scopes: "plans:read", cost: 3 } } }, () => "plans");
    const headers = await keyHeaders({ rate_limit: { requests_per_minute: 10 } });
    const get = await app.inject({ method: "GET", url: "/plans", headers });
    const head = await app.inject({ method: "HEAD", url: "/plans", headers });
    expect([get, head].map((answer) => answer.headers["x-ratelimit-remaining"])).toEqual(["7", "4"]);
  });

  test("has a guard for hooks, such as a preHandler that runs after the body is parsed", async () => {
    const app = newApp();
    await app.after();
    app.post("/plans", { preHandler: app.requireScopes("plans:read") }, (request) => [
      request.body,
      request.caller.kind,
    ]);
    const payload = { n: 1 };
    expect((await app.inject({ method: "POST", url: "/plans", payload })).statusCode).toBe(401);
    const answer = await app.inject({ method: "POST", url: "/plans", payload, headers: await keyHeaders() });
    expect(answer.json()).toEqual([{ n: 1 }, "secret_key"]);
  });

  test("has no caller on a route without a guard", async () => {
    const app = newApp();
    app.get("/open", (request) => request.caller);
    const { statusCode, body } = await app.inject({ url: "/open", headers: await keyHeaders() });
    expect(statusCode).toBe(500);
    expect(body).toContain("no guard");
  });

  test("lets the app's own hooks see a denial", async () => {
    const app = newApp({ scopes: "plans:read" });
    app.addHook("onSend", async (_request, reply) => void reply.header("x-served-by", "plans"));
    app.get("/plans", () => "plans");
    const { statusCode, headers } = await app.inject({ url: "/plans" });
    expect([statusCode, headers["x-served-by"]]).toEqual([401, "plans"]);
  });

  test("throws for a misspelt scope when the route is made, or does not start", async () => {
    const app = newApp();
    await app.after();
    expect(() => app.get("/plans", { config: { latchkey: "plan:read" } }, () => "plans")).toThrow(misspelt);
    await expect(async () => newApp({ scopes: "plan:read" }).ready()).rejects.toThrow(misspelt);
    await expect(async () => newApp({ baseURL: "x" }).ready()).rejects.toThrow("baseURL");
  });
});

describe("Hono", () => {
  const guard = () => forHono.createGuard({ baseUrl: latchkey.url });

  test("has the caller in the context, for handlers and for routes below, and guards no other route", async () => {
    const app = new Hono()
      .get("/open", (c) => c.text("open"))
      .use("/plans/*", guard()("plans:read"))
      .get("/plans/:id", (c) => c.json([c.req.param("id"), c.var.caller.tenantId, c.get("caller").kind]));
    const headers = await keyHeaders();
    expect(await (await app.request("/open")).text()).toBe("open");
    expect((await app.request("/plans/p1")).status).toBe(401);
    expect(await (await app.request("/plans/p1", { headers })).json()).toEqual(["p1", TENANT, "secret_key"]);
  });

  test("adds the limit to responses that a handler makes by itself, and to those of errors", async () => {
    const app = new Hono()
      .use(guard()("plans:read"))
      .get("/own", () => Response.redirect("https://example.com/"))
      .get("/bug", () => {
        throw new Error("a bug");
      })
      .onError((_err, c) => c.text("sorry", 500));
    const headers = await keyHeaders({ rate_limit: { requests_per_minute: 10 } });
    const answers = [await app.request("/own", { headers }), await app.request("/bug", { headers })];
    expect(answers.map(({ status }) => status)).toEqual([302, 500]);
    expect(answers.map((answer) => answer.headers.get("x-ratelimit-remaining"))).toEqual(["9", "8"]);
  });

  test("sends the client's address as the platform knows it", async () => {
    const clientAddress = (c: Parameters<typeof getConnInfo>[0]) => getConnInfo(c).remote.address;
    const addresses: (string | null | undefined)[] = [];
    const serve = (override?: string) =>
      new Hono()
        .use(
          forHono.createGuard({
            baseUrl: latchkey.url,
            clientAddress: (c) => {
              addresses.push(clientAddress(c));
              return override ?? clientAddress(c);
            },
          })("plans:read"),
        )
        .get("/", (c) => c.text("in"));
    const headers = await keyHeaders({ allowed_ips: ["127.0.0.2"] });
    const allowed = await listen(createServer(getRequestListener(serve("127.0.0.2").fetch)));
    const actual = await listen(createServer(getRequestListener(serve().fetch)));
    expect((await fetch(allowed, { headers })).status).toBe(200);
    expect((await fetch(actual, { headers })).status).toBe(403);
    expect(addresses).toEqual(["127.0.0.1", "127.0.0.1"]);
  });

  test("throws for a misspelt scope when the route is made", () => {
    expect(() => guard()("plan:read")).toThrow(misspelt);
  });
});

// Inside of Next.js: test/peers/next.test.ts.
describe("Next.js", () => {
  const guard = () => forNext.createGuard({ baseUrl: latchkey.url });

  test("gives a handler its own kind of request, and the types of its parameters", async () => {
    class OwnRequest extends Request {
      readonly nextUrl = new URL(this.url);
    }
    const GET = guard()("plans:read", async (request: OwnRequest, { params, caller }: forNext.Guarded<Context>) => {
      const { planId } = await params;
      return Response.json([request.nextUrl.pathname, planId.length, caller.tenantId]);
    });
    interface Context {
      readonly params: Promise<{ readonly planId: string }>;
    }
    const request = new OwnRequest("http://upstream/plans/p1", { headers: await keyHeaders() });
    const answer = await GET(request, { params: Promise.resolve({ planId: "p1" }) });
    expect(await answer.json()).toEqual(["/plans/p1", 2, TENANT]);
    // @ts-expect-error the route has parameters
    const wrong = () => GET(request, {});
    expect(wrong).toBeTypeOf("function");
  });

  test("throws for a misspelt scope when the route is made", () => {
    expect(() => guard()("plan:read", () => new Response())).toThrow(misspelt);
  });
});
