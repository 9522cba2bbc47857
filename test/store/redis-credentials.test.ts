import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cluster, type Redis } from "ioredis";
import { beforeAll, describe, expect, test } from "vitest";
import type { CertificateFiles } from "../../src/config/settings.ts";
import { connectRedis, signInWith } from "../../src/store/redis/redis-connection.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { makeCertificate, trust, writeCertificate } from "../harness/test-certificate.ts";
import { startOwnRedis, startRedisCluster, startSentinel } from "../servers/redis.ts";
import { createRedisClients, PASSWORD, RECOVERY_MS } from "./redis-clients.ts";

const { cleanUps, kept, connected } = createRedisClients();

describe("with TLS, passwords of their own, and certificates that are checked,", () => {
  const SENTINEL_PASSWORD = "of-the-sentinels";
  let tls: CertificateFiles;

  beforeAll(async () => {
    const dir = await mkdtemp(join(tmpdir(), "latchkey-redis-tls-"));
    cleanUps.push(() => rm(dir, { recursive: true, force: true }));
    // For the name alone: a client that connects to the address of localhost rejects it.
    const certificate = makeCertificate({ isNameOnly: true });
    trust(certificate);
    tls = await writeCertificate(dir, certificate);
  });

  const args = ["--requirepass", PASSWORD, "--masterauth", PASSWORD];
  const credentials = `:${encodeURIComponent(PASSWORD)}@`;
  const answerOf = (client: Redis | Cluster) => client.set("key", "value").catch(String);

  test("rediss+cluster:// reaches every node", async () => {
    const { url } = kept(await startRedisCluster({ password: PASSWORD, tls }));
    const client = await connected(url);
    for (let n = 0; n < 30; n++)
      await expect.poll(() => client.set(`key-${n}`, "value").catch(String), { timeout: RECOVERY_MS }).toBe("OK");
    expect(client instanceof Cluster && client.nodes("master")).toHaveLength(3);
    expect(await answerOf(await connected(url.replace("rediss", "redis")))).not.toBe("OK");
    expect(await answerOf(await connected(url.replaceAll("localhost", "127.0.0.1")))).not.toBe("OK");
  });

  test("rediss+sentinel:// reaches the sentinel and the primary, with the password of each", async () => {
    const primary = kept(await startOwnRedis({ args, tls }));
    const settings = { port: primary.port, password: PASSWORD, ownPassword: SENTINEL_PASSWORD, tls };
    const sentinel = kept(await startSentinel("main", settings));
    const url = `rediss+sentinel://${credentials}localhost:${sentinel.port}/main`;
    const withPassword = async (REDIS_SENTINEL_PASSWORD: string) => {
      const client = await connectRedis(redisAt(url, { REDIS_SENTINEL_PASSWORD }));
      cleanUps.push(() => client.disconnect());
      return client;
    };
    const client = await withPassword(SENTINEL_PASSWORD);
    await expect.poll(() => answerOf(client), { timeout: RECOVERY_MS }).toBe("OK");
    expect(await answerOf(await withPassword("wrong"))).not.toBe("OK");
    expect(await answerOf(await connected(url))).not.toBe("OK");
  });
});

describe("new credentials are used for the next connection", () => {
  const NEXT = "next-password";

  /** Breaks all other connections, after which only the new password is accepted. */
  async function changePassword(url: string): Promise<void> {
    const operator = await connected(url);
    await operator.call("ACL", "SETUSER", "default", "resetpass", `>${NEXT}`);
    await operator.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    operator.disconnect();
  }

  test("to the nodes of a cluster", async () => {
    const cluster = kept(await startRedisCluster({ password: "first-password" }));
    const client = await connected(cluster.url);
    const names = Array.from({ length: 30 }, (_, n) => `key-${n}`);
    const results = async () => [
      ...new Set(await Promise.all(names.map((name) => client.set(name, "").catch(String)))),
    ];
    await expect.poll(results, { timeout: RECOVERY_MS }).toEqual(["OK"]);
    for (const { port } of cluster.nodes) await changePassword(`redis://:first-password@127.0.0.1:${port}`);
    await expect.poll(results, { timeout: RECOVERY_MS }).not.toContain("OK");
    signInWith(client, redisAt(cluster.url.replace("first-password", NEXT)));
    await expect.poll(results, { timeout: RECOVERY_MS }).toEqual(["OK"]);
  });

  test("to a sentinel, and to the primary that it names", async () => {
    const primary = kept(await startOwnRedis({ args: ["--requirepass", "first-password"] }));
    const settings = { port: primary.port, password: "first-password", ownPassword: "first-of-sentinels" };
    const sentinel = kept(await startSentinel("main", settings));
    const url = `redis+sentinel://:first-password@127.0.0.1:${sentinel.port}/main`;
    const client = await connectRedis(redisAt(url, { REDIS_SENTINEL_PASSWORD: "first-of-sentinels" }));
    cleanUps.push(() => client.disconnect());
    const result = () => client.set("key", "value").catch(String);
    await expect.poll(result, { timeout: RECOVERY_MS }).toBe("OK");
    await changePassword(`redis://:first-of-sentinels@127.0.0.1:${sentinel.port}`);
    await changePassword(`redis://:first-password@127.0.0.1:${primary.port}`);
    await expect.poll(result, { timeout: RECOVERY_MS }).not.toBe("OK");
    signInWith(client, redisAt(url.replace("first-password", NEXT), { REDIS_SENTINEL_PASSWORD: NEXT }));
    await expect.poll(result, { timeout: RECOVERY_MS }).toBe("OK");
  });
});
