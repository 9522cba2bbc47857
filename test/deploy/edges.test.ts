// promise: edges.streams
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { EDGE_TOKEN, outcome, startEdge } from "../harness/edges.ts";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { scrape, sumOf } from "../harness/scrape.ts";
import { makeCertificate, trust } from "../harness/test-certificate.ts";
import { runProxy } from "../proxies/proxy.ts";
import { freePort } from "../servers/free-port.ts";
import { BALANCERS } from "./balancers.ts";
import { readText } from "./files.ts";

// HAProxy, with the lines of docs/guides/edge.md, between edges and the admin ports of two replicas.

const certificate = makeCertificate();
let fleet: Fleet;
let replicas: (Replica & { readonly adminUrl: string })[];
let haproxy: { stop(): Promise<void> };
let url: string;

beforeAll(async () => {
  trust(certificate);
  fleet = await startFleet(inject("redisUrl"));
  const [balancer, edges, ...admin] = [await freePort(), await freePort(), await freePort(), await freePort()];
  replicas = await Promise.all(
    admin.map(async (port) => {
      const replica = await fleet.start({ ADMIN_PORT: String(port), EDGE_TOKEN });
      return { ...replica, adminUrl: `http://127.0.0.1:${port}` };
    }),
  );
  const [, lines = ""] = /^```haproxy\n([\s\S]*?)^```/m.exec(await readText("docs/guides/edge.md")) ?? [];
  const here = lines
    .replaceAll(/latchkey-([12]):9090/g, (_, n) => `127.0.0.1:${admin[Number(n) - 1]}`)
    .replace(":9443", `127.0.0.1:${edges}`)
    .replaceAll(/(timeout (?:client|server) +)60s/g, "$11s");
  const { kind, configure } = BALANCERS.HAProxy;
  const ports = { balancer, replicas: [admin[0] ?? 0, admin[1] ?? 0] } as const;
  haproxy = await runProxy(kind, balancer, (folder) => configure(folder, ports, certificate, here));
  url = `https://127.0.0.1:${edges}`;
}, 180_000);
afterAll(async () => {
  await haproxy?.stop();
  await fleet?.close();
});

async function followers({ adminUrl }: { readonly adminUrl: string }): Promise<number> {
  return sumOf(await scrape(adminUrl), "latchkey_edges");
}

test("an edge follows a replica through HAProxy, and another one when that hangs or ends; a revocation binds", async () => {
  const edge = await startEdge(url);
  const [first, second] = replicas;
  if (first === undefined || second === undefined) throw new Error("there are no replicas");
  const { key, key_id } = await fleet.createKey(first, {});
  const verdict = () => outcome(edge, { "x-api-key": key });
  await expect.poll(verdict).toBe("admitted");
  const [followed, other] = (await followers(first)) === 1 ? [first, second] : [second, first];

  followed.child.kill("SIGSTOP");
  await expect.poll(() => followers(other)).toBe(1);
  await expect.poll(verdict).toBe("admitted");
  followed.child.kill("SIGCONT");
  await expect.poll(() => followers(followed)).toBe(0);

  await other.end("SIGTERM");
  await expect.poll(() => followers(followed)).toBe(1);
  await expect.poll(verdict).toBe("admitted");
  const { decided } = edge.status;
  const revoked = await followed.call("/api/v1/api-keys/revoke", { key_id }, await fleet.dashboard());
  expect(revoked.status, revoked.text).toBe(200);
  expect(await verdict()).toBe("api_key_revoked");
  expect(edge.status.decided).toBeGreaterThan(decided);
}, 180_000);
