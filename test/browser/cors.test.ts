import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Code } from "@connectrpc/connect";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DenialReason } from "../../gen/latchkey/v1/denial_pb.ts";
import { generateSigningKey, type IdentityProvider, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import type { JsonObject } from "../harness/http.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { openPage } from "../servers/chromium.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

/** A real page of another origin, with the client that pages use, in a real browser. */

const NAMES = ["Connect in JSON", "Connect in binary", "gRPC-Web in JSON", "gRPC-Web in binary"];

let provider: IdentityProvider;
let open: JsonObject;
let closed: JsonObject;

beforeAll(async () => {
  const bundle = await rolldown({
    input: fileURLToPath(new URL("fixtures/page.ts", import.meta.url)),
    platform: "browser",
  });
  const { output } = await bundle.generate({ format: "iife" });
  provider = await startIdentityProvider(await generateSigningKey());
  const [{ code }] = output;
  open = await visit(code, "*");
  closed = await visit(code, ["https://another.example.com"]);
}, 180_000);

afterAll(() => provider.close());

/** What a page reports that calls the service with publishable keys of one request a minute, one for each protocol. */
async function visit(script: string, corsAllowedOrigins: "*" | readonly string[]): Promise<JsonObject> {
  const latchkey = await startLatchkey({
    config: { corsAllowedOrigins, jwksAllowedHosts: [new URL(provider.jwksUrl).host] },
  });
  const orders: JsonObject = Object.fromEntries(
    await Promise.all(NAMES.map(async (name) => [name, await order(latchkey)])),
  );
  orders["a secret key"] = await orderOf(latchkey, {});
  orders["a secret key with allow_browser"] = await orderOf(latchkey, { allow_browser: true });
  const reported = Promise.withResolvers<JsonObject>();
  const site = createServer(async (req, res) => {
    switch (req.url) {
      case "/orders":
        return res.end(JSON.stringify(orders));
      case "/script.js":
        return res.end(script);
      case "/report":
        reported.resolve(JSON.parse(await text(req)));
        return res.end();
      default:
        return res.setHeader("Content-Type", "text/html").end('<!doctype html><script src="/script.js"></script>');
    }
  });
  // Another origin: the port differs.
  const browser = await openPage(`http://127.0.0.1:${await listenOnLoopback(site)}/`);
  const late = setTimeout(() => reported.reject(new Error("the page did not report within 60 s")), 60_000);
  try {
    return await reported.promise;
  } finally {
    clearTimeout(late);
    await browser.close();
    await closeAll(site);
    await latchkey.close();
  }
}

async function order(latchkey: Latchkey): Promise<object> {
  const { issuer, jwksUrl, audience } = provider;
  const { key } = await latchkey.createKey(await latchkey.dashboard(), {
    keyType: "KEY_TYPE_PUBLISHABLE",
    publishableConfig: { oidc: { issuer, jwksUrl, audience } },
    rate_limit: { requests_per_minute: 1 },
  });
  const token = await provider.sign({ sub: "app-user" }, latchkey.clock.now());
  return { url: latchkey.url, headers: { "X-API-Key": key, Authorization: `Bearer ${token}` } };
}

async function orderOf(latchkey: Latchkey, fields: JsonObject): Promise<object> {
  const { key } = await latchkey.createKey(await latchkey.dashboard(), fields);
  return { url: latchkey.url, headers: { "X-API-Key": key } };
}

test("a secret key is denied in a browser, unless it has allow_browser", () => {
  for (const answer of open["a secret key"]) {
    expect(answer).toMatchObject({ code: Code.PermissionDenied, reason: DenialReason.ORIGIN_NOT_ALLOWED });
    expect(answer.message).toContain("use a publishable key");
  }
  expect(open["a secret key with allow_browser"]).toMatchObject([{ total: 0 }, { total: 0 }]);
});

describe.each(NAMES)("a page of another origin, over %s,", (name) => {
  test("calls with a publishable key and its user's token, and reads the limit", () => {
    expect(open.failed).toBeUndefined();
    const [first] = open[name];
    expect(first).toMatchObject({ total: 0, headers: { "x-ratelimit-limit": "1", "x-ratelimit-remaining": "0" } });
    expect(first.headers["x-request-id"]).toMatch(/^req_/);
  });

  test("reads the reason of a denial and Retry-After", () => {
    const [, second] = open[name];
    expect(second).toMatchObject({ code: Code.ResourceExhausted, reason: DenialReason.RATE_LIMITED });
    expect(second.headers["x-ratelimit-remaining"]).toBe("0");
    expect(Number(second.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  });

  test("cannot call if its origin is not on the list", () => {
    for (const attempt of closed[name]) {
      expect(attempt.total).toBeUndefined();
      expect(attempt.message).toContain("Failed to fetch");
    }
  });
});

test("a page reads the 404 of a wrong path", () => {
  expect(open["wrong path"]).toMatchObject({ status: 404, headers: { "x-ratelimit-limit": "0" } });
});
