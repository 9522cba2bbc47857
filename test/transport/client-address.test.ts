// promise: callers.address
import { once } from "node:events";
import { connect } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { postHttp2 } from "../harness/http2-client.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";
import { startSecureLatchkey } from "../harness/secure-latchkey.ts";
import { trusting } from "../harness/trusted-proxies.ts";

const PATH = "/api/v1/auth/verify";

/** What the log has as the address of a request's client. */
async function loggedAddress(latchkey: Latchkey, requestId: string): Promise<unknown> {
  const lines = () => latchkey.logLines.filter((text) => text.includes(`"request_id":"${requestId}"`));
  await expect.poll(lines).toHaveLength(1);
  return JSON.parse(lines().join("")).client_address;
}

describe.each([
  ["that trusts no proxy", undefined, "127.0.0.1", "127.0.0.1"],
  ["that trusts the proxy", trusting(["127.0.0.1"]), "203.0.113.7", null],
])("a service %s", (_, trustedProxies, behindProxy, disagreeing) => {
  let latchkey: Latchkey;

  beforeAll(async () => {
    latchkey = await startLatchkey({ config: { ...(trustedProxies && { trustedProxies }) } });
  });

  afterAll(() => latchkey.close());

  test.each([
    ["the lean path", PATH, {}],
    ["the lean path with a deadline", PATH, { "connect-timeout-ms": "5000" }],
    ["a path that does not exist", "/no-such-path", {}],
    ["the check of a proxy", "/auth/check", {}],
  ])("logs the client's address on %s", async (_path, path, more) => {
    const addressFor = async (headers: Record<string, string>) => {
      const requestId = newId("req");
      await fetch(latchkey.url + path, {
        method: "POST",
        body: "{}",
        headers: { "content-type": "application/json", "x-request-id": requestId, ...more, ...headers },
      });
      return loggedAddress(latchkey, requestId);
    };
    expect(await addressFor({})).toBe("127.0.0.1");
    expect(await addressFor({ "x-forwarded-for": "192.0.2.1, 203.0.113.7" })).toBe(behindProxy);
    expect(await addressFor({ forwarded: 'for=192.0.2.1, for="203.0.113.7:80"' })).toBe(behindProxy);
    expect(await addressFor({ forwarded: "for=192.0.2.1", "x-forwarded-for": "203.0.113.7" })).toBe(disagreeing);
  });

  test("logs it over HTTP/2, for each request of a connection", async () => {
    const requestId = newId("req");
    await postHttp2(latchkey.url, PATH, {}, { "x-request-id": requestId, "x-forwarded-for": "203.0.113.7" });
    expect(await loggedAddress(latchkey, requestId)).toBe(behindProxy);
    const grpc = createClient(AuthService, createGrpcTransport({ baseUrl: latchkey.url }));
    for (const [address, expected] of [
      ["203.0.113.7", behindProxy],
      ["2001:db8::1", trustedProxies ? "2001:db8::1" : "127.0.0.1"],
    ] as const) {
      const id = newId("req");
      await grpc.verify({}, { headers: { "x-request-id": id, "x-forwarded-for": address } }).catch(() => {});
      expect(await loggedAddress(latchkey, id)).toBe(expected);
    }
  });

  test("logs it where the head of a request is refused, repeated headers in their order", async () => {
    const requestId = newId("req");
    const lines = ["X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: 203.0.113.7", `X-Request-Id: ${requestId}`];
    await sendRaw(latchkey.url, `GET / HTTP/1.1\r\n${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`);
    expect(await loggedAddress(latchkey, requestId)).toBe(behindProxy);
  });

  test("logs the connection's address of bytes that are not a request", async () => {
    const before = latchkey.logLines.length;
    await sendRaw(latchkey.url, "no request\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n");
    const lines = latchkey.logLines.slice(before).map((line) => JSON.parse(line));
    expect(lines).toEqual([expect.objectContaining({ status: 400, client_address: "127.0.0.1" })]);
  });
});

test("over TLS the address is that of the connection, over HTTP/1.1 and HTTP/2", async () => {
  const latchkey = await startSecureLatchkey();
  const [first, second] = [newId("req"), newId("req")];
  await fetch(`${latchkey.url}/healthz`, { headers: { "x-request-id": first } });
  await postHttp2(latchkey.url, PATH, {}, { "x-request-id": second });
  expect(await loggedAddress(latchkey, first)).toBe("127.0.0.1");
  expect(await loggedAddress(latchkey, second)).toBe("127.0.0.1");
  await latchkey.close();
});

test("an IPv4 client of a port for both families has its IPv4 address, and is trusted by it", async () => {
  const config = { host: "::", trustedProxies: trusting(["127.0.0.0/8"]) };
  const latchkey = await startLatchkey({ config });
  const url = `http://127.0.0.1:${new URL(latchkey.url).port}`;
  const [direct, forwarded, ipv6] = [newId("req"), newId("req"), newId("req")];
  await fetch(`${url}/healthz`, { headers: { "x-request-id": direct } });
  await fetch(`${url}/healthz`, { headers: { "x-request-id": forwarded, "x-forwarded-for": "203.0.113.7" } });
  await fetch(`${url.replace("127.0.0.1", "[::1]")}/healthz`, {
    headers: { "x-request-id": ipv6, "x-forwarded-for": "203.0.113.7" },
  });
  expect(await loggedAddress(latchkey, direct)).toBe("127.0.0.1");
  expect(await loggedAddress(latchkey, forwarded)).toBe("203.0.113.7");
  expect(await loggedAddress(latchkey, ipv6)).toBe("::1");
  await latchkey.close();
});

test("a client that resets its connection after a request is logged with its address, too", async () => {
  const latchkey = await startLatchkey();
  const requestId = newId("req");
  const { port, hostname } = new URL(latchkey.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  // The service has accepted the connection before this one.
  await fetch(`${latchkey.url}/healthz`);
  socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${requestId}\r\n\r\n`, () =>
    socket.resetAndDestroy(),
  );
  expect(await loggedAddress(latchkey, requestId)).toBe("127.0.0.1");
  await latchkey.close();
});
