import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { trusting } from "../harness/trusted-proxies.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";
import { type ProxyKind, type RunningProxy, startProxy } from "./proxy.ts";

/** The proxy connects from here. */
const PROXY = "127.0.0.1";
/** An address of this machine from which the key may be used, and one from which it may not. */
const INSIDE = "127.0.0.2";
const OUTSIDE = "127.0.0.3";

/** Keys that may be used from some addresses alone, and no browser, behind the example of a proxy. */
export function describeFencedKeys(name: string, kind: ProxyKind): void {
  describe(`behind ${name}`, () => suite(kind));
}

function suite(kind: ProxyKind): void {
  let latchkey: Latchkey;
  let proxy: RunningProxy;
  let key: string;
  const upstream = createServer((_req, res) => res.end("reached"));

  beforeAll(async () => {
    latchkey = await startLatchkey({ config: { trustedProxies: trusting([PROXY]) } });
    proxy = await startProxy(kind, { latchkey: latchkey.url, upstream: await listenOnLoopback(upstream) });
    const fields = { permissions: ["plans:read"], allowed_ips: [INSIDE] };
    ({ key } = await latchkey.createKey(await latchkey.dashboard(), fields));
  }, 180_000);

  afterAll(async () => {
    await proxy?.stop();
    await latchkey.close();
    await closeAll(upstream);
  });

  async function call(localAddress: string, headers: readonly string[]): Promise<string> {
    const { port, host, hostname } = new URL(proxy.url);
    const socket = connect({ port: Number(port), host: hostname, localAddress });
    await once(socket, "connect");
    const lines = ["GET /plans/today HTTP/1.1", `Host: ${host}`, `X-API-Key: ${key}`, "Connection: close", ...headers];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    return text(socket);
  }

  const denied = /^HTTP\/1\.1 403 [\s\S]*"denial_reason":"origin_not_allowed"/;
  const admitted = /^HTTP\/1\.1 200 [\s\S]*reached/;

  test.each([
    ["no header", []],
    ["X-Forwarded-For", [`X-Forwarded-For: ${INSIDE}`]],
    ["X-Forwarded-For, several times", [`X-Forwarded-For: ${INSIDE}`, `x-forwarded-for: ${INSIDE}, ${PROXY}`]],
    ["Forwarded", [`Forwarded: for=${INSIDE}`]],
    ["both", [`X-Forwarded-For: ${INSIDE}`, `Forwarded: for=${INSIDE};by=${PROXY}`]],
    ["the names of other proxies", [`X-Real-IP: ${INSIDE}`, `X_Forwarded_For: ${INSIDE}`, `Client-IP: ${INSIDE}`]],
  ])(
    "a key with allowed_ips is denied to another address that sends %s, and admitted to its own",
    async (_name, headers) => {
      expect(await call(OUTSIDE, headers)).toMatch(denied);
      expect(
        await call(
          INSIDE,
          headers.map((line) => line.replaceAll(INSIDE, OUTSIDE)),
        ),
      ).toMatch(admitted);
    },
  );

  test("a key with allowed_ips is not admitted to an address that names X-Forwarded-For in Connection", async () => {
    const answer = await call(OUTSIDE, ["Connection: X-Forwarded-For", `X-Forwarded-For: ${INSIDE}`]);
    expect(answer).toMatch(answer.startsWith("HTTP/1.1 400 ") ? /Bad Request/ : denied);
  });

  test("a browser's request with a secret key is denied, and the message reaches the page", async () => {
    const answer = await call(INSIDE, ["Origin: https://app.example", "Sec-Fetch-Site: same-origin"]);
    expect(answer).toMatch(denied);
    expect(answer).toContain("use a publishable key");
  });
}
