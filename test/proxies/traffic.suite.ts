import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CreatedKey, type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { closeAll, listenOnLoopback, portOf } from "../servers/loopback.ts";
import { type ProxyKind, type RunningProxy, startProxy } from "./proxy.ts";

const REQUESTS = 5_000;
const AT_ONCE = 25;
/** Of the key that is limited; it gets a fifth of all requests. */
const LIMIT = 300;
const BODY_BYTES = 8 * 1_048_576;

/** Many requests, long bodies, and a Latchkey that says nothing, by the example of a proxy. */
export function describeTraffic(name: string, kind: ProxyKind): void {
  describe(`behind ${name}`, () => suite(kind));
}

function suite(kind: ProxyKind): void {
  let latchkey: Latchkey;
  let proxy: RunningProxy;
  /** Answers with the path, the key's id and the body; `/plans/stream` by its test alone. */
  const upstream = createServer(async (req, res) => {
    if (req.url === "/plans/stream") return;
    res.writeHead(200, { "x-seen": `${req.url} ${req.headers["x-auth-key-id"]}` });
    res.end(Buffer.concat(await req.toArray()));
  });
  let reached = 0;
  upstream.on("request", () => reached++);

  beforeAll(async () => {
    latchkey = await startLatchkey();
    proxy = await startProxy(kind, { latchkey: latchkey.url, upstream: await listenOnLoopback(upstream) });
  }, 180_000);

  afterAll(async () => {
    await proxy?.stop();
    await latchkey?.close();
    await closeAll(upstream);
  });

  test(`${REQUESTS} requests of all verdicts, ${AT_ONCE} at once: each gets its own, and no other reaches the service`, async ({
    task,
  }) => {
    const dashboard = await latchkey.dashboard(newTenant());
    const made = (fields: object = {}): Promise<CreatedKey> =>
      latchkey.createKey(dashboard, { permissions: ["plans:read"], ...fields });
    const [reader, other, revoked, limited] = await Promise.all([
      made(),
      made({ permissions: ["audit:read"] }),
      made(),
      made({ rate_limit: { requests_per_hour: LIMIT } }),
    ]);
    await latchkey.call("/api/v1/api-keys/revoke", { key_id: revoked.key_id }, dashboard);
    const callers: { key?: CreatedKey; verdict: number }[] = [
      { key: reader, verdict: 200 },
      { key: other, verdict: 403 },
      { key: revoked, verdict: 401 },
      { key: limited, verdict: 0 },
      { verdict: 401 },
    ];
    const before = reached;
    const limitedVerdicts = new Map<number, number>();
    let next = 0;
    const worker = async () => {
      for (let n = next++; n < REQUESTS; n = next++) {
        const { key, verdict } = callers[n % callers.length] ?? { verdict: 401 };
        const response = await fetch(`${proxy.url}/plans/${n}`, { ...(key && { headers: { "x-api-key": key.key } }) });
        const text = await response.text();
        const seen = response.status === 200 ? `/plans/${n} ${key?.key_id}` : null;
        expect([n, response.headers.get("x-seen"), text === ""]).toEqual([n, seen, seen !== null]);
        if (verdict === 0) limitedVerdicts.set(response.status, (limitedVerdicts.get(response.status) ?? 0) + 1);
        else expect([n, response.status]).toEqual([n, verdict]);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const share = REQUESTS / callers.length;
    expect(Object.fromEntries(limitedVerdicts)).toEqual({ 200: LIMIT, 429: share - LIMIT });
    expect(reached - before).toBe(share + LIMIT);
    for (const { key_id } of [reader, other, limited]) {
      const { json } = await latchkey.call("/api/v1/api-keys/usage", { key_id }, dashboard);
      expect(json.result.usage ?? json.result).toMatchObject({ total_verifications: share });
    }
    task.meta.figures = `${REQUESTS} requests, ${REQUESTS - share - LIMIT} denied`;
  });

  async function newKey(): Promise<string> {
    return (await latchkey.createKey(await latchkey.dashboard(), { permissions: ["plans:*"] })).key;
  }

  test("each part of a body arrives before the next one is sent, on the way to the service and back", async () => {
    const headers = { "x-api-key": await newKey(), "content-type": "application/octet-stream" };
    const sent = request(`${proxy.url}/plans/stream`, { method: "POST", headers });
    const arrived = once(upstream, "request");
    sent.write("0;");
    const [req, res] = (await arrived) as [IncomingMessage, ServerResponse];
    const response = once(sent, "response");
    await passes(sent, req);
    res.write("0;");
    const [received] = (await response) as [IncomingMessage];
    await passes(res, received);
  });

  test("a long body arrives as it was sent, with and without a length; a denied one does not", async () => {
    const body = Buffer.alloc(BODY_BYTES, "0123456789abcdef\n");
    const sha = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
    const headers = { "x-api-key": await newKey() };
    const chunked = () => new Blob([body]).stream();
    for (const sent of [body, chunked()]) {
      const init = { method: "POST", headers, body: sent, duplex: "half" } as RequestInit;
      const response = await fetch(`${proxy.url}/plans/long`, init);
      expect(response.status).toBe(200);
      expect(sha(new Uint8Array(await response.arrayBuffer()))).toBe(sha(body));
    }
    const before = reached;
    const denied = request(`${proxy.url}/plans/long`, { method: "POST" });
    // The proxy may close while it is sent.
    denied.on("error", () => {});
    denied.write(body.subarray(0, 1_024));
    const [res] = await once(denied, "response");
    expect([res.statusCode, reached]).toEqual([401, before]);
    denied.destroy();
  });

  test("no request passes while another server is in Latchkey's place, or Latchkey takes requests and does not answer", async () => {
    let isSilent = false;
    const impostor = createServer((_req, res) => void (isSilent || res.writeHead(502).end("no Latchkey here")));
    const latchkeyUrl = `http://127.0.0.1:${await listenOnLoopback(impostor)}`;
    const other = await startProxy(kind, { latchkey: latchkeyUrl, upstream: portOf(upstream) });
    try {
      const before = reached;
      for (isSilent of [false, true]) {
        const response = await fetch(`${other.url}/plans/today`, { headers: { "x-api-key": "sk_any" } });
        await response.arrayBuffer();
        expect([response.status, reached]).toEqual([expect.toBeOneOf([500, 502, 503]), before]);
      }
    } finally {
      await other.stop();
      await closeAll(impostor);
    }
  });
}

/** Sends what follows `0;`, each part after the one before has arrived, and the end. */
async function passes(from: Writable, to: IncomingMessage): Promise<void> {
  const arrived = to.setEncoding("utf8")[Symbol.asyncIterator]();
  for (let n = 0; n < 20; n++) {
    expect((await arrived.next()).value).toBe(`${n};`);
    if (n < 19) from.write(`${n + 1};`);
  }
  from.end();
  expect((await arrived.next()).done).toBe(true);
}
