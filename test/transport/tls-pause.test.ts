// promise: http.tls
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HttpServer, listen } from "../../src/transport/http/server.ts";
import type { ExchangeListener } from "../../src/transport/request/exchange.ts";
import { LIMITS, LISTEN_OPTIONS } from "../harness/listen-options.ts";
import { makeCertificate, writeCertificate } from "../harness/test-certificate.ts";

/** More than the buffers of both sockets hold, so that the answer waits for its client. */
const LARGE_BYTES = 8_000_000;
const PIPELINED_MAX = 2;

let dir: string;
let server: HttpServer;
let large: PromiseWithResolvers<void>;

const handler: ExchangeListener = (req, res) => {
  let body = "";
  req.on("data", (chunk: Buffer) => {
    body += chunk.toString();
  });
  req.on("end", () => {
    res.writeHead(200, {});
    res.end(req.url === "/large" ? Buffer.alloc(LARGE_BYTES, "#") : `the body ${body}`);
    large.resolve();
  });
};

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "latchkey-tls-pause-"));
  const tls = await writeCertificate(dir, makeCertificate());
  server = await listen(handler, { ...LISTEN_OPTIONS, tls, limits: { ...LIMITS, pipelinedMax: PIPELINED_MAX } });
});
afterAll(async () => {
  await server.close(0);
  await rm(dir, { recursive: true });
});

/** A TLS client that reads only when the test says so. `inOnePacket` sends several writes, each a record of its own, at once. */
async function dialTls() {
  large = Promise.withResolvers();
  const raw = connect(Number(new URL(server.url).port), "127.0.0.1");
  let held: Buffer[] | undefined;
  const wire = new Duplex({
    read: () => void raw.resume(),
    write(chunk: Buffer, _encoding, written) {
      if (held === undefined) raw.write(chunk);
      else held.push(chunk);
      written();
    },
  });
  raw.on("data", (chunk) => {
    if (!wire.push(chunk)) raw.pause();
  });
  raw.on("end", () => wire.push(null));
  const client = connectTls({ socket: wire, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] });
  await once(client, "secureConnect");
  return {
    client,
    async inOnePacket(...writes: string[]) {
      held = [];
      for (const text of writes) await new Promise((written) => client.write(text, written));
      raw.write(Buffer.concat(held));
      held = undefined;
    },
  };
}

const head = (path: string, bytes: number) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n`;

/** The statuses of all answers, and what follows the last head. */
async function answersUntil(client: TLSSocket, isLast: (text: string) => boolean) {
  let text = "";
  for await (const chunk of client) {
    text += String(chunk).replaceAll("#", "");
    if (isLast(text)) break;
  }
  return { statuses: [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status), text };
}

test("a request over TLS whose head and body are two records of one packet is served while an answer waits", async () => {
  const { client, inOnePacket } = await dialTls();
  client.write(head("/large", 0));
  await large.promise;
  await inOnePacket(head("/second", 4), "is 4");
  const { statuses, text } = await answersUntil(client, (all) => /the body is|HTTP\/1\.1 400/.test(all));
  expect(statuses).toEqual(["200", "200"]);
  expect(text).toContain("the body is 4");
}, 20_000);

test("requests that a client pipelines over TLS are served one after another while it reads nothing", async () => {
  const { client, inOnePacket } = await dialTls();
  const paths = Array.from({ length: 4 * PIPELINED_MAX }, (_, n) => (n % 4 === 0 ? "/large" : "/small"));
  await inOnePacket(...paths.flatMap((path) => [head(path, 3), "abc"]), head("/last", 4), "last");
  await large.promise;
  const { statuses } = await answersUntil(client, (all) => /the body last|HTTP\/1\.1 400/.test(all));
  expect(statuses).toEqual([...paths, "/last"].map(() => "200"));
}, 20_000);
