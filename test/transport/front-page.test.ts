// promise: paths.root
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";

/** What browsers send for an address that is typed. */
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

let latchkey: Latchkey;
let split: Latchkey;
beforeAll(async () => {
  [latchkey, split] = await Promise.all([startLatchkey(), startLatchkey({ config: { adminPort: 0 } })]);
});
afterAll(async () => {
  await Promise.all([latchkey.close(), split.close()]);
});

async function get(url: string, accept?: string, method = "GET") {
  const response = await fetch(`${url}/`, { method, headers: accept === undefined ? {} : { accept } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const pathsIn = (html: string): string[] => [...html.matchAll(/ href="([^"]+)"/g)].map(([, path = ""]) => path);

describe("GET /", () => {
  test("is HTML for a browser, that says what the service is and leads to its pages", async () => {
    const { status, headers, text } = await get(latchkey.url, BROWSER);
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toContain("The access layer of a multi-tenant platform");
    const paths = pathsIn(text).filter((path) => path !== "data:,");
    expect(paths).toEqual(["docs", "docs/errors", "openapi.json", "healthz"]);
    for (const path of paths) expect((await fetch(`${latchkey.url}/${path}`)).status, path).toBe(200);
  });

  test.each([
    undefined,
    "*/*",
    "application/json",
    "application/json, text/html",
    "text/html;q=0.5, application/json",
    "text/html;q=0",
    "text/plain",
  ])("is JSON for a client that accepts %s", async (accept) => {
    const { status, headers, text } = await get(latchkey.url, accept);
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(JSON.parse(text)).toEqual({
      name: "Latchkey",
      description: expect.stringContaining("access layer"),
      links: { documentation: "/docs", errors: "/docs/errors", openapi: "/openapi.json", health: "/healthz" },
    });
  });

  test("has no version and no host, runs nothing, loads nothing, and is in no frame", async () => {
    for (const accept of [BROWSER, "application/json"]) {
      const { headers, text } = await get(latchkey.url, accept);
      expect(text).not.toContain(packageJson.version);
      expect(text).not.toMatch(/https?:|127\.0\.0\.1|localhost|<script/);
      expect(headers.get("x-latchkey-version")).toBe(null);
    }
    const { headers, text } = await get(latchkey.url, BROWSER);
    const [, style = ""] = /<style>(.*)<\/style>/s.exec(text) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("is kept apart by caches for each form, and asked for again by its tag", async () => {
    const html = await get(latchkey.url, BROWSER);
    const json = await get(latchkey.url, "application/json");
    for (const { headers } of [html, json]) expect(headers.get("vary")).toContain("Accept");
    expect(html.headers.get("etag")).not.toBe(json.headers.get("etag"));
    const again = await fetch(`${latchkey.url}/`, {
      headers: { accept: BROWSER, "if-none-match": html.headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
    const head = await get(latchkey.url, BROWSER, "HEAD");
    expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", html.headers.get("etag")]);
  });

  test("leads on each port to what that port has", async () => {
    const main = JSON.parse((await get(split.url)).text).links;
    const admin = JSON.parse((await get(split.adminUrl ?? "")).text).links;
    expect(main).toEqual({ errors: "/docs/errors", openapi: "/openapi.json", health: "/healthz" });
    expect(admin).toEqual({
      documentation: "/docs",
      errors: "/docs/errors",
      openapi: "/openapi.json",
      health: "/healthz",
    });
  });
});

test.each(["POST", "PUT", "PATCH", "DELETE"])("%s / is 404, as on a path that nothing has", async (method) => {
  const answers = await Promise.all(
    ["/", "/constructor"].map(async (path) => {
      const response = await fetch(latchkey.url + path, { method, headers: { origin: "https://page.example" } });
      const kept = ["access-control-allow-origin", "allow", "content-type", "vary", "www-authenticate"];
      return [response.status, await response.text(), kept.map((name) => response.headers.get(name))];
    }),
  );
  expect(answers[0]?.[0]).toBe(404);
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]?.[1]).toContain("/openapi.json");
});

test("a path that resembles none is not taken for it", async () => {
  for (const path of ["//", "/index.html", "/?x=1"]) {
    const { status } = await fetch(latchkey.url + path);
    expect([path, status]).toEqual([path, path === "/?x=1" ? 200 : 404]);
  }
});
