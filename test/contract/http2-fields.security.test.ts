// promise: callers.header-form, limits.headers
import type { OutgoingHttpHeaders } from "node:http2";
import { describe, expect, test } from "vitest";
import { postHttp2 } from "../harness/http2-client.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

/** nghttp2 drops an invalid field silently, and with it the restriction that the field stands for. */

const VERIFY = "/api/v1/auth/verify";

const latchkey = await sharedLatchkey();
const dashboard = await latchkey.dashboard();
const { key } = await latchkey.createKey(dashboard, { permissions: ["*"] });
const { key: revoked, key_id } = await latchkey.createKey(dashboard);
await latchkey.call("/api/v1/api-keys/revoke", { key_id }, dashboard);

const call = (headers: OutgoingHttpHeaders) => postHttp2(latchkey.url, VERIFY, {}, headers);

describe.each([
  ["a space behind it", (value: string) => `${value} `],
  ["a tab behind it", (value: string) => `${value}\t`],
  ["a space before it", (value: string) => ` ${value}`],
  ["a control character behind it", (value: string) => `${value}\u0001`],
  ["DEL within it", (value: string) => `${value.slice(0, 2)}\u007f${value.slice(2)}`],
])("with %s, over HTTP/2,", (_, spoil) => {
  test.each<[string, () => OutgoingHttpHeaders]>([
    ["a user to act for", () => ({ "x-api-key": key, "x-on-behalf-of": spoil("bob") })],
    ["a revoked key beside a user's token", () => ({ ...dashboard, "x-api-key": spoil(revoked) })],
    ["a good key", () => ({ "x-api-key": spoil(key) })],
    ["the second of two keys", () => ({ "x-api-key": [key, spoil(revoked)] })],
    ["a user's token beside a key", () => ({ "x-api-key": key, authorization: spoil("Bearer x") })],
    ["any other header", () => ({ "x-api-key": key, "user-agent": spoil("curl") })],
  ])("%s is 400, and is not treated as absent", async (_what, headers) => {
    const { status, json, headers: answered } = await call(headers());
    expect({ status, code: json.code }).toEqual({ status: 400, code: "invalid_argument" });
    expect(json.message).toMatch(/header field/);
    expect(answered["access-control-allow-origin"]).toBe("*");
    // It is not known whose limit applies.
    expect(answered["x-ratelimit-limit"]).toBeUndefined();
  });
});

test("the same request without the invalid character is admitted, and so is the request after a rejected one", async () => {
  for (const user of ["bob", "bob ", "bob"]) {
    const { status, json } = await call({ "x-api-key": key, "x-on-behalf-of": user });
    expect({ status, actingFor: json.acting_for }).toEqual(
      user === "bob" ? { status: 200, actingFor: "bob" } : { status: 400, actingFor: undefined },
    );
  }
});
