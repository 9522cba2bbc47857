// threat: H6
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { makeCertificate, type TestCertificate, writeCertificate } from "../harness/test-certificate.ts";

const CLIENT = fileURLToPath(new URL("late-tls-errors.client.ts", import.meta.url));
/** No record of TLS. */
const NOISE = Buffer.alloc(16, 0xff);

let trusted: TestCertificate;
let authority: string;
beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), "latchkey-late-tls-"));
  trusted = makeCertificate();
  authority = (await writeCertificate(dir, trusted)).certFile;
  return () => rm(dir, { recursive: true, force: true });
});

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return port;
}

/** A server whose certificate the client rejects, after which it receives what is a second error of the same socket. */
async function startRejected(): Promise<number> {
  const tls = createTlsServer({ ...makeCertificate(), maxVersion: "TLSv1.3", minVersion: "TLSv1.3" });
  tls.on("secureConnection", (socket) => socket.on("error", () => {}));
  const behind = await listening(tls);
  return listening(
    createServer((client) => {
      const upstream = connect(behind, "127.0.0.1");
      client.on("error", () => {}).pipe(upstream.on("error", () => {}));
      upstream.once("data", (flight) => client.write(Buffer.concat([flight, NOISE])));
      onTestFinished(() => void client.destroy());
    }),
  );
}

/** A sentinel that is trusted, and names this primary. */
function startSentinel(primary: number): Promise<number> {
  const named = `*2\r\n$9\r\n127.0.0.1\r\n$${String(primary).length}\r\n${primary}\r\n`;
  const sentinel = createTlsServer(trusted, (socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      for (const command of data.toString().split(/^(?=\*)/m))
        socket.write(/get-master-addr/i.test(command) ? named : /\nsentinels/i.test(command) ? "*0\r\n" : "+OK\r\n");
    });
  });
  return listening(sentinel);
}

test.each([
  ["a server", async () => `rediss://127.0.0.1:${await startRejected()}`, "self-signed certificate"],
  ["the nodes of a cluster", async () => `rediss+cluster://127.0.0.1:${await startRejected()}`, "Connection is closed"],
  [
    "a sentinel",
    async () => `rediss+sentinel://127.0.0.1:${await startRejected()}/main`,
    "All sentinels are unreachable",
  ],
  [
    "the primary that a sentinel names",
    async () => `rediss+sentinel://127.0.0.1:${await startSentinel(await startRejected())}/main`,
    "self-signed certificate",
  ],
])(
  "two errors of one TLS socket to %s leave the process running, and the first one is reported",
  async (_, url, told) => {
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: authority };
    const { stdout } = await promisify(execFile)(process.execPath, [CLIENT, await url()], { env });
    expect(stdout).toContain(told);
  },
);
