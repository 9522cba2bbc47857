// promise: http.versions
import { connect } from "node:http2";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { postHttp2, postOn } from "../harness/http2-client.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";
import { RPCS } from "../harness/rpcs.ts";
import { startSecureLatchkey } from "../harness/secure-latchkey.ts";

let plain: Latchkey;
let secure: Latchkey;

beforeAll(async () => {
  plain = await startLatchkey();
  secure = await startSecureLatchkey();
});

afterAll(() => Promise.all([plain.close(), secure.close()]));

/** What an answer says of the caller, without what differs from one request to the next. */
function decisionOf({ status, json }: { status: number | undefined; json: Record<string, unknown> }) {
  return { status, code: json.code, message: json.message, reason: json.denial_reason };
}

describe.each([
  ["cleartext HTTP/2", () => plain],
  ["HTTP/2 with TLS", () => secure],
])("over %s", (_name, latchkey) => {
  test.each(RPCS)("$path has the same answers as over HTTP/1.1", async (rpc) => {
    const dashboard = await latchkey().dashboard();
    const { key, key_id } = await latchkey().createKey(dashboard, { permissions: ["plans:read"] });
    const revoked = await latchkey().createKey(dashboard);
    await latchkey().call("/api/v1/api-keys/revoke", { key_id: revoked.key_id }, dashboard);
    const cases: [headers: Record<string, string>, body: unknown][] = [
      [{}, "{"],
      [{ "x-api-key": "nope" }, rpc.body(key_id)],
      [{ "x-api-key": key }, rpc.body("key_x")],
      [{ "x-api-key": revoked.key }, rpc.body(key_id)],
      [{ "x-api-key": key, "x-on-behalf-of": "u" }, rpc.body(key_id)],
      [{ ...dashboard, "x-on-behalf-of": "u" }, rpc.body(key_id)],
      [dashboard, { nope: 1 }],
      [OPERATOR, rpc.body("key_x")],
      [{ ...dashboard, "content-type": "text/plain" }, "{}"],
      [{ ...dashboard, "content-encoding": "gzip" }, "{}"],
    ];
    const session = connect(latchkey().url);
    onTestFinished(() => session.close());
    for (const [headers, body] of cases) {
      const http1 = await latchkey().call(rpc.path, body, headers);
      const http2 = await postOn(session, rpc.path, body, headers);
      expect(decisionOf(http2)).toEqual(decisionOf(http1));
      expect(http2.headers["x-ratelimit-limit"] ?? null).toBe(http1.headers.get("x-ratelimit-limit"));
      expect(http2.headers["access-control-allow-origin"]).toBe("*");
    }
  });

  // threat: K6
  test("two keys, or two user tokens, are denied in either order", async () => {
    const dashboard = await latchkey().dashboard();
    const { key } = await latchkey().createKey(dashboard);
    const list = "/api/v1/llm/gateway/list-threads";
    for (const keys of [
      [key, "sk_unknown"],
      ["sk_unknown", key],
      [key, key],
    ]) {
      const answer = await postHttp2(latchkey().url, list, {}, { "x-api-key": keys });
      expect(decisionOf(answer)).toMatchObject({ status: 401, reason: "api_key_invalid" });
    }
  });

  test("a key or token in a pseudo-header, the query or a cookie is ignored", async () => {
    const { key } = await latchkey().createKey(await latchkey().dashboard());
    const path = `/api/v1/llm/gateway/list-threads?x-api-key=${key}`;
    const answer = await postHttp2(latchkey().url, path, {}, { ":authority": "x[:99999", cookie: `x-api-key=${key}` });
    expect(decisionOf(answer)).toMatchObject({ status: 401, reason: "missing_credentials" });
    expect(latchkey().logLines.join("")).not.toContain(key.slice(3, 20));
  });

  test("a body beyond the limit is 413", async () => {
    const answer = await postHttp2(
      latchkey().url,
      "/api/v1/api-keys/list",
      " ".repeat(1_048_577),
      await latchkey().dashboard(),
    );
    expect(decisionOf(answer)).toMatchObject({ status: 413, code: "resource_exhausted" });
  });
});

test("over TLS, a client without ALPN is served HTTP/1.1, and TLS before 1.2 is refused", async () => {
  const { port } = new URL(secure.url);
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connectTls({ port: Number(port), host: "127.0.0.1" }, () =>
      socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
    );
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    socket.on("end", () => resolve(text)).on("error", reject);
  });
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
  await expect(
    new Promise((resolve, reject) => {
      const old = {
        port: Number(port),
        minVersion: "TLSv1",
        maxVersion: "TLSv1.1",
        ciphers: "ALL@SECLEVEL=0",
      } as const;
      connectTls(old, () => resolve("connected")).on("error", reject);
    }),
  ).rejects.toThrow();
  expect((await fetch(`${secure.url}/healthz`)).status).toBe(200);
});

test("cleartext HTTP on the TLS port is 400 with the hint to use https, and the service goes on", async () => {
  const answer = await fetch(secure.url.replace("https:", "http:"));
  expect([answer.status, await answer.json()]).toEqual([
    400,
    expect.objectContaining({ message: expect.stringContaining("https://") }),
  ]);
  expect((await fetch(`${secure.url}/healthz`)).status).toBe(200);
});

test.each(["100-continue", "100-Continue"])("a request with Expect: %s over HTTP/2 is served", async (expected) => {
  const { status, json } = await postHttp2(plain.url, "/api/v1/auth/verify", {}, { expect: expected });
  expect([status, json.denial_reason]).toEqual([401, "missing_credentials"]);
});

test("any other Expect over HTTP/2 is rejected with our JSON error", async () => {
  const { status, headers, json } = await postHttp2(plain.url, "/api/v1/auth/verify", {}, { expect: "more" });
  const { details: _, ...members } = json;
  expect([status, members]).toEqual([
    417,
    { code: "unimplemented", reason: "expectation_failed", message: "Expect: must be 100-continue, or absent." },
  ]);
  expect(headers).toMatchObject({ "access-control-allow-origin": "*", "x-request-id": expect.any(String) });
});
