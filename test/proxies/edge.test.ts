// promise: edges.sidecar
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { EDGE_TOKEN } from "../harness/edges.ts";
import { startLatchkey } from "../harness/latchkey.ts";
import { mayDecide, runSidecar } from "../harness/sidecars.ts";
import { trusting } from "../harness/trusted-proxies.ts";
import { freePort } from "../servers/free-port.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";
import { NGINX } from "./kinds.ts";
import { runProxy, withPorts } from "./proxy.ts";

const GUIDE = new URL("../../docs/guides/edge.md", import.meta.url);
const EXAMPLE = new URL("../../examples/nginx/nginx.conf", import.meta.url);
const INSIDE = "127.0.0.2";
const OUTSIDE = "127.0.0.3";

test("nginx with the guide's line asks an edge on its Unix socket, which sees the client's address and each change", async () => {
  const dir = await mkdtemp(join(tmpdir(), "latchkey-edge-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const latchkey = await startLatchkey({ config: { edgeTokens: [EDGE_TOKEN] } });
  onTestFinished(() => latchkey.close());
  const socketPath = join(dir, "edge.sock");
  const running = await runSidecar(latchkey.url, { port: null, socketPath, trustedProxies: trusting([]) });
  await mayDecide(running);
  const upstream = createServer((_req, res) => res.end("reached"));
  const upstreamPort = await listenOnLoopback(upstream);
  onTestFinished(() => closeAll(upstream));

  const [line = ""] = /^ {2}server unix:.*;$/m.exec(await readFile(GUIDE, "utf8")) ?? [];
  const port = await freePort();
  const example = withPorts(await readFile(EXAMPLE, "utf8"), { 9000: upstreamPort, 8000: port });
  const changed = example.replace("  server 127.0.0.1:8080;", line.replace("/run/latchkey/edge.sock", socketPath));
  expect(changed).toContain(`server unix:${socketPath};`);
  // Who runs the tests as root has nginx' workers run as another user, outside of the socket's group.
  const user = process.getuid?.() === 0 ? "user root;\n" : "";
  const proxy = await runProxy(NGINX, port, async () => user + changed);
  onTestFinished(proxy.stop);

  const owner = await latchkey.dashboard();
  const { key, key_id } = await latchkey.createKey(owner, { permissions: ["plans:read"], allowed_ips: [INSIDE] });
  async function call(localAddress: string): Promise<string> {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    await once(socket, "connect");
    const lines = ["GET /plans/today HTTP/1.1", "Host: plans", `X-API-Key: ${key}`, "Connection: close"];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    return text(socket);
  }
  expect(await call(INSIDE)).toMatch(/^HTTP\/1\.1 200 [\s\S]*reached/);
  expect(await call(OUTSIDE)).toMatch(/^HTTP\/1\.1 403 [\s\S]*"denial_reason":"origin_not_allowed"/);
  await latchkey.call("/api/v1/api-keys/revoke", { key_id }, owner);
  expect(await call(INSIDE)).toMatch(/^HTTP\/1\.1 401 [\s\S]*"denial_reason":"api_key_revoked"/);
  expect(running.sidecar.status.asked).toBe(0);
}, 180_000);
