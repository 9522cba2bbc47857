import { createServer, type IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callerOf, createGuard, type Guard, type GuardOptions } from "../../clients/typescript/src/server/index.ts";
import { closeAll, listenOnLoopback, portOf } from "../servers/loopback.ts";

const CALLER = { caller: "CALLER_SECRET_KEY", tenant_id: "ten_1", key_id: "key_1" };
const CLAIMS = { "x-auth-tenant-id": "ten_other", "X-Auth-Anything": "1", x_auth_user_id: "admin" };

let received: IncomingHttpHeaders = {};
const standIn = createServer((req, res) => {
  received = req.headers;
  res.writeHead(200, { "Content-Type": "application/json", "X-RateLimit-Limit": "9" }).end(JSON.stringify(CALLER));
});
let guard: Guard;

beforeAll(async () => {
  guard = createGuard({ baseUrl: `http://127.0.0.1:${await listenOnLoopback(standIn)}` });
});

afterAll(() => closeAll(standIn));

const incoming = (headers: Record<string, string> = {}) =>
  new Request("http://upstream/plans", { method: "POST", headers: { "x-api-key": "sk_x", ...headers }, body: "text" });

const names = (request: Request) => [...request.headers.keys()];

/** A request as Deno and Cloudflare's workerd give it: none of its headers can be changed. */
function immutable(request: Request): Request {
  for (const name of ["append", "delete", "set"] as const) {
    Object.defineProperty(request.headers, name, {
      value: () => {
        throw new TypeError("Cannot change headers: headers are immutable");
      },
    });
  }
  return request;
}

/** A request as Next.js gives it: a proxy, which cannot be copied. */
function proxied(request: Request): Request {
  return new Proxy(request, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe("the client's address", () => {
  const sent = async (clientAddress?: GuardOptions["clientAddress"]) => {
    const own = createGuard({ baseUrl: `http://127.0.0.1:${portOf(standIn)}`, clientAddress });
    const handle = own.fetch("plans:read", (_request, _caller, _info: { hostname: string }) => new Response());
    await handle(incoming({ "x-forwarded-for": "192.0.2.66", forwarded: "for=192.0.2.66" }), { hostname: "192.0.2.7" });
    return [received["x-forwarded-for"], received.forwarded];
  };

  test("is what clientAddress returns, and nothing that a client wrote", async () => {
    expect(await sent((_request, info) => (info as { hostname: string }).hostname)).toEqual(["192.0.2.7", undefined]);
    for (const none of [undefined, () => undefined, () => null, () => ""])
      expect(await sent(none)).toEqual([undefined, undefined]);
  });
});

describe("a guarded handler of web requests", () => {
  test("gets the further argument of its framework", async () => {
    const params = Promise.resolve({ planId: "p1" });
    const get = guard.fetch(
      "plans:read",
      async (_request, caller, context: { params: Promise<{ planId: string }> }) => {
        return Response.json([caller.tenantId, (await context.params).planId]);
      },
    );
    expect(await (await get(incoming(), { params })).json()).toEqual(["ten_1", "p1"]);
  });

  test("gets several further arguments, as of a worker, also optional ones", async () => {
    const seen: unknown[] = [];
    const handle = guard.fetch("plans:read", (_request, _caller, env: { region: string }, ctx?: { id: number }) => {
      seen.push(env, ctx);
      return new Response();
    });
    await handle(incoming(), { region: "eu" }, { id: 1 });
    await handle(incoming(), { region: "us" });
    expect(seen).toEqual([{ region: "eu" }, { id: 1 }, { region: "us" }, undefined]);
  });

  test.each<[string, (request: Request) => Request]>([
    ["can be changed", (request) => request],
    ["cannot be changed", immutable],
    ["belong to a proxy", proxied],
  ])(
    "finds the caller on its request and on the one that came, where claims were sent and headers %s",
    async (_, as) => {
      const request = as(incoming(CLAIMS));
      const handle = guard.fetch("plans:read", async (given, caller) => {
        expect(names(given)).toContain("x-api-key");
        expect(names(given).filter((name) => /^x[-_]auth[-_]/.test(name))).toEqual([]);
        for (const each of [given, request]) expect(callerOf(each)).toBe(caller);
        expect(caller).toMatchObject({ tenantId: "ten_1", keyId: "key_1", userId: undefined });
        return new Response(await given.text());
      });
      expect(await (await handle(request)).text()).toBe("text");
    },
  );

  test("gets the original request with its framework's additions, also if claims were sent", async () => {
    class FrameworkRequest extends Request {}
    const request = new FrameworkRequest("http://upstream", { headers: { ...CLAIMS, "x-api-key": "sk_x" } });
    const handle = guard.fetch("plans:read", (given) => new Response(String(given === request)));
    expect(await (await handle(request)).text()).toBe("true");
  });

  test("answers with every member of its response, and adds the limit", async () => {
    const response = new Response(null, { status: 201, statusText: "Made", headers: { Location: "/plans/1" } });
    response.headers.append("Set-Cookie", "a=1");
    response.headers.append("Set-Cookie", "b=2");
    const answer = await guard.fetch("plans:read", () => response)(incoming());
    expect([answer.status, answer.statusText, answer.headers.get("location")]).toEqual([201, "Made", "/plans/1"]);
    expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(answer.headers.get("x-ratelimit-limit")).toBe("9");
    const redirect = await guard.fetch("plans:read", () => Response.redirect("http://upstream/x"))(incoming());
    expect([redirect.status, redirect.headers.get("x-ratelimit-limit")]).toEqual([302, "9"]);
  });
});

test("a denied request has no caller, whatever it claims", async () => {
  const lost = createGuard({ baseUrl: "http://127.0.0.1:1" });
  const request = incoming(CLAIMS);
  expect((await lost.fetch("plans:read", () => new Response("handled"))(request)).status).toBe(503);
  expect(() => callerOf(request)).toThrow("no guard");
});
