// promise: guards.resource
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createGuard as createExpressGuard } from "../../clients/typescript/src/server/express.ts";
import { latchkey as plugin } from "../../clients/typescript/src/server/fastify.ts";
import { createGuard as createHonoGuard } from "../../clients/typescript/src/server/hono.ts";
import { createGuard, type GuardOptions, type ResourceOptions } from "../../clients/typescript/src/server/index.ts";
import { generateSigningKey, type IdentityProvider, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

const URL_OF_IT = "https://mcp.example.com/mcp";
const METADATA_URL = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp";
const METADATA_PATH = new URL(METADATA_URL).pathname;
const OTHER = "https://other.example.com/mcp";
const ISSUER = "https://idp.example.com";
const RESOURCE: ResourceOptions = { url: URL_OF_IT, authorizationServers: [ISSUER] };

let provider: IdentityProvider;
let latchkey: Latchkey;

beforeAll(async () => {
  provider = await startIdentityProvider(await generateSigningKey(), ISSUER);
  const { issuer, jwksUrl } = provider;
  latchkey = await startLatchkey({
    config: {
      jwksAllowedHosts: [new URL(jwksUrl).host],
      dashboard: {
        // An operator may accept several audiences: each guard takes its own alone.
        expectation: { issuer, jwksUrl, audience: [URL_OF_IT, OTHER, "dashboard"], jwksOwner: { kind: "operator" } },
        userIdClaim: "sub",
        tenantClaim: "tenant_id",
        requiredClaims: {},
      },
    },
  });
});

afterAll(async () => {
  await latchkey.close();
  await provider.close();
});

const TENANT = newTenant();

/** Headers of a dashboard user, by default with a token for the resource. */
async function user(claims: Record<string, unknown> = {}): Promise<Record<string, string>> {
  const all = { sub: "user-1", tenant_id: TENANT, aud: URL_OF_IT, ...claims };
  return { authorization: `Bearer ${await provider.sign(all, latchkey.clock.now())}` };
}

async function owner(): Promise<Record<string, string>> {
  return user({ aud: "dashboard" });
}

/** The answer to a request, by `guard.fetch`. */
async function ask(
  headers: Record<string, string>,
  resource: ResourceOptions | undefined = RESOURCE,
  scopes: string | string[] = "plans:read",
) {
  const handle = createGuard({ baseUrl: latchkey.url, resource }).fetch(scopes, (_request, caller) =>
    Response.json({ kind: caller.kind }),
  );
  const answer = await handle(new Request("http://upstream/mcp", { method: "POST", headers }));
  const json = (await answer.json()) as Record<string, string>;
  return { status: answer.status, json, challenge: answer.headers.get("www-authenticate") };
}

describe("the audience of a token", () => {
  test.each<[string, unknown]>([
    ["the resource", URL_OF_IT],
    ["a list with it", ["dashboard", URL_OF_IT]],
    ["it with another spelling of its host", ["https://MCP.example.com:443/mcp", URL_OF_IT]],
  ])("%s is admitted", async (_name, aud) => {
    expect(await ask(await user({ aud }))).toMatchObject({ status: 200, json: { kind: "dashboard_user" } });
  });

  test.each<[string, unknown]>([
    ["another resource", OTHER],
    ["a list without it", ["dashboard", OTHER]],
    ["the client of the dashboard", "dashboard"],
    ["its origin alone", "https://mcp.example.com"],
    ["it with a slash at the end", `${URL_OF_IT}/`],
    ["it in a longer path", `${URL_OF_IT}/more`],
    ["nothing", ""],
    ["no text", 7],
  ])("%s is refused as invalid_token, and Latchkey is not asked", async (_name, aud) => {
    const before = latchkey.logLines.length;
    const { status, json, challenge } = await ask(await user({ aud }));
    expect([status, json.denial_reason, json.reason]).toEqual([401, "jwt_invalid_audience", "jwt_invalid_audience"]);
    expect(challenge).toMatch(
      /^Bearer realm="latchkey", error="invalid_token", error_description="[^"]+", scope="plans:read", resource_metadata="/,
    );
    expect(latchkey.logLines.length).toBe(before);
  });

  test("of a publishable key's user is checked as well, and a secret key has none", async () => {
    const { issuer, jwksUrl } = provider;
    const key = async (audience: string) => {
      const fields = {
        keyType: "KEY_TYPE_PUBLISHABLE",
        permissions: ["plans:read"],
        publishableConfig: { oidc: { issuer, jwksUrl, audience } },
      };
      return { "x-api-key": (await latchkey.createKey(await owner(), fields)).key };
    };
    const ofUser = async (aud: string) => ({ ...(await key(aud)), ...(await user({ aud })) });
    expect(await ask(await ofUser(URL_OF_IT))).toMatchObject({ status: 200, json: { kind: "publishable_key" } });
    expect(await ask(await ofUser(OTHER))).toMatchObject({ status: 401, json: { reason: "jwt_invalid_audience" } });
    const secret = await latchkey.createKey(await owner(), { permissions: ["plans:read"] });
    expect(await ask({ "x-api-key": secret.key })).toMatchObject({ status: 200, json: { kind: "secret_key" } });
  });

  test("is not looked at without a resource", async () => {
    const handle = createGuard({ baseUrl: latchkey.url }).fetch("plans:read", () => new Response());
    expect((await handle(new Request("http://upstream", { headers: await user({ aud: OTHER }) }))).status).toBe(200);
  });

  test("that cannot be read is Latchkey's to refuse, and never admitted", async () => {
    expect((await ask({ authorization: "Bearer abc" })).json.reason).toBe("jwt_malformed");
    const admits = async () => Response.json({ caller: "CALLER_DASHBOARD_USER", tenant_id: "ten_1", user_id: "u" });
    const handle = createGuard({ baseUrl: "https://x", resource: RESOURCE, fetch: admits }).fetch([], () => {
      throw new Error("the handler ran");
    });
    for (const headers of [{ authorization: "Bearer opaque" }, {}, { "x-api-key": "sk_x" }])
      expect((await handle(new Request("http://upstream", { headers }))).status).toBe(401);
  });
});

describe("a challenge", () => {
  test("to a request without credentials says what to ask for, and where", async () => {
    expect(await ask({})).toMatchObject({
      status: 401,
      challenge: `Bearer realm="latchkey", scope="plans:read", resource_metadata="${METADATA_URL}"`,
    });
    expect((await ask({}, RESOURCE, [])).challenge).toBe(
      `Bearer realm="latchkey", resource_metadata="${METADATA_URL}"`,
    );
  });

  test("to a lacking scope names all that the request needs", async () => {
    const { key } = await latchkey.createKey(await owner(), { permissions: ["plans:read"] });
    const { status, json, challenge } = await ask({ "x-api-key": key }, RESOURCE, ["plans:read", "plans:write"]);
    expect([status, json.reason]).toEqual([403, "insufficient_scope"]);
    expect(challenge).toBe(
      `Bearer error="insufficient_scope", scope="plans:read plans:write", resource_metadata="${METADATA_URL}"`,
    );
  });

  test("is not added to a refusal that has nothing to do with it", async () => {
    const fields = { permissions: ["plans:read"], rate_limit: { requests_per_minute: 1 } };
    const headers = { "x-api-key": (await latchkey.createKey(await owner(), fields)).key };
    expect((await ask(headers)).status).toBe(200);
    expect(await ask(headers)).toMatchObject({ status: 429, challenge: null });
  });
});

describe("the scopes of the resource", () => {
  const resource = { ...RESOURCE, scopes: ["plans:read", "plans:write"] };

  test.each<[string, Record<string, unknown>, number]>([
    ["in scope", { scope: "openid plans:read" }, 200],
    ["in scp", { scp: ["plans:read"] }, 200],
    ["by a wildcard", { scope: "plans:*" }, 200],
    ["not granted", { scope: "openid plans:write" }, 403],
    ["absent", {}, 403],
  ])("are those that a token was granted: %s", async (_name, claims, status) => {
    const answer = await ask(await user(claims), resource);
    expect(answer.status).toBe(status);
    const granted = "scope" in claims ? ` ${claims.scope}` : "";
    if (status === 403) expect(answer.challenge).toContain(`error="insufficient_scope", scope="plans:read${granted}"`);
  });

  test("that a token has stay in a challenge for others, as far as it can hold them, but not those beside a key", async () => {
    const claims = { scope: 'openid a"b c\\d \u00e9', scp: ["plans:write", "x\r\ny"] };
    expect((await ask(await user(claims), resource)).challenge).toContain('scope="plans:read openid plans:write"');
    const { key } = await latchkey.createKey(await owner(), { permissions: ["plans:write"] });
    expect((await ask({ "x-api-key": key, ...(await user(claims)) }, resource)).challenge).toContain(
      'scope="plans:read", resource',
    );
  });

  test("that the issuer does not grant are only the user's rights, and a key's are its permissions", async () => {
    expect((await ask(await user({ scope: "openid" }), resource, "conversations:read")).status).toBe(200);
    const { key } = await latchkey.createKey(await owner(), { permissions: ["plans:read"] });
    expect((await ask({ "x-api-key": key }, resource)).status).toBe(200);
  });

  test("do not admit a token that Latchkey refuses", async () => {
    expect((await ask({ authorization: `Bearer e30.${btoa(JSON.stringify({ aud: URL_OF_IT }))}.x` })).status).toBe(401);
  });
});

describe("the metadata", () => {
  const DOCUMENT = {
    resource: URL_OF_IT,
    authorization_servers: [ISSUER],
    scopes_supported: ["plans:read"],
    bearer_methods_supported: ["header"],
  };
  const options = (): GuardOptions => ({ baseUrl: latchkey.url, resource: { ...RESOURCE, scopes: ["plans:read"] } });

  const SERVERS: Record<string, () => Promise<string>> = {
    "guard.node": async () => {
      const check = createGuard(options()).node([]);
      return listen(createServer((req, res) => check(req, res, () => res.end())));
    },
    "guard.mcp().node": async () => {
      const mcp = createGuard(options()).mcp({ tools: {} });
      return listen(createServer((req, res) => mcp.node(req, res, () => res.end())));
    },
    "guard.fetch": async () => {
      const handle = createGuard(options()).fetch([], () => new Response());
      return listen(createServer(getRequestListener((request) => handle(request))));
    },
    "guard.mcp().fetch": async () => {
      const handle = createGuard(options())
        .mcp({ tools: {} })
        .fetch(() => new Response());
      return listen(createServer(getRequestListener((request) => handle(request))));
    },
    Express: async () => {
      const app = express();
      app.use(createExpressGuard(options())([]));
      return listen(createServer(app));
    },
    "guard.metadata in Express, with the guard below a path": async () => {
      const guard = createGuard(options());
      const app = express();
      app.use(guard.metadata.node);
      app.use("/mcp", guard.node([]));
      return listen(createServer(app));
    },
    Hono: async () => {
      const app = new Hono().use("*", createHonoGuard({ baseUrl: latchkey.url, resource: options().resource })([]));
      return listen(createServer(getRequestListener(app.fetch)));
    },
    "guard.metadata in Hono": async () => {
      const { metadata } = createGuard(options());
      const app = new Hono().all(METADATA_PATH, (c) => metadata.fetch(c.req.raw));
      return listen(createServer(getRequestListener(app.fetch)));
    },
    Fastify: async () => {
      const app = fastify();
      app.register(plugin, { baseUrl: latchkey.url, resource: options().resource, scopes: [] });
      onTestFinished(async () => void (await app.close()));
      return app.listen({ port: 0, host: "127.0.0.1" });
    },
  };

  test.each(Object.entries(SERVERS))("is served by %s to anyone, and nothing else is", async (_name, start) => {
    const url = await start();
    const answer = await fetch(`${url}${METADATA_PATH}`);
    expect([answer.status, await answer.json()]).toEqual([200, DOCUMENT]);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect((await fetch(`${url}${METADATA_PATH}`, { method: "HEAD" })).status).toBe(200);
    const preflight = await fetch(`${url}${METADATA_PATH}`, { method: "OPTIONS" });
    expect([preflight.status, preflight.headers.get("access-control-allow-headers")]).toEqual([204, "*"]);
    expect((await fetch(`${url}${METADATA_PATH}`, { method: "POST" })).status).toBe(405);
    for (const path of [`${METADATA_PATH}/more`, `/x?${METADATA_PATH}`, "/.well-known/oauth-protected-resource"])
      expect((await fetch(`${url}${path}`)).status, path).not.toBe(200);
  });

  test.each([
    ["https://mcp.example.com", "https://mcp.example.com/.well-known/oauth-protected-resource"],
    ["https://mcp.example.com/", "https://mcp.example.com/.well-known/oauth-protected-resource"],
    ["https://MCP.example.com:443/a/b", "https://mcp.example.com/.well-known/oauth-protected-resource/a/b"],
    ["http://127.0.0.1:9/mcp", "http://127.0.0.1:9/.well-known/oauth-protected-resource/mcp"],
  ])("of %s is at %s, and has the resource as it was written", async (url, metadataUrl) => {
    const resource = { url, authorizationServers: [ISSUER] };
    const handle = createGuard({ baseUrl: "https://x", resource }).fetch([], () => new Response());
    expect(await (await handle(new Request(metadataUrl))).json()).toMatchObject({ resource: url });
  });
});

test.each<[Partial<ResourceOptions>, string]>([
  [{ url: "mcp.example.com" }, "resource.url must be a URL"],
  [{ url: "ftp://mcp.example.com" }, "resource.url must be a URL"],
  [{ url: "https://a:b@mcp.example.com" }, "resource.url must be a URL"],
  [{ url: "http://mcp.example.com" }, "resource.url must begin with https://"],
  [{ url: `${URL_OF_IT}?tenant=1` }, "resource.url must be without query and fragment"],
  [{ url: `${URL_OF_IT}#` }, "resource.url must be without query and fragment"],
  [{ authorizationServers: [] }, "resource.authorizationServers must list at least one issuer"],
  [{ authorizationServers: ["idp"] }, "resource.authorizationServers[0] must be a URL"],
  [{ scopes: ["plans:reed"] }, 'did you mean "plans:read"'],
  [{ scope: ["plans:read"] } as object, 'did you mean "scopes"?'],
])("a resource with %j ends the start", (wrong, problem) => {
  const make = () => createGuard({ baseUrl: "https://x", resource: { ...RESOURCE, ...wrong } });
  expect(make).toThrow(TypeError);
  expect(make).toThrow(problem);
});

test("a guard without a resource has no metadata", () => {
  expect(() => createGuard({ baseUrl: "https://x" }).metadata).toThrow("no resource");
});

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  onTestFinished(() => closeAll(server));
  return `http://127.0.0.1:${await listenOnLoopback(server)}`;
}
