import { readFileSync } from "node:fs";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { scrape, sumOf } from "../harness/scrape.ts";

const STRANGER = "127.0.0.2";
const CONNECTIONS = 104;
const STREAMS = 100;
const UPLOADS = 2_500;
const MIB = 1_048_576;
/** Beside the strangers' quarter of the default: sockets, and what they have sent that is not read. */
const RSS_GROWTH_MAX = 200 * MIB;

let fleet: Fleet;
let replica: Replica;
let key: string;
const sockets: Socket[] = [];
const sessions: ClientHttp2Session[] = [];

beforeAll(async () => {
  fleet = await startFleet(inject("redisUrl"));
  replica = await fleet.start({
    TOKEN_SECRET: "secret-of-tests-0123456789abcdef0123",
    TOKEN_ISSUER: "https://keys.latchkey.test",
  });
  key = (await fleet.createKey(replica)).key;
});
afterEach(() => {
  for (const session of sessions.splice(0)) session.destroy();
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => fleet.close());

function dial(): Socket {
  const { hostname: host, port } = new URL(replica.url);
  const socket = connect({ host, port: Number(port), localAddress: STRANGER });
  sockets.push(socket.on("error", () => {}));
  return socket;
}

const rssBytes = () =>
  1_024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${replica.child.pid}/status`, "utf8"))?.[1]);

/** What another address gets meanwhile, for a second. */
async function statuses(): Promise<Set<number>> {
  const seen = new Set<number>();
  for (let n = 0; n < 20; n++) {
    for (const path of ["/healthz", "/readyz"]) seen.add((await fetch(replica.url + path)).status);
    seen.add((await replica.call("/grpc.health.v1.Health/Check", {})).status);
    seen.add((await replica.call("/api/v1/auth/verify", {}, { "x-api-key": key })).status);
    await sleep(50);
  }
  return seen;
}

test(`${UPLOADS} unfinished bodies of a megabyte take a bounded part of memory`, async () => {
  const before = rssBytes();
  const chunk = Buffer.alloc(1_040_000, "x");
  const head = `POST /api/v1/api-keys/report-leak HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${chunk.byteLength + 10}\r\n\r\n`;
  let most = 0;
  for (let n = 0; n < UPLOADS; n++) {
    const socket = dial().resume();
    socket.write(head);
    socket.write(chunk);
    if (n % 50 === 0) {
      await sleep(10);
      most = Math.max(most, rssBytes());
    }
  }
  expect(await statuses()).toEqual(new Set([200]));
  most = Math.max(most, rssBytes());
  console.log(`RSS before: ${before / MIB} MiB, at most ${most / MIB} MiB`);
  expect(most - before).toBeLessThan(RSS_GROWTH_MAX);
  for (const socket of sockets.splice(0)) socket.destroy();
  const held = async () => sumOf(await scrape(replica.url), "latchkey_request_body_bytes");
  await expect.poll(held, { timeout: 10_000 }).toBe(0);
});

describe(`while an address leaves ${CONNECTIONS * STREAMS} streams unfinished, with a byte of each body`, () => {
  // threat: Q1
  test.each([
    "/grpc.health.v1.Health/Check",
    "/grpc.health.v1.Health/Watch",
    "/envoy.service.auth.v3.Authorization/Check",
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/oauth/token",
    "/api/v1/api-keys/report-leak",
  ])("on %s, others get only 200", async (path) => {
    for (let n = 0; n < CONNECTIONS; n++) {
      const session = connectHttp2(replica.url, { createConnection: dial });
      sessions.push(session.on("error", () => {}));
      for (let m = 0; m < STREAMS; m++) {
        const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc" });
        stream.on("error", () => {}).resume();
        stream.write("\0");
      }
    }
    await Promise.all(sessions.map((session) => new Promise((resolve) => session.ping(resolve))));
    expect(await statuses()).toEqual(new Set([200]));
  });
});
