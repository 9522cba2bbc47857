import { createServer, get } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

const CONSOLE = {
  clientId: "console",
  scope: "openid",
  token: "id_token",
  parameters: { organization: "acme" },
} as const;

const provider = createServer((req, res) => {
  const issuer = `http://${req.headers.host}`;
  const metadata = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
  res.writeHead(isAway ? 503 : 200, { "Content-Type": "application/json" }).end(JSON.stringify(metadata));
});
let isAway = false;
let issuer: string;
let latchkey: Latchkey;

beforeAll(async () => {
  issuer = `http://127.0.0.1:${await listenOnLoopback(provider)}`;
  latchkey = await start();
});

afterAll(async () => {
  await latchkey.close();
  await closeAll(provider);
});

function start(config: Parameters<typeof startLatchkey>[0] = {}): Promise<Latchkey> {
  const expectation = {
    issuer,
    jwksUrl: `${issuer}/jwks`,
    audience: "console",
    jwksOwner: { kind: "operator" },
  } as const;
  const dashboard = { expectation, userIdClaim: "sub", tenantClaim: "tenant_id", requiredClaims: {} };
  return startLatchkey({ ...config, config: { console: CONSOLE, dashboard, ...config.config } });
}

/** As it is sent: `fetch` decompresses, and asks for what it likes. */
async function raw(path: string, headers: Record<string, string> = {}, method = "GET") {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    get(latchkey.url + path, { headers, method }, async (res) =>
      resolve({ status: res.statusCode ?? 0, headers: res.headers, body: await buffer(res) }),
    ).on("error", reject);
  });
}

async function scriptPath(): Promise<string> {
  const { body } = await raw("/console");
  const [, path = ""] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(body.toString()) ?? [];
  return path;
}

test("the page allows its own files and the provider's token endpoint, nothing inline, and no frame", async () => {
  const { status, headers } = await raw("/console");
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
  });
  expect(headers["content-security-policy"]).toBe(
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ${issuer}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
  );
  expect(headers).not.toHaveProperty("access-control-allow-origin");
});

test("every path below that is not a file is the page, so that a link into it works", async () => {
  const { body } = await raw("/console");
  for (const path of ["/console/", "/console/keys", "/console/keys/key_1?page=2", "/console/callback?code=x"])
    expect((await raw(path)).body, path).toEqual(body);
  for (const path of ["/consoles", "/console/assets/", "/console/assets/none.js", "/console/assets/../../package.json"])
    expect((await raw(path)).status, path).toBe(404);
});

test("files have names that change with their content, so that browsers keep them; the page is asked for again", async () => {
  const path = await scriptPath();
  expect(path).toMatch(/-[\w-]{8}\.js$/);
  const { headers } = await raw(path);
  expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  const page = await raw("/console");
  expect((await raw("/console", { "if-none-match": String(page.headers.etag) })).status).toBe(304);
});

test("files are sent compressed as the request accepts, and mean the same", async () => {
  const path = await scriptPath();
  const plain = await raw(path);
  expect(plain.headers).not.toHaveProperty("content-encoding");
  const brotli = await raw(path, { "accept-encoding": "gzip, deflate, br" });
  expect(brotli.headers).toMatchObject({ "content-encoding": "br", vary: "Accept-Encoding" });
  expect(brotliDecompressSync(brotli.body)).toEqual(plain.body);
  const gzip = await raw(path, { "accept-encoding": "br;q=0, gzip;q=0.5" });
  expect(gzip.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(gzip.body)).toEqual(plain.body);
  expect(new Set([plain, brotli, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
});

test("the settings name the client, the provider and the roles, and no secret", async () => {
  const { body, headers } = await raw("/console/config.json");
  expect(headers["cache-control"]).toBe("no-cache");
  expect(JSON.parse(body.toString())).toEqual({
    provider: {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      authorization_response_iss_parameter_supported: false,
    },
    client_id: "console",
    scope: "openid",
    token: "id_token",
    parameters: { organization: "acme" },
    roles: ["owner", "admin", "developer", "viewer"],
    default_requests_per_minute: 0,
    area: "all",
  });
});

test("only GET and HEAD are allowed", async () => {
  expect((await raw("/console", {}, "HEAD")).status).toBe(200);
  expect((await raw("/console", {}, "POST")).status).toBe(405);
});

test("without CONSOLE_CLIENT_ID the settings say what to set", async () => {
  const own = await start({ config: { console: { ...CONSOLE, clientId: null } } });
  const { problem } = (await (await fetch(`${own.url}/console/config.json`)).json()) as { problem: string };
  expect(problem).toContain("CONSOLE_CLIENT_ID");
  await own.close();
});

test("a provider that is away keeps neither the service nor the page from starting, and is asked again", async () => {
  isAway = true;
  const own = await start();
  const settings = async () => (await fetch(`${own.url}/console/config.json`)).json() as Promise<object>;
  expect(await settings()).toEqual({ problem: expect.stringContaining("could not be fetched") });
  expect((await fetch(`${own.url}/console`)).status).toBe(200);
  isAway = false;
  await expect.poll(settings, { timeout: 60_000, interval: 500 }).toMatchObject({ client_id: "console" });
  await own.close();
});

test("switched off, the console's paths are unknown", async () => {
  const own = await start({ config: { console: null } });
  for (const path of ["/console", "/console/config.json", "/console/keys"])
    expect((await fetch(own.url + path)).status, path).toBe(404);
  await own.close();
});

test("with an admin port, each port has the part of the console whose RPCs it has", async () => {
  const own = await start({ config: { adminPort: 0 } });
  const areaAt = async (url: string | undefined) => {
    expect((await fetch(`${url}/console/operator`)).status).toBe(200);
    return ((await (await fetch(`${url}/console/config.json`)).json()) as { area: string }).area;
  };
  expect(await areaAt(own.url)).toBe("tenant");
  expect(await areaAt(own.adminUrl)).toBe("operator");
  const { headers } = await fetch(`${own.adminUrl}/console`);
  expect(headers.get("content-security-policy")).toContain(`connect-src 'self' ${issuer}`);
  await own.close();
});
