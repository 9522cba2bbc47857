import { once } from "node:events";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { EDGE_TOKEN } from "../harness/edges.ts";
import { type Latchkey, sharedLatchkey } from "../harness/latchkey.ts";
import { runDecidingSidecar, send } from "../harness/sidecars.ts";
import { trusting } from "../harness/trusted-proxies.ts";

let latchkey: Latchkey;
beforeAll(async () => {
  latchkey = await sharedLatchkey({ edgeTokens: [EDGE_TOKEN], trustedProxies: trusting(["127.0.0.0/8"]) });
});

const start = (changes?: Parameters<typeof runDecidingSidecar>[1]) => runDecidingSidecar(latchkey.url, changes);

describe("on a Unix socket", () => {
  async function socketPath(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "latchkey-edge-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return join(folder, "edge.sock");
  }

  test("it serves its owner and group, and trusts who connects to say the client's address", async () => {
    const path = await socketPath();
    const running = await start({ port: null, socketPath: path, trustedProxies: trusting([]) });
    expect((await stat(path)).mode & 0o777).toBe(0o660);
    expect(running.sidecar.port).toBeUndefined();
    const { key } = await latchkey.createKey(await latchkey.dashboard(), { allowed_ips: ["203.0.113.0/24"] });
    expect((await running.check("", { "x-api-key": key, "x-forwarded-for": "203.0.113.9" })).status).toBe(200);
    expect((await running.check("", { "x-api-key": key, "x-forwarded-for": "198.51.100.9" })).status).toBe(403);
    // The proxy does not say it, so it is none that is allowed.
    expect((await running.check("", { "x-api-key": key })).status).toBe(403);
    const id = `req_${crypto.randomUUID()}`;
    expect((await running.verify({ ...(await latchkey.dashboard()), "x-request-id": id })).status).toBe(200);
    // Where it is not known, the service must not take the edge's own address for it.
    const line = latchkey.logLines.map((text) => JSON.parse(text)).find(({ request_id }) => request_id === id);
    expect(line).toMatchObject({ client_address: null });
    expect((await running.get("/readyz")).status).toBe(200);
    await running.sidecar.close();
    await expect(stat(path)).rejects.toThrow("ENOENT");
  });

  test("and on a port beside it, if one is named", async () => {
    const path = await socketPath();
    const running = await start({ socketPath: path });
    const { key } = await latchkey.createKey(await latchkey.dashboard());
    expect((await running.verify({ "x-api-key": key })).status).toBe(200);
    const place = { socketPath: path, method: "GET", path: "/auth/check" };
    expect((await send(place, { "x-api-key": key })).status).toBe(200);
  });

  test("a socket on which another process listens stays", async () => {
    const path = await socketPath();
    const other = createServer().listen({ path });
    onTestFinished(() => void other.close());
    await once(other, "listening");
    await expect(start({ port: null, socketPath: path })).rejects.toThrow(`EDGE_SOCKET: ${path} is in use`);
    expect((await stat(path)).isSocket()).toBe(true);
  });

  test("a file of another kind stays", async () => {
    const path = await socketPath();
    await writeFile(path, "notes");
    await expect(start({ port: null, socketPath: path })).rejects.toThrow("is not a socket");
  });
});
