// promise: answers.compression
import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newOrganization, type OrgUser } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();
let owner: OrgUser;
let token: string;

beforeAll(async () => {
  const founded = await newOrganization(latchkey);
  owner = founded.owner;
  token = await latchkey.dashboardToken({
    ...{ sub: owner.sub, email: owner.email, email_verified: true },
    tenant_id: founded.org.tenant_id,
  });
  for (let n = 0; n < 12; n++)
    await owner.call("/api/v1/api-keys/create", { name: `key ${n}`, permissions: ["plans:read", "plans:write"] });
});

const PAGE = { "sec-fetch-site": "same-origin", "accept-encoding": "gzip, deflate, br, zstd" };

/** As it is sent: `fetch` decompresses, and has headers of its own. */
async function raw(path: string, body: object, headers: Record<string, string>) {
  const sent = { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers };
  return new Promise<{ headers: Record<string, unknown>; body: Buffer; status: number | undefined }>(
    (resolve, reject) => {
      request(latchkey.url + path, { method: "POST", headers: sent }, async (res) =>
        resolve({ status: res.statusCode, headers: res.headers, body: await buffer(res) }),
      )
        .on("error", reject)
        .end(JSON.stringify(body));
    },
  );
}

test("a page of the service's own origin gets a list compressed as its browser accepts, with the same content", async () => {
  const plain = await raw("/api/v1/api-keys/list", {}, { "accept-encoding": "gzip, br" });
  expect(plain.headers).not.toHaveProperty("content-encoding");
  const brotli = await raw("/api/v1/api-keys/list", {}, PAGE);
  expect(brotli.headers).toMatchObject({ "content-encoding": "br", "content-type": "application/json" });
  expect(String(brotli.headers.vary)).toContain("Accept-Encoding");
  expect(brotli.headers["content-length"]).toBe(String(brotli.body.length));
  expect(brotliDecompressSync(brotli.body)).toEqual(plain.body);
  expect(brotli.body.length).toBeLessThan(plain.body.length / 3);
  const gzip = await raw("/api/v1/api-keys/list", {}, { ...PAGE, "accept-encoding": "gzip" });
  expect(gzip.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(gzip.body)).toEqual(plain.body);
});

test.each([
  ["a caller that is no browser", {}],
  ["a page of another origin", { "sec-fetch-site": "cross-site" }],
  ["a page of the same site, but another origin", { "sec-fetch-site": "same-site" }],
  ["a page whose browser accepts none", { "sec-fetch-site": "same-origin", "accept-encoding": "identity" }],
])("%s gets nothing compressed", async (_who, headers) => {
  const answer = await raw("/api/v1/api-keys/list", {}, { "accept-encoding": "gzip, br", ...headers });
  expect([answer.status, answer.headers["content-encoding"]]).toEqual([200, undefined]);
});

test("an answer with a secret is never compressed, whatever its length", async () => {
  const webhook = { url: `https://hooks.example.com/${"n".repeat(1_500)}`, events: ["*"] };
  const created = await raw("/api/v1/webhooks/create", webhook, PAGE);
  expect([created.status, created.headers["content-encoding"]]).toEqual([200, undefined]);
  expect(created.body.length).toBeGreaterThan(1_024);
});

test("errors and short answers are not compressed", async () => {
  const refused = await raw("/api/v1/api-keys/get", { key_id: "key_unknown" }, PAGE);
  expect([refused.status, refused.headers["content-encoding"]]).toEqual([404, undefined]);
  const short = await raw("/api/v1/orgs/list", {}, PAGE);
  expect([short.status, short.headers["content-encoding"]]).toEqual([200, undefined]);
});
