// promise: guards.mcp
import { copyFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { generateSigningKey } from "../../src/dev/identity-provider.ts";
import { type SignInProvider, startSignInProvider } from "../../src/dev/sign-in-provider.ts";
import { createTokenSigner, type SignToken } from "../../src/dev/token-signer.ts";
import { accessRules } from "../harness/access-rules.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { Browser } from "../identity/sign-in.ts";
import { freePort } from "../servers/free-port.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";
import { EXAMPLE, loadSdk, type McpProject, openMcpProject } from "./mcp-example.ts";

// The example server, called by the SDK's own client, with the sign-in of `npm run dev`.

/** As much of the SDK's client as is used here. */
interface Sdk {
  readonly Client: new (info: { name: string; version: string }) => SdkClient;
  readonly StreamableHTTPClientTransport: new (url: URL, options: object) => SdkTransport;
  readonly UnauthorizedError: new () => Error;
}
interface SdkClient {
  connect(transport: SdkTransport): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: object }): Promise<{ content: { text: string }[] }>;
  close(): Promise<void>;
}
interface SdkTransport {
  finishAuth(code: string): Promise<void>;
}

const APP = "http://127.0.0.1:9/callback";
const TENANT = newTenant();
const SCOPES = ["conversations:read", "conversations:write"];
const ARCHIVE_KEY = "key-of-the-mcp-server";
/** Of each user: what their tokens say. */
const ROLES: Readonly<Record<string, string>> = { alice: "owner", victor: "viewer" };

let sdk: Sdk;
let project: McpProject;
let provider: SignInProvider;
let latchkey: Latchkey;
let sign: SignToken;
let url: string;
let other: string;
const archived: { headers: IncomingHttpHeaders; url: string | undefined }[] = [];
const archive = createServer((req, res) => {
  archived.push({ headers: req.headers, url: req.url });
  res.setHeader("Content-Type", "application/json").end(JSON.stringify([req.headers["x-tenant-id"]]));
});

beforeAll(async () => {
  const [port, otherPort] = [await freePort(), await freePort()];
  [url, other] = [`http://127.0.0.1:${port}/mcp`, `http://127.0.0.1:${otherPort}/mcp`];
  project = await openMcpProject();
  await copyFile(join(EXAMPLE, "server.ts"), join(project.project, "server.ts"));
  const modules = ["client/index.js", "client/streamableHttp.js", "client/auth.js"];
  sdk = Object.assign({}, ...(await Promise.all(modules.map((path) => loadSdk<Partial<Sdk>>(path)))));
  const signingKey = await generateSigningKey();
  provider = await startSignInProvider({
    signingKey,
    port: 0,
    clientId: "dashboard",
    redirectUris: [APP],
    users: [],
    resources: [url, other].map((each) => ({ url: each, scopes: SCOPES })),
    claimsOf: async (sub) => ({
      email: `${sub}@example.com`,
      email_verified: true,
      tenant_id: TENANT,
      roles: [ROLES[sub] ?? "viewer"],
    }),
  });
  const { issuer, jwksUrl } = provider;
  sign = await createTokenSigner(signingKey, issuer, url);
  latchkey = await startLatchkey({
    config: {
      access: accessRules({ rolesClaim: "roles" }),
      jwksAllowedHosts: [new URL(jwksUrl).host],
      dashboard: {
        expectation: { issuer, jwksUrl, audience: ["dashboard", url, other], jwksOwner: { kind: "operator" } },
        userIdClaim: "sub",
        tenantClaim: "tenant_id",
        requiredClaims: {},
      },
    },
  });
  const archiveUrl = `http://127.0.0.1:${await listenOnLoopback(archive)}`;
  await project.serve(
    "server.ts",
    { LATCHKEY_URL: latchkey.url, LATCHKEY_ISSUER: issuer, ARCHIVE_URL: archiveUrl, ARCHIVE_KEY },
    port,
  );
});

afterAll(async () => {
  await project?.close();
  await latchkey?.close();
  await provider?.close();
  await closeAll(archive);
});

beforeEach(() => {
  archived.length = 0;
});

/** What the SDK's client keeps of its authorization, as an app has it. */
class Agent {
  readonly redirectUrl = APP;
  readonly clientMetadata = {
    client_name: "agent",
    redirect_uris: [APP],
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code"],
    response_types: ["code"],
  };
  authorizationUrl: URL | undefined;
  #client: object | undefined;
  #verifier = "";
  #tokens: { access_token: string; token_type: string } | undefined;

  constructor(token?: string) {
    if (token !== undefined) this.#tokens = { access_token: token, token_type: "Bearer" };
  }

  clientInformation = () => this.#client;
  saveClientInformation(client: object): void {
    this.#client = client;
  }
  tokens = () => this.#tokens;
  saveTokens(tokens: { access_token: string; token_type: string }): void {
    this.#tokens = tokens;
  }
  codeVerifier = () => this.#verifier;
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  redirectToAuthorization(to: URL): void {
    this.authorizationUrl = to;
  }
}

/** A client that calls for as long as the test runs. */
async function connected(options: object, to = url): Promise<SdkClient> {
  const client = new sdk.Client({ name: "agent", version: "1.0.0" });
  onTestFinished(() => client.close());
  await client.connect(new sdk.StreamableHTTPClientTransport(new URL(to), options));
  return client;
}

/** Signs the user in where the client is led; returns the transport's part of it. */
async function authorize(agent: Agent, sub: string, transport: SdkTransport): Promise<void> {
  const { authorizationUrl } = agent;
  if (authorizationUrl === undefined) throw new Error("the client was led nowhere");
  const callback = await new Browser({ sub }).follow(authorizationUrl, APP);
  await transport.finishAuth(callback.searchParams.get("code") ?? "");
}

/** A client whose user has signed in by authorization code with PKCE. */
async function signedIn(sub: string): Promise<{ agent: Agent; client: SdkClient }> {
  const agent = new Agent();
  const transport = new sdk.StreamableHTTPClientTransport(new URL(url), { authProvider: agent });
  const client = new sdk.Client({ name: "agent", version: "1.0.0" });
  await expect(client.connect(transport)).rejects.toThrow(sdk.UnauthorizedError);
  await authorize(agent, sub, transport);
  return { agent, client: await connected({ authProvider: agent }) };
}

const names = async (client: SdkClient) => (await client.listTools()).tools.map(({ name }) => name);
const call = (client: SdkClient, name: string) => client.callTool({ name, arguments: { text: "Hi" } });
const withHeaders = (headers: Record<string, string>) => ({ requestInit: { headers } });

async function dashboard(): Promise<Record<string, string>> {
  return {
    authorization: `Bearer ${await sign({ sub: "alice", tenant_id: TENANT, roles: ["owner"], aud: "dashboard" })}`,
  };
}

async function secretKey(permissions: readonly string[]): Promise<Record<string, string>> {
  return { "x-api-key": (await latchkey.createKey(await dashboard(), { permissions })).key };
}

/** The answer to a call, as a client without the SDK gets it. */
async function post(headers: Record<string, string>, name: string): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: { text: "Hi" } } }),
  });
}

const metadataUrl = (resource: string) => resource.replace("/mcp", "/.well-known/oauth-protected-resource/mcp");

test("a client registers itself, signs its user in by authorization code with PKCE, and calls", async () => {
  const { agent, client } = await signedIn("alice");
  expect(Object.fromEntries(agent.authorizationUrl?.searchParams ?? [])).toMatchObject({
    response_type: "code",
    code_challenge_method: "S256",
    resource: url,
    scope: SCOPES.join(" "),
  });
  expect(await names(client)).toEqual(["search", "save"]);
  for (const name of ["search", "save"])
    expect(await call(client, name)).toMatchObject({ content: [{ text: JSON.stringify([TENANT]) }] });
});

test("the caller's token and key do not reach the service behind a tool", async () => {
  const { agent, client } = await signedIn("alice");
  await call(client, "search");
  const key = await secretKey(["conversations:*"]);
  await call(await connected(withHeaders(key)), "search");
  expect(archived).toHaveLength(2);
  for (const { headers } of archived) {
    expect(headers).toMatchObject({ "x-api-key": ARCHIVE_KEY, "x-tenant-id": TENANT });
    expect(headers).not.toHaveProperty("authorization");
  }
  const seen = JSON.stringify(archived);
  for (const secret of [agent.tokens()?.access_token, key["x-api-key"]]) expect(seen).not.toContain(secret);
});

test("a user's tools are those of their role", async () => {
  const { client } = await signedIn("victor");
  expect(await names(client)).toEqual(["search"]);
  await call(client, "search");
  await expect(call(client, "save")).rejects.toThrow();
  expect(archived).toHaveLength(1);
});

test("the user of a publishable key calls with their token for the resource, within the key's permissions", async () => {
  const { agent } = await signedIn("carol");
  const { issuer, jwksUrl } = provider;
  const keyFor = async (audience: string) => {
    const fields = {
      ...{ keyType: "KEY_TYPE_PUBLISHABLE", permissions: ["conversations:read"] },
      publishableConfig: { oidc: { issuer, jwksUrl, audience } },
    };
    return (await latchkey.createKey(await dashboard(), fields)).key;
  };
  const authorization = `Bearer ${agent.tokens()?.access_token}`;
  const client = await connected(withHeaders({ "x-api-key": await keyFor(url), authorization }));
  expect(await names(client)).toEqual(["search"]);
  expect(await call(client, "search")).toMatchObject({ content: [{ text: JSON.stringify([TENANT]) }] });
  expect((await post({ "x-api-key": await keyFor(url), authorization }, "save")).status).toBe(403);
  const elsewhere = `Bearer ${await sign({ sub: "carol", aud: other })}`;
  const refused = await post({ "x-api-key": await keyFor(other), authorization: elsewhere }, "search");
  expect([refused.status, (await refused.json()) as object]).toMatchObject([401, { reason: "jwt_invalid_audience" }]);
});

test("a secret key calls the tools that its permissions allow, and a denial names what is lacking", async () => {
  const key = await secretKey(["conversations:read"]);
  const client = await connected(withHeaders(key));
  expect(await names(client)).toEqual(["search"]);
  await call(client, "search");
  await expect(call(client, "save")).rejects.toThrow(/403|insufficient_scope/);
  const refused = await post(key, "save");
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
    403,
    `Bearer error="insufficient_scope", scope="conversations:write", resource_metadata="${metadataUrl(url)}"`,
  ]);
  expect(archived).toHaveLength(1);
});

test("a client asks its user for the scope that its token lacks, and then calls", async () => {
  const token = await sign({ sub: "alice", tenant_id: TENANT, roles: ["owner"], scope: "conversations:read" });
  const agent = new Agent(token);
  const transport = new sdk.StreamableHTTPClientTransport(new URL(url), { authProvider: agent });
  const client = new sdk.Client({ name: "agent", version: "1.0.0" });
  await client.connect(transport);
  await call(client, "search");
  await expect(call(client, "save")).rejects.toThrow();
  expect(agent.authorizationUrl?.searchParams.get("scope")).toBe("conversations:write conversations:read");
  await authorize(agent, "alice", transport);
  await call(client, "save");
  // With the new token: the earlier scope is not lost.
  await call(client, "search");
  await client.close();
  expect(archived).toHaveLength(3);
});

test("a token for another resource of the same issuer is refused, and leads to the metadata", async () => {
  const claims = { sub: "alice", tenant_id: TENANT, roles: ["owner"], scope: SCOPES.join(" ") };
  for (const aud of [other, "dashboard", [other, "dashboard"]]) {
    const refused = await post({ authorization: `Bearer ${await sign({ ...claims, aud })}` }, "search");
    expect([refused.status, (await refused.json()) as object]).toMatchObject([401, { reason: "jwt_invalid_audience" }]);
    expect(refused.headers.get("www-authenticate")).toContain(`resource_metadata="${metadataUrl(url)}"`);
  }
  expect((await post({ authorization: `Bearer ${await sign(claims)}` }, "search")).status).toBe(200);
  expect(archived).toHaveLength(1);
});

test("pages of other origins, streams and ends of sessions are refused to callers, too", async () => {
  const key = await secretKey(["conversations:*"]);
  expect((await post({ ...key, origin: "https://app.example" }, "search")).status).toBe(403);
  for (const method of ["GET", "DELETE"]) expect((await fetch(url, { method, headers: key })).status).toBe(405);
});
