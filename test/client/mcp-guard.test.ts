// promise: guards.mcp
import { createServer, type IncomingMessage } from "node:http";
import express from "express";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  callerOf,
  createGuard,
  type McpGuard,
  type McpOptions,
  messageOf,
  type VerifiedCaller,
} from "../../clients/typescript/src/server/index.ts";
import { accessRules } from "../harness/access-rules.ts";
import { post } from "../harness/http.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";
import { compileMcpPolicies, type McpPolicies } from "./mcp-policies.ts";

const TENANT = newTenant();
const OPERATOR_TENANT = newTenant();
const METADATA = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp";
const resource = { url: "https://mcp.example.com/mcp", authorizationServers: ["https://idp.example.com"] };

let latchkey: Latchkey;
let policies: McpPolicies;

beforeAll(async () => {
  [latchkey, policies] = await Promise.all([
    startLatchkey({ config: { access: accessRules({ rolesClaim: "roles", operatorTenant: OPERATOR_TENANT }) } }),
    compileMcpPolicies(),
  ]);
});

afterAll(() => latchkey.close());

async function key(
  permissions: readonly string[],
  fields: object = {},
  tenant_id = TENANT,
): Promise<Record<string, string>> {
  const dashboard = { authorization: `Bearer ${await latchkey.dashboardToken({ tenant_id, roles: ["owner"] })}` };
  return { "x-api-key": (await latchkey.createKey(dashboard, { permissions, ...fields })).key };
}

async function user(...roles: string[]): Promise<Record<string, string>> {
  return { authorization: `Bearer ${await latchkey.dashboardToken({ tenant_id: TENANT, roles })}` };
}

const call = (name: unknown, more: object = {}) => ({
  ...{ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name, arguments: {} } },
  ...more,
});
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

interface Server {
  readonly url: string;
  handled: unknown[];
}

/** Servers that answer what their handler got, by each form of the guard. */
const FORMS: Record<string, (mcp: McpGuard, handled: unknown[]) => Parameters<typeof createServer>[1]> = {
  "node:http": (mcp, handled) => (req, res) =>
    mcp.node(req, res, () => {
      handled.push(messageOf(req));
      res.setHeader("Content-Type", "application/json").end(JSON.stringify(seen(callerOf(req), messageOf(req))));
    }),
  Express: (mcp, handled) => {
    const app = express();
    app.use(express.json(), mcp.node, (req, res) => {
      handled.push(req.body);
      res.json(seen(callerOf(req), messageOf(req)));
    });
    return app;
  },
  "Express with the parser of an older one": (mcp, handled) => {
    const app = express();
    const parse = express.json();
    const older: express.RequestHandler = (req, res, next) =>
      parse(req, res, (err?: unknown) => {
        req.body ??= {};
        next(err);
      });
    app.use(older, mcp.node, (req, res) => {
      handled.push(req.body);
      res.json(seen(callerOf(req), messageOf(req)));
    });
    return app;
  },
  "Express without a parser": (mcp, handled) => {
    const app = express();
    app.use(mcp.node, (req, res) => {
      handled.push(req.body);
      res.json(seen(callerOf(req), req.body));
    });
    return app;
  },
  "web requests": (mcp, handled) => {
    const handle = mcp.fetch(async (request, caller) => {
      if (callerOf(request) !== caller) throw new Error("the request's caller is another");
      const text = await request.text();
      handled.push(text === "" ? undefined : JSON.parse(text));
      const claims = [...request.headers.keys()].filter((name) => /^x[-_]auth[-_]/.test(name));
      if (claims.length > 0) throw new Error(`claims: ${claims}`);
      return Response.json(seen(caller, text === "" ? undefined : JSON.parse(text)));
    });
    return async (req, res) => {
      const body = req.method === "GET" ? {} : { body: await bytesOf(req) };
      const headers = new Headers();
      for (let n = 0; n < req.rawHeaders.length; n += 2)
        headers.append(req.rawHeaders[n] ?? "", req.rawHeaders[n + 1] ?? "");
      const answer = await handle(new Request("http://mcp/mcp", { method: req.method ?? "", headers, ...body }));
      res.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    };
  },
};

async function bytesOf(req: IncomingMessage): Promise<Uint8Array> {
  return Buffer.concat(await req.toArray());
}

function seen({ kind, tenantId }: VerifiedCaller, message: unknown): object {
  return { kind, tenantId, message };
}

describe.each(Object.entries(FORMS))("an MCP server behind a guard of %s", (_form, listenerOf) => {
  const servers: ReturnType<typeof createServer>[] = [];
  let server: Server;

  async function start(options: McpOptions): Promise<Server> {
    const handled: unknown[] = [];
    const mcp = createGuard({ baseUrl: latchkey.url }).mcp(options);
    const http = createServer(listenerOf(mcp, handled));
    servers.push(http);
    return { url: `http://127.0.0.1:${await listenOnLoopback(http)}`, handled };
  }

  beforeAll(async () => {
    server = await start({
      tools: {
        search: "conversations:read",
        both: ["plans:read", "plans:write"],
        whoami: [],
        write: policies.method("Write"),
      },
      messageBytesMax: 10_000,
    });
  });

  afterAll(() => Promise.all(servers.map(closeAll)));

  const send = (body: unknown, headers: Record<string, string>, to = server) => post(to.url, "/mcp", body, headers);

  test("passes a call whose caller has the tool's scopes, and hands on the message", async () => {
    const headers = { ...(await key(["conversations:*"])), "x-auth-tenant-id": "ten_other" };
    const { status, json } = await send(call("search"), headers);
    expect(status).toBe(200);
    expect(json).toEqual({ kind: "secret_key", tenantId: TENANT, message: call("search") });
    expect((await send(call("whoami"), await key(["billing:read"]))).status).toBe(200);
  });

  test("answers a call without them 403, names them, and runs nothing", async () => {
    const before = server.handled.length;
    const { status, json, headers } = await send(call("both"), await key(["conversations:*"]));
    expect([status, json.denial_reason]).toEqual([403, "insufficient_scope"]);
    expect(headers.get("www-authenticate")).toContain('error="insufficient_scope"');
    expect(json.message).toContain("plans:");
    expect((await send(call("search"), {})).json.denial_reason).toBe("missing_credentials");
    expect(server.handled.length).toBe(before);
  });

  test("answers an unlisted tool as a server answers an unknown one, but only to callers", async () => {
    const before = server.handled.length;
    for (const name of ["drop", "constructor", "__proto__", undefined, 7]) {
      const { status, json } = await send(call(name), await key(["*"]));
      expect([status, json.error.code, json.id]).toEqual([200, -32_602, 7]);
    }
    expect((await send(call("drop"), { "x-api-key": "sk_x" })).status).toBe(401);
    expect(server.handled.length).toBe(before);
  });

  test("passes other methods for any caller", async () => {
    expect((await send(LIST, await key(["billing:read"]))).json.message).toEqual(LIST);
    expect((await send(LIST, {})).status).toBe(401);
  });

  test("takes no batch and no text, but from callers", async () => {
    const headers = await key(["*"]);
    expect((await send([call("search")], headers)).json.error.code).toBe(-32_600);
    expect((await send([], { "x-api-key": "sk_x" })).status).toBe(401);
    const raw = (body: string, more = "") =>
      sendRaw(
        server.url,
        `POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nX-API-Key: ${headers["x-api-key"]}\r\n${more}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
    expect(await raw("{")).toMatch(/^HTTP\/1.1 400 /);
    expect(await raw(`"${"x".repeat(20_000)}"`)).toMatch(/^HTTP\/1.1 413 /);
  });

  test("decides by what the handler gets, where members are there twice", async () => {
    const headers = await key(["billing:read"]);
    const text =
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"whoami","name":"search"}}';
    const answer = await fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: text,
    });
    expect(answer.status).toBe(403);
  });

  test("decides on a message by whatever method, and of whatever type", async () => {
    const headers = await key(["billing:read"]);
    for (const [method, type] of [
      ["PUT", "application/json"],
      ["POST", "text/plain"],
    ] as const) {
      const body = JSON.stringify(call("search"));
      const answer = await fetch(`${server.url}/mcp`, { method, headers: { ...headers, "content-type": type }, body });
      expect(answer.status, `${method} ${type}`).toBe(403);
    }
  });

  test("passes a GET, as of a stream, for callers without reading a message", async () => {
    const get = (headers: Record<string, string>) => fetch(`${server.url}/mcp`, { headers });
    expect(await (await get(await key(["billing:read"]))).json()).toEqual({ kind: "secret_key", tenantId: TENANT });
    expect((await get({})).status).toBe(401);
  });

  test("asks every message for the scopes of the server, and spends its cost", async () => {
    const costly = await start({ tools: { search: "conversations:read" }, scopes: "plans:read", cost: 4 });
    expect((await send(LIST, await key(["conversations:*"]), costly)).status).toBe(403);
    const headers = await key(["conversations:*", "plans:read"], { rate_limit: { requests_per_minute: 10 } });
    const answers = [];
    for (let n = 0; n < 3; n++) answers.push(await send(call("search"), headers, costly));
    expect(answers.map(({ status, headers: sent }) => [status, sent.get("x-ratelimit-remaining")])).toEqual([
      [200, "6"],
      [200, "2"],
      [429, "0"],
    ]);
  });

  // threat: D17
  test("decides by the policy of an RPC: kinds of caller, scopes and whole domains", async () => {
    const tools = {
      write: policies.method("Write"),
      me: policies.method("Me"),
      users: policies.method("Users"),
      make: policies.method("Make"),
    };
    const own = await start({ tools });
    const statuses = async (headers: Record<string, string>) => {
      const answers = [];
      for (const name of Object.keys(tools)) answers.push((await send(call(name), headers, own)).status);
      return answers;
    };
    expect(await statuses(await key(["plans:write"]))).toEqual([200, 200, 403, 200]);
    expect(await statuses(await key(["plans:read"]))).toEqual([403, 200, 403, 403]);
    expect(await statuses(await user("owner"))).toEqual([200, 200, 200, 403]);
    expect(await statuses(await user("viewer"))).toEqual([403, 200, 200, 403]);
    const refused = await send(call("users"), await key(["*"]), own);
    expect(refused.json.message).toContain("An API key cannot do this");
    const token = async (...scopes: string[]) => {
      const { json } = await latchkey.call("/api/v1/tokens/derive", { scopes }, await key(["plans:*"]));
      return { authorization: `Bearer ${json.result.token}` };
    };
    expect(await statuses(await token("plans:write"))).toEqual([200, 200, 403, 403]);
    expect(await statuses(await token("plans:read"))).toEqual([403, 200, 403, 403]);
  });
});

describe("of a stranger nothing is read", () => {
  const guard = () => createGuard({ baseUrl: latchkey.url }).mcp({ tools: { search: "conversations:read" } });

  // threat: B24
  test("on Node, where the message never comes", async () => {
    const server = createServer((req, res) => guard().node(req, res, () => res.end("handled")));
    onTestFinished(() => closeAll(server));
    const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
    const head =
      "POST /mcp HTTP/1.1\r\nHost: x\r\nX-API-Key: sk_x\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n";
    expect(await sendRaw(url, head)).toMatch(/^HTTP\/1.1 401 /);
  });

  // threat: B24
  test("of a web request's body", async () => {
    let pulls = 0;
    const pull = (controller: ReadableStreamDefaultController) => {
      pulls += 1;
      controller.enqueue(new TextEncoder().encode(JSON.stringify(call("search"))));
      controller.close();
    };
    const handle = guard().fetch(() => new Response("handled"));
    const statusFor = async (headers: Record<string, string>) => {
      const body = new ReadableStream({ pull }, { highWaterMark: 0 });
      const request = new Request("http://mcp/mcp", { method: "POST", headers, body, duplex: "half" } as RequestInit);
      return (await handle(request)).status;
    };
    for (const headers of [{}, { "x-api-key": "sk_x" }, { authorization: "Bearer a.b.c" }])
      expect(await statusFor(headers)).toBe(401);
    expect(pulls).toBe(0);
    expect([await statusFor(await key(["conversations:read"])), pulls]).toEqual([200, 1]);
  });

  // threat: B24
  test("a message of more than 256 KiB is 413 also for a caller", async () => {
    const handle = guard().fetch(() => new Response("handled"));
    const headers = await key(["conversations:read"]);
    const statusOf = async (bytes: number) => {
      const body = JSON.stringify(LIST).padEnd(bytes);
      return (await handle(new Request("http://mcp/mcp", { method: "POST", headers, body }))).status;
    };
    expect([await statusOf(262_144), await statusOf(262_145)]).toEqual([200, 413]);
  });
});

test("a call that is admitted spends once, one without its tool's scope twice", async () => {
  const tools = { search: "conversations:read", plan: "plans:read" };
  const handle = createGuard({ baseUrl: latchkey.url })
    .mcp({ tools })
    .fetch(() => new Response());
  const headers = await key(["conversations:*"], { rate_limit: { requests_per_minute: 10 } });
  const remaining = async (name: string) => {
    const body = JSON.stringify(call(name));
    const answer = await handle(new Request("http://mcp/mcp", { method: "POST", headers, body }));
    return [answer.status, answer.headers.get("x-ratelimit-remaining")];
  };
  expect(await remaining("search")).toEqual([200, "9"]);
  expect(await remaining("plan")).toEqual([403, "7"]);
  expect(await remaining("search")).toEqual([200, "6"]);
});

test("`*` admits to a tool of a reserved scope only in the operator's tenant", async () => {
  const handle = createGuard({ baseUrl: latchkey.url })
    .mcp({ tools: { all: "tenants:read" } })
    .fetch(() => new Response());
  const statusIn = async (tenant: string) => {
    const [headers, body] = [await key(["*"], {}, tenant), JSON.stringify(call("all"))];
    return (await handle(new Request("http://mcp/mcp", { method: "POST", headers, body }))).status;
  };
  expect([await statusIn(OPERATOR_TENANT), await statusIn(TENANT)]).toEqual([200, 403]);
});

test("a denial of a tool names its scopes and the resource's metadata, also where Latchkey cannot know that it is one", async () => {
  const guard = createGuard({ baseUrl: latchkey.url, resource });
  const handle = guard
    .mcp({ tools: { search: ["conversations:read", "plans:read"], users: policies.method("Users") } })
    .fetch(() => new Response());
  const challenge = async (name: string) => {
    const headers = await key(["plans:read"]);
    const answer = await handle(
      new Request("http://mcp/mcp", { method: "POST", headers, body: JSON.stringify(call(name)) }),
    );
    return [answer.status, answer.headers.get("www-authenticate")];
  };
  const scope = 'scope="conversations:read plans:read"';
  expect(await challenge("search")).toEqual([
    403,
    `Bearer error="insufficient_scope", ${scope}, resource_metadata="${METADATA}"`,
  ]);
  expect(await challenge("users")).toEqual([403, `Bearer error="insufficient_scope", resource_metadata="${METADATA}"`]);
});
