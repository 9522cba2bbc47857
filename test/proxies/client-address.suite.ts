import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { trusting } from "../harness/trusted-proxies.ts";
import { freePort } from "../servers/free-port.ts";
import { type ProxyKind, type RunningProxy, startProxy } from "./proxy.ts";

/** The proxy connects from here. */
const PROXY = "127.0.0.1";
/** A proxy in front of it. Of 127.0.0.1 Envoy would say the address of its machine's network. */
const FRONT = "127.0.0.4";
/** An address of this machine that is of no proxy. */
const CLIENT = "127.0.0.2";
const SPOOFED = "203.0.113.66";

/** The address of a client in the log, behind the example of a proxy. */
export function describeClientAddress(name: string, kind: ProxyKind, behindTwo: string): void {
  describe(`behind ${name}`, () => suite(kind, behindTwo));
}

function suite(kind: ProxyKind, behindTwo: string): void {
  let latchkey: Latchkey;
  let proxy: RunningProxy;

  beforeAll(async () => {
    latchkey = await startLatchkey({ config: { trustedProxies: trusting([PROXY, FRONT]) } });
    proxy = await startProxy(kind, { latchkey: latchkey.url, upstream: await freePort() });
  }, 180_000);

  afterAll(async () => {
    await proxy?.stop();
    await latchkey.close();
  });

  /** The client's address in the log of a request through the proxy. */
  async function addressOf(headers: readonly string[], localAddress = CLIENT): Promise<unknown> {
    const { port, host, hostname } = new URL(proxy.url);
    const socket = connect({ port: Number(port), host: hostname, localAddress });
    await once(socket, "connect");
    const lines = ["GET /plans/today HTTP/1.1", `Host: ${host}`, ...headers];
    socket.write(`${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`);
    const answer = await text(socket);
    if (answer.startsWith("HTTP/1.1 400 ")) return "rejected";
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    const [, requestId] = /^x-request-id: (\S+)\r$/im.exec(answer) ?? [];
    const line = latchkey.logLines.find((logged) => logged.includes(`"request_id":"${requestId}"`));
    return JSON.parse(line ?? "").client_address;
  }

  test.each([
    ["no header", []],
    ["X-Forwarded-For", [`X-Forwarded-For: ${SPOOFED}`]],
    ["X-Forwarded-For, several times", [`X-Forwarded-For: ${SPOOFED}`, `x-forwarded-for: ${SPOOFED}, ${PROXY}`]],
    ["a chain of proxies", [`X-Forwarded-For: ${SPOOFED}, ${PROXY}, ${PROXY}`]],
    ["an empty chain", ["X-Forwarded-For: "]],
    ["a chain with what is no address", [`X-Forwarded-For: ${SPOOFED}, unknown, _x, "${PROXY}`]],
    ["Forwarded", [`Forwarded: for=${SPOOFED}`]],
    ["Forwarded with an open quote", [`Forwarded: for="${SPOOFED}`]],
    ["both", [`X-Forwarded-For: ${SPOOFED}`, `Forwarded: for=${SPOOFED}, for=${PROXY}`]],
    [
      "the names of other proxies",
      [`X-Real-IP: ${SPOOFED}`, `X_Forwarded_For: ${SPOOFED}`, `CF-Connecting-IP: ${SPOOFED}`],
    ],
  ])("a client that sends %s has the address it has", async (_name, headers) => {
    expect(await addressOf(headers)).toBe(CLIENT);
  });

  test("a client that names the proxies' headers in Connection has the address it has, or is rejected", async () => {
    expect([CLIENT, "rejected"]).toContain(
      await addressOf(["Connection: X-Forwarded-For", `X-Forwarded-For: ${SPOOFED}`]),
    );
  });

  test("behind two trusted proxies the last address that neither has is the client's", async () => {
    expect(await addressOf([`X-Forwarded-For: ${SPOOFED}, 203.0.113.7`], FRONT)).toBe(behindTwo);
    expect(await addressOf([`X-Forwarded-For: ${SPOOFED}, unknown, 203.0.113.7:4711`], FRONT)).toBe(behindTwo);
    expect(await addressOf([], FRONT)).toBe(FRONT);
  });
}
