// promise: http.early
import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from "node:http2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Latchkey, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { NO_BOUNDS } from "../harness/no-bounds.ts";

/** More than a connection may have at once, so that each answer lets the client open the next stream. */
const REQUESTS = 400;
/** Some bytes that are not read before the answer. */
const BODY = Buffer.alloc(2_000, "{");
const VERIFY = "/api/v1/auth/verify";
const CHECK = "/envoy.service.auth.v3.Authorization/Check";
const GRPC = { "content-type": "application/grpc" };

let idle: Latchkey;
let full: Latchkey;
beforeAll(async () => {
  idle = await sharedLatchkey();
  full = await startLatchkey({ config: { overload: { ...NO_BOUNDS, requestsMax: 1 } } });
});
afterAll(() => full.close());

/** What becomes of a request: its status, and why its stream ended. */
function post(session: ClientHttp2Session, path: string, headers: OutgoingHttpHeaders): Promise<string> {
  return new Promise((resolve) => {
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/json",
      ...headers,
    });
    let status = "no answer";
    stream.on("response", (answered) => {
      status = String(answered[constants.HTTP2_HEADER_STATUS]);
    });
    stream.on("error", () => {});
    stream.on("close", () => resolve(stream.rstCode === 0 ? status : `${status}, reset with ${stream.rstCode}`));
    stream.resume().end(BODY);
  });
}

async function outcomes({ url }: Latchkey, path: string, headers: OutgoingHttpHeaders = {}): Promise<string[]> {
  const session = connect(url).on("error", () => {});
  const all = await Promise.all(Array.from({ length: REQUESTS }, () => post(session, path, headers)));
  session.close();
  return [...new Set(all)].sort();
}

// threat: Q3
describe("answers that are made before the body has been read end no other stream of the connection:", () => {
  test.each<[string, string, OutgoingHttpHeaders, string]>([
    ["no credentials", VERIFY, {}, "401"],
    ["no such key", VERIFY, { "x-api-key": "sk_x" }, "401"],
    ["no credentials over gRPC", "/latchkey.v1.AuthService/Verify", GRPC, "200"],
    ["no such path", "/none", {}, "404"],
    ["no such RPC", "/latchkey.v1.AuthService/None", {}, "404"],
    ["another method", "/oauth/token", { ":method": "PUT" }, "405"],
    ["another type", "/grpc.health.v1.Health/Check", { "content-type": "text/plain" }, "415"],
    ["a page", "/openapi.json", {}, "405"],
    ["an invalid head", VERIFY, { "x-large": "x".repeat(17_000) }, "431"],
  ])("%s", async (_, path, headers, status) => {
    expect(await outcomes(idle, path, headers)).toEqual([status]);
  });

  // threat: Q3
  test.each<[string, string, OutgoingHttpHeaders, string]>([
    ["a plain call", VERIFY, {}, "503"],
    ["over gRPC", "/latchkey.v1.AuthService/Verify", GRPC, "200"],
    ["Envoy's Check", CHECK, GRPC, "200"],
  ])("too many requests, %s", async (_, path, headers, status) => {
    const seen = await outcomes(full, path, headers);
    expect(seen).toContain(status);
    expect(seen.filter((one) => !/^\d+$/.test(one))).toEqual([]);
  });
});
