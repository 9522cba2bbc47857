// promise: paths.protocol-headers
import { describe, expect, test } from "vitest";
import { expectFault, expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

/** The headers by which a call says how it is to be served. */
const VERIFY = "/api/v1/auth/verify";
const PROCEDURE = "/latchkey.v1.AuthService/Verify";
const WITH_DEADLINE = { "connect-timeout-ms": "60000" };

const latchkey = await sharedLatchkey();
const dashboard = await latchkey.dashboard();
const newKey = async () => (await latchkey.createKey(dashboard, { rate_limit: { requests_per_minute: 100 } })).key;

describe("Connect-Protocol-Version", () => {
  const ways = [VERIFY, PROCEDURE].flatMap((path) => [{}, WITH_DEADLINE].map((more) => [path, more] as const));

  test.each(ways)("of 1, or absent, is served on %s with %j", async (path, more) => {
    for (const version of [{}, { "connect-protocol-version": "1" }]) {
      const answer = await latchkey.call(path, {}, { ...dashboard, ...more, ...version });
      expect(answer.status, answer.text).toBe(200);
    }
  });

  // threat: B21
  test.each(ways)("of any other value is 400 on %s with %j, after the caller is authorized", async (path, more) => {
    for (const version of ["2", "0", "1.0", "01", "", "x", "1, 1"]) {
      const headers = { ...more, "connect-protocol-version": version };
      const answer = await latchkey.call(path, {}, { ...headers, "x-api-key": await newKey() });
      expectInvalid(answer, "Connect-Protocol-Version", "must be 1, or absent");
      expect(answer.headers.get("x-ratelimit-remaining")).toBe("99");
      expect((await latchkey.call(path, "{", headers)).json.denial_reason).toBe("missing_credentials");
    }
  });

  test("is also checked if the message is in binary", async () => {
    const headers = { ...dashboard, "content-type": "application/proto", "connect-protocol-version": "2" };
    const response = await fetch(latchkey.url + PROCEDURE, { method: "POST", headers });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 400,
      body: { code: "invalid_argument", message: expect.stringContaining("Connect-Protocol-Version") },
    });
  });

  test("is ignored in gRPC-Web", async () => {
    const { status } = await callGrpcWeb({ "connect-protocol-version": "2" });
    expect(status).toBe("0");
  });
});

// threat: B21
test.each(["abc", "-1", "1e99", "12345678901", "1.5", "", "1, 2"])(
  "a Connect-Timeout-Ms of %j is 400, and the message says what it must be",
  async (timeout) => {
    for (const path of [VERIFY, PROCEDURE]) {
      const answer = await latchkey.call(path, {}, { "x-api-key": await newKey(), "connect-timeout-ms": timeout });
      expectFault(answer, 400, "invalid_argument");
      expect(answer.json.message).toBe("Connect-Timeout-Ms: must be 1 to 10 digits, milliseconds");
      expect(answer.headers.get("x-ratelimit-remaining")).toBe("99");
    }
  },
);

/** How a call of Verify in gRPC-Web ends. */
async function callGrpcWeb(headers: Record<string, string>) {
  const response = await fetch(latchkey.url + PROCEDURE, {
    method: "POST",
    headers: { ...dashboard, "content-type": "application/grpc-web+proto", ...headers },
    body: Buffer.alloc(5),
  });
  const text = `${[...response.headers].map((header) => header.join(": ")).join("\r\n")}\r\n${await response.text()}`;
  const headerOf = (name: string) => new RegExp(`${name}: (.*)\r`).exec(text)?.[1] ?? "";
  return {
    status: headerOf("grpc-status"),
    message: decodeURIComponent(headerOf("grpc-message")),
    accepts: response.headers.get("grpc-accept-encoding"),
  };
}

describe("over gRPC", () => {
  test.each(["abc", "10", "S", "123456789S", "1s", "-1S", ""])("a grpc-timeout of %j is rejected", async (timeout) => {
    expect(await callGrpcWeb({ "grpc-timeout": timeout })).toMatchObject({
      status: "3",
      message: "grpc-timeout: must be 1 to 8 digits and one unit of H, M, S, m, u, n",
    });
  });

  test.each(["gzip", "br", "x"])(
    "a grpc-encoding of %s is unimplemented, and the message says what is supported",
    async (name) => {
      expect(await callGrpcWeb({ "grpc-encoding": name })).toEqual({
        status: "12",
        message: "grpc-encoding: must be identity, or absent; send messages without compression",
        accepts: "identity",
      });
    },
  );

  test("a call with the encoding identity is served", async () => {
    expect(await callGrpcWeb({ "grpc-encoding": "identity" })).toMatchObject({ status: "0" });
  });
});
