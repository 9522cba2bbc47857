// promise: paths.version
import { request } from "undici";
import { describe, expect, test } from "vitest";
import document from "../../gen/openapi.json" with { type: "json" };
import packageJson from "../../package.json" with { type: "json" };
import { DENIALS } from "../../src/domain/vocabulary/denial.ts";
import { AUTH_CHECK_PATH } from "../../tools/protoc-gen-openapi/auth-check.ts";
import { OAUTH_TOKEN_PATH } from "../../tools/protoc-gen-openapi/oauth-token.ts";
import { DERIVE } from "../harness/derived-tokens.ts";
import { GITHUB_LEAKS, newScannerKey, sendMatches, startGithubKeyServer } from "../harness/github.ts";
import { toAnswer } from "../harness/http.ts";
import { type CreatedKey, newTenant, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { askHook, BEARER_SECRET, HOOK_PATH } from "../harness/login-hook.ts";
import { OPERATOR } from "../harness/operator.ts";
import { invite, newMember, newOrganization, orgUser } from "../harness/organizations.ts";
import { sendRaw } from "../harness/raw-http.ts";

const latchkey = await sharedLatchkey();

const get = (path: string, init: RequestInit = {}): Promise<Response> => fetch(latchkey.url + path, init);

describe("GET /openapi.json", () => {
  test("is the document, for any origin, without credentials", async () => {
    const response = await get("/openapi.json");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const { info, ...served } = (await toAnswer(response)).json;
    expect({ ...served, info: document.info }).toEqual(document);
    expect(info).toEqual({ ...document.info, "x-latchkey-version": packageJson.version });
  });

  test("has the service's version, as /healthz has", async () => {
    const { headers } = await get("/healthz");
    expect(headers.get("x-latchkey-version")).toBe(packageJson.version);
    expect((await toAnswer(await get("/openapi.json"))).json.info["x-latchkey-version"]).toBe(packageJson.version);
  });

  test("is 304 for If-None-Match with its ETag, and 200 for any other", async () => {
    const etag = (await get("/openapi.json")).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    for (const value of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const response = await get("/openapi.json", { headers: { "if-none-match": value } });
      expect([response.status, await response.text()]).toEqual([304, ""]);
      expect(response.headers.get("etag")).toBe(etag);
    }
    const response = await get("/openapi.json", { headers: { "if-none-match": '"other"' } });
    expect(response.status).toBe(200);
  });

  test("is 304 without a length, the bytes of which undici would miss", async () => {
    const answer = await request(`${latchkey.url}/openapi.json`, { headers: { "if-none-match": "*" } });
    expect([answer.statusCode, answer.headers["content-length"], await answer.body.text()]).toEqual([
      304,
      undefined,
      "",
    ]);
  });

  test("answers a HEAD with the same headers and no body", async () => {
    const [head, whole] = [await get("/openapi.json", { method: "HEAD" }), await get("/openapi.json")];
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(String((await whole.arrayBuffer()).byteLength));
  });

  test("is not served to a POST", async () => {
    expect((await latchkey.call("/openapi.json", {})).status).toBe(405);
  });
});

describe("GET /docs/errors", () => {
  test("has a section for each reason, where a denial's message says it is", async () => {
    const { json } = await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": "nonsense" });
    const [, path = "", reason = ""] = /See ([^#]+)#(.+)$/.exec(json.message) ?? [];
    expect(reason).toBe("api_key_invalid");
    const html = await (await get(path)).text();
    for (const each of Object.keys(DENIALS)) {
      expect(html.split(`<h3 id="${each}"><code>${each}</code></h3>`)).toHaveLength(2);
    }
    const sections = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const [, id] of html.matchAll(/href="#([^"]+)"/g)) expect(sections).toContain(id);
  });

  test("loads files of this service only, runs no script, and links to the front page", async () => {
    const response = await get("/docs/errors");
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'; /);
    const html = await response.text();
    expect(html).not.toMatch(/<script|<style|style=|\son\w+=/);
    const addresses = [...html.matchAll(/(?:href|src)="([^#"][^"]*)"/g)].map(([, address = ""]) => address);
    expect(addresses).toEqual(["data:,", "errors.css", "../"]);
    for (const address of addresses.slice(1)) {
      expect((await get(new URL(address, `${latchkey.url}/docs/errors`).pathname)).status).toBe(200);
    }
  });
});

describe("GET /docs", () => {
  test("is a page that loads files of this service only, and runs no inline script", async () => {
    const response = await get("/docs");
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const html = await response.text();
    const addresses = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = ""]) => address);
    expect(addresses).toHaveLength(4);
    expect(html).not.toMatch(/<script>|<style|style=|\son\w+=|https?:/);
    for (const address of addresses) {
      const file = await get(`/${address}`);
      expect([address, file.status]).toEqual([address, 200]);
      expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(100);
    }
  });

  test("serves the viewer, which loads this service's document", async () => {
    const bundle = await get("/docs/swagger-ui-bundle.js");
    expect(bundle.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(await bundle.text()).toContain("SwaggerUIBundle");
    const start = await (await get("/docs/start.js")).text();
    expect(start).toContain('url: "openapi.json"');
    expect(start).toContain("validatorUrl: null");
  });

  test.each([
    "/docs/",
    "/docs/index.html",
    "/docs/package.json",
    "/docs/swagger-ui.js",
    "/docs/swagger-ui-bundle.js.map",
    "/docs/../package.json",
    "/docs/..%2fpackage.json",
    "/docs/%2e%2e/package.json",
    "/docs/..\\package.json",
    "/docs//etc/passwd",
    "/docs/swagger-ui.css/../package.json",
    "/docs/constructor",
  ])("has no %s", async (path) => {
    // Not by fetch, which would tidy the path up before it sends it.
    const answer = await sendRaw(latchkey.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  });
});

describe("the document and the service", () => {
  test("every example of a request is accepted", async () => {
    const tenant = newTenant();
    const dashboard = await latchkey.dashboard(tenant);
    await latchkey.call("/api/v1/llm/gateway/send-message", exampleOf("/api/v1/llm/gateway/send-message"), dashboard);
    // The request that is explained.
    const { request_id }: { request_id?: string } = exampleOf("/api/v1/requests/explain");
    const { key } = await latchkey.createKey(dashboard, { permissions: ["plans:read"] });
    const denied = { "x-api-key": key, "x-request-id": String(request_id) };
    await latchkey.call("/api/v1/auth/verify", { scope: "plans:write" }, denied);
    const holder = { "x-api-key": (await latchkey.createKey(dashboard)).key };
    for (const path of Object.keys(document.paths).filter(
      (each) => !isOfOrganizations(each) && !OPTIONAL.includes(each),
    )) {
      for (const example of examplesOf(path)) {
        const ids = await idsOfExisting(example, dashboard, tenant);
        // The rules of the example would refuse the next key of the tenant.
        const user = path.startsWith("/api/v1/api-keys/policy/") ? await latchkey.dashboard() : dashboard;
        const headers = path.startsWith("/api/v1/operator/") ? OPERATOR : path === DERIVE ? holder : user;
        const answer = await latchkey.call(path, { ...example, ...ids }, headers);
        expect([path, answer.status, answer.text]).toEqual([path, 200, expect.any(String)]);
      }
    }
  });

  async function derivedBy({ key }: CreatedKey): Promise<string> {
    const { json } = await latchkey.call(DERIVE, exampleOf(DERIVE), { "x-api-key": key });
    return json.result.token_id;
  }

  /** The identifiers in an example, each of a record that exists. */
  async function idsOfExisting(example: object, dashboard: Record<string, string>, tenant_id: string) {
    const { key_id } = await latchkey.createKey(dashboard);
    const resultOf = async (path: string, ids: object = {}) =>
      (await latchkey.call(path, { ...exampleOf(path), ...ids }, dashboard)).json.result;
    if ("webhook_id" in example) return { webhook_id: (await resultOf("/api/v1/webhooks/create")).webhook_id };
    if ("rule_id" in example)
      return { rule_id: (await resultOf("/api/v1/federation/rules/create", { key_id })).rule_id };
    if ("token_id" in example) return { token_id: await derivedBy(await latchkey.createKey(dashboard)) };
    if (!("key_id" in example)) return {};
    return "tenant_id" in example ? { key_id, tenant_id } : { key_id };
  }

  test("every example of a request about organizations is accepted, with the ids of existing records", async () => {
    for (const path of Object.keys(document.paths).filter(isOfOrganizations)) {
      const founded = await newOrganization(latchkey);
      const { org_id } = founded.org;
      const { sub: user_id } = await newMember(latchkey, founded, "viewer");
      const invited = orgUser(latchkey);
      const ids = { org_id, user_id, ...(await invite(founded.owner, invited.email)) };
      const example = exampleOf(path);
      const known = Object.entries(ids).filter(([name]) => name in example);
      const caller = "token" in example ? invited : founded.owner;
      const answer = await caller.call(path, { ...example, ...Object.fromEntries(known) });
      expect([path, answer.status, answer.text]).toEqual([path, 200, expect.any(String)]);
    }
  });

  test("the example of what a login hook asks is accepted", async () => {
    const own = await startLatchkey({ config: { identityHookSecrets: [BEARER_SECRET] } });
    expect((await askHook(own, exampleOf(HOOK_PATH))).status).toBe(200);
    await own.close();
  });

  test("the example of what GitHub reports is accepted", async () => {
    const key = newScannerKey("current");
    const github = await startGithubKeyServer([key]);
    const own = await startLatchkey({ config: { githubKeysUrl: github.url } });
    expect((await sendMatches(own, exampleOf(GITHUB_LEAKS), key)).status).toBe(200);
    await own.close();
    await github.close();
  });

  test("a GET of an operation is 405 as documented, and so is every other method", async () => {
    for (const path of Object.keys(document.paths).filter((each) => !OPTIONAL.includes(each))) {
      for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
        const answer = await toAnswer(await get(path, { method }));
        expect([method, path, answer.status]).toEqual([method, path, 405]);
      }
    }
  });
});

/** Paths that are there only with a variable, take a form, or read no body and any method. */
const OPTIONAL = [HOOK_PATH, GITHUB_LEAKS, OAUTH_TOKEN_PATH, AUTH_CHECK_PATH];
const isOfOrganizations = (path: string): boolean => path.startsWith("/api/v1/orgs/");

function examplesOf(path: string): object[] {
  const found = Object.entries(document.paths).find(([known]) => known === path);
  if (found === undefined) throw new Error(`no path ${path}`);
  const [content]: { example?: object; examples?: object }[] = Object.values(
    "requestBody" in found[1].post ? found[1].post.requestBody.content : {},
  );
  if (content === undefined) throw new Error(`${path} has no body`);
  if (content.example !== undefined) return [content.example];
  return Object.values(content.examples ?? {}).map(({ value }: { value: object }) => value);
}

function exampleOf(path: string): object {
  const [example] = examplesOf(path);
  if (example === undefined) throw new Error(`${path} has no example`);
  return example;
}
