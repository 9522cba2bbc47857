import { setTimeout as sleep } from "node:timers/promises";
import { type Cluster, Redis } from "ioredis";
import { describe, type ExpectStatic, expect, test } from "vitest";
import { connectRedis, nodeOf } from "../../src/store/redis/redis-connection.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { freePort } from "../servers/free-port.ts";
import { type RedisServer, startOwnRedis, startRedisCluster, startSentinel } from "../servers/redis.ts";
import { startProxy, startSilentServer } from "../servers/tcp.ts";
import { createRedisClients, PASSWORD, RECOVERY_MS, within } from "./redis-clients.ts";

const { cleanUps, kept, connected, working } = createRedisClients();

describe.concurrent("redis://", () => {
  test("connects to a server", async ({ expect }) => {
    const server = kept(await startOwnRedis());
    expect(await (await working(server.url)).set("key", "value")).toBe("OK");
  });

  test("takes user, password and database from the URL", async ({ expect }) => {
    const server = kept(await startOwnRedis({ args: ["--requirepass", PASSWORD] }));
    const url = `redis://default:${encodeURIComponent(PASSWORD)}@127.0.0.1:${server.port}/3`;
    const client = await working(url);
    await client.set("key", "value");
    expect(await client.call("CLIENT", "INFO")).toContain(" db=3 ");
  });

  test("with a wrong password fails at each command and throws nothing at the start", async ({ expect }) => {
    const server = kept(await startOwnRedis({ args: ["--requirepass", PASSWORD] }));
    await expect((await connected(`redis://:wrong@127.0.0.1:${server.port}`)).get("key")).rejects.toThrow();
  });

  test("reconnects by itself, and a command meanwhile fails soon", async ({ expect }) => {
    const server = await startOwnRedis();
    const client = await working(server.url);
    await client.ping();
    await server.stop();
    await expect(within(1_000, client.ping())).rejects.not.toThrow("not done");
    kept(await startOwnRedis({ port: server.port }));
    await expect.poll(() => client.ping().catch(String), { timeout: RECOVERY_MS }).toBe("PONG");
  });

  test("commands to a server that hangs time out, and succeed again when it continues", async ({ expect }) => {
    const server = kept(await startOwnRedis());
    const client = await working(server.url);
    await client.ping();
    process.kill(server.pid, "SIGSTOP");
    await expect(within(3_000, client.ping())).rejects.not.toThrow("not done");
    process.kill(server.pid, "SIGCONT");
    await expect.poll(() => client.ping().catch(String), { timeout: RECOVERY_MS }).toBe("PONG");
  });

  test("a connection that stops responding, as when its host vanished, is replaced", async ({ expect }) => {
    const server = kept(await startOwnRedis());
    const proxy = kept(await startProxy(server.port));
    const client = await working(`redis://127.0.0.1:${proxy.port}`);
    expect(await client.ping()).toBe("PONG");
    proxy.silenceOpenConnections();
    await expect(client.ping()).rejects.toThrow();
    await expect.poll(() => client.ping().catch(String), { timeout: RECOVERY_MS, interval: 250 }).toBe("PONG");
  }, 60_000);

  test("a primary that became a replica, and still answers, is left for the server at its address", async ({
    expect,
  }) => {
    const [old, successor] = [kept(await startOwnRedis()), kept(await startOwnRedis())];
    const proxy = kept(await startProxy(old.port));
    const client = await working(`redis://127.0.0.1:${proxy.port}`);
    expect(await client.set("key", "value")).toBe("OK");
    proxy.redirect(successor.port);
    await (await working(old.url)).call("REPLICAOF", "127.0.0.1", successor.port);
    await expect(client.set("key", "value")).rejects.toThrow("READONLY");
    await expect.poll(() => client.set("key", "value").catch(String), { timeout: RECOVERY_MS }).toBe("OK");
  });
});

describe("a database that Redis does not let us select", () => {
  const FORBIDDEN = ["ACL", "SETUSER", "default", "-select"] as const;
  const ALLOWED = ["ACL", "SETUSER", "default", "+select"] as const;

  /** Keeps sending commands, also while the connection is being opened, until it is stopped. */
  function sendAllTheTime(client: Redis | Cluster): () => Promise<string[]> {
    const failures = new Set<string>();
    let isOver = false;
    const sending = (async () => {
      while (!isOver) {
        client.set("key", "value").catch((err: Error) => failures.add(err.message));
        await new Promise(setImmediate);
      }
    })();
    return async () => {
      isOver = true;
      await sending;
      return [...failures];
    };
  }

  test("is the only one in which commands of ours run: a connection is given up until it may", async () => {
    const server = kept(await startOwnRedis());
    const operator = await working(server.url);
    const client = await connected(`${server.url}/1`);
    await expect.poll(() => client.set("key", "value").catch(String), { timeout: RECOVERY_MS }).toBe("OK");
    await operator.call(...FORBIDDEN);
    const stop = sendAllTheTime(client);
    const refused = new Promise((resolve) => {
      let count = 0;
      client.on("error", ({ message }) => {
        if (/select/.test(message) && ++count === 5) resolve(count);
      });
    });
    await operator.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await within(RECOVERY_MS, refused);
    await stop();
    expect(await operator.dbsize()).toBe(0);
    await expect(client.set("key", "value")).rejects.toThrow();
    await operator.call(...ALLOWED);
    await expect.poll(() => client.set("key", "new").catch(String), { timeout: RECOVERY_MS }).toBe("OK");
    expect(await operator.dbsize()).toBe(0);
  }, 60_000);

  test("is reported as the reason why the connection fails", async () => {
    const server = kept(await startOwnRedis());
    const operator = await working(server.url);
    const errors: string[] = [];
    const client = await connectRedis(redisAt(`${server.url}/1`), ({ message }) => errors.push(message));
    cleanUps.push(() => client.disconnect());
    await operator.call(...FORBIDDEN);
    await operator.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await expect.poll(() => errors.length, { timeout: RECOVERY_MS }).toBeGreaterThan(3);
    expect(errors.filter((message) => !/select/.test(message))).toEqual([]);
  });

  test.each<[string, (operator: Redis | Cluster) => unknown, number]>([
    ["no database has this number", () => {}, 99],
    ["the user may not", (operator) => operator.call(...FORBIDDEN), 1],
  ])("ends a start: %s", async (_, forbid, database) => {
    const server = kept(await startOwnRedis());
    await forbid(await connected(server.url));
    await expect(connected(`${server.url}/${database}`)).rejects.toThrow(
      `REDIS_URL names database ${database}, which Redis refuses`,
    );
  });

  test("because it is busy does not fail the start: Redis is unavailable until it is no longer busy", async () => {
    const server = kept(await startOwnRedis({ args: ["--busy-reply-threshold", "1"] }));
    const operator = await working(server.url);
    const busy = operator.eval("while true do end", 0).catch(String);
    const client = await connected(`${server.url}/1`);
    await expect(client.set("key", "value")).rejects.toThrow();
    const other = new Redis(server.url, { enableReadyCheck: false });
    await other.script("KILL").finally(() => other.disconnect());
    await busy;
    await expect.poll(() => client.set("key", "value").catch(String), { timeout: RECOVERY_MS }).toBe("OK");
    expect(await client.call("CLIENT", "INFO")).toContain(" db=1 ");
  });
});

describe.concurrent("redis+cluster://", () => {
  test("finds all nodes from some of them, with credentials", async ({ expect }) => {
    const cluster = kept(await startRedisCluster({ password: PASSWORD }));
    const client = await working(cluster.url);
    const names = Array.from({ length: 60 }, (_, n) => `key-${n}`);
    await Promise.all(names.map((name) => client.set(name, "value")));
    const direct = await Promise.all(
      cluster.nodes.map(({ port }) => working(`redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`)),
    );
    const sizes = await Promise.all(direct.map((node) => node.dbsize()));
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(names.length);
  });

  test("works as long as one of the nodes named is there", async ({ expect }) => {
    const cluster = kept(await startRedisCluster());
    const nodes = `127.0.0.1:${await freePort()},127.0.0.1:${cluster.nodes[2]?.port}`;
    const client = await connected(`redis+cluster://${nodes}`);
    await expect.poll(() => client.set("key", "value").catch(String), { timeout: RECOVERY_MS }).toBe("OK");
  });

  test("a command for a node that is gone fails soon, and other nodes keep working", async ({ expect }) => {
    const cluster = kept(await startRedisCluster());
    // Without this, the other nodes reject all slots as soon as they notice.
    const direct = await Promise.all(cluster.nodes.map(({ url }) => working(url)));
    await Promise.all(direct.map((node) => node.call("CONFIG", "SET", "cluster-require-full-coverage", "no")));
    const client = await working(cluster.url);
    const names = Array.from({ length: 30 }, (_, n) => `key-${n}`);
    await Promise.all(names.map((name) => client.set(name, "value")));
    const lost = new Set(await direct[0]?.keys("*"));
    expect(lost.size).toBeGreaterThan(0);
    await cluster.nodes[0]?.stop();
    for (const name of names) {
      const result = await within(
        2_000,
        client.get(name).catch(() => "failed"),
      );
      expect({ name, result }).toEqual({ name, result: lost.has(name) ? "failed" : "value" });
    }
  });
});

describe("redis+sentinel://", () => {
  test("finds the primary by its name, with credentials, and follows it to its successor", async () => {
    const args = ["--requirepass", PASSWORD, "--masterauth", PASSWORD, "--repl-diskless-sync-delay", "0"];
    const primary = kept(await startOwnRedis({ args }));
    const replica = kept(await startOwnRedis({ args: [...args, "--replicaof", "127.0.0.1", `${primary.port}`] }));
    const credentials = `:${encodeURIComponent(PASSWORD)}@`;
    const onReplica = await connected(`redis://${credentials}127.0.0.1:${replica.port}`);
    const linked = () => onReplica.info("replication");
    await expect.poll(linked, { timeout: RECOVERY_MS }).toContain("master_link_status:up");
    const sentinel = kept(await startSentinel("main", { port: primary.port, password: PASSWORD }));

    const client = await connected(`redis+sentinel://${credentials}127.0.0.1:${sentinel.port}/main`);
    await expect.poll(() => client.set("key", "value").catch(String), { timeout: RECOVERY_MS }).toBe("OK");
    const onSentinel = await connected(sentinel.url);
    const known = async () => JSON.stringify(await onSentinel.call("SENTINEL", "REPLICAS", "main"));
    await expect.poll(known, { timeout: RECOVERY_MS }).toContain(`${replica.port}`);
    await primary.stop();
    await expect.poll(() => client.set("key", "new").catch(String), { timeout: 30_000, interval: 200 }).toBe("OK");
    expect(await onReplica.get("key")).toBe("new");
  }, 90_000);
});

describe.concurrent("a command whose connection is closed before the reply", () => {
  /**
   * Two commands to a server that hangs: the second is not late yet when the connection is closed because of the first.
   */
  async function expectSentOnce(expect: ExpectStatic, client: Redis | Cluster, { pid }: RedisServer): Promise<void> {
    // A node of a new cluster may refuse its first commands.
    await expect.poll(() => client.set("key", "1").catch(String), { timeout: RECOVERY_MS }).toBe("OK");
    process.kill(pid, "SIGSTOP");
    const first = client.incr("key").catch(String);
    await sleep(1_000);
    const second = client.incr("key").catch(String);
    // The connection is closed, after 2 s and the more the busier this process is.
    await first;
    // Time to reconnect, and to send it again to the server that continues now.
    await sleep(900);
    process.kill(pid, "SIGCONT");
    expect(await Promise.all([first, second])).toEqual([expect.any(String), expect.any(String)]);
    // The server may have run the command that it got before it continued, once.
    await expect.poll(() => client.get("key").catch(String), { timeout: RECOVERY_MS }).toMatch(/^[123]$/);
  }

  test("redis:// is not sent again", async ({ expect }) => {
    const server = kept(await startOwnRedis());
    await expectSentOnce(expect, await connected(server.url), server);
  });

  test("redis+cluster:// is not sent again", async ({ expect }) => {
    const cluster = kept(await startRedisCluster());
    const client = await connected(cluster.url);
    const nodes = cluster.nodes.filter(({ port }) => `127.0.0.1:${port}` === nodeOf(client, "key"));
    expect(nodes).toHaveLength(1);
    for (const node of nodes) await expectSentOnce(expect, client, node);
  });
});

describe("a command whose reply arrives while this process is stopped", () => {
  /** Longer than an unresponsive connection is kept. */
  const STANDSTILL_MS = 3_000;

  function standStill(): void {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STANDSTILL_MS);
  }

  test("gets its reply: by redis://, and by redis+cluster://", async () => {
    const clients = [
      await connected(kept(await startOwnRedis()).url),
      await connected(kept(await startRedisCluster()).url),
    ];
    for (const each of clients) {
      await expect.poll(() => each.set("key", "value").catch(String), { timeout: RECOVERY_MS }).toBe("OK");
    }
    const answers = clients.map((each) => each.get("key").catch(String));
    standStill();
    expect(await Promise.all(answers)).toEqual(clients.map(() => "value"));
  });
});

describe.concurrent("an unavailable Redis does not fail the start", () => {
  const forms: readonly [string, (port: number) => string][] = [
    ["redis://", (port) => `redis://127.0.0.1:${port}`],
    ["redis+cluster://", (port) => `redis+cluster://127.0.0.1:${port},localhost:${port}`],
    ["redis+sentinel://", (port) => `redis+sentinel://127.0.0.1:${port},localhost:${port}/main`],
  ];

  test.for(forms)("%s with no server listening", async ([, urlOf], { expect }) => {
    const client = await connected(urlOf(await freePort()));
    await expect(within(2_000, client.get("key"))).rejects.not.toThrow("not done");
  });

  test.for(forms)("%s with a server that accepts connections and does not respond", async ([, urlOf], { expect }) => {
    const silent = kept(await startSilentServer());
    const client = await connected(urlOf(silent.port));
    await expect(within(2_000, client.get("key"))).rejects.not.toThrow("not done");
  });

  test.for(forms)("%s with a server that speaks no Redis", async ([, urlOf], { expect }) => {
    const other = kept(await startSilentServer("HTTP/1.1 400 Bad Request\r\n\r\n"));
    const client = await connected(urlOf(other.port));
    await expect(within(2_000, client.get("key"))).rejects.not.toThrow("not done");
  });

  test("redis:// connects as soon as the server is there", async ({ expect }) => {
    const port = await freePort();
    const client = await connected(`redis://127.0.0.1:${port}`);
    kept(await startOwnRedis({ port }));
    await expect.poll(() => client.ping().catch(String), { timeout: RECOVERY_MS }).toBe("PONG");
  });

  test("redis+cluster:// connects as soon as the server is there", async ({ expect }) => {
    const cluster = kept(await startRedisCluster());
    for (const { pid } of cluster.nodes) process.kill(pid, "SIGSTOP");
    const client = await connected(cluster.url);
    for (const { pid } of cluster.nodes) process.kill(pid, "SIGCONT");
    await expect.poll(() => client.set("key", "value").catch(String), { timeout: RECOVERY_MS }).toBe("OK");
  });

  test("redis+sentinel:// connects as soon as the server is there", async ({ expect }) => {
    const primary = kept(await startOwnRedis());
    const sentinel = kept(await startSentinel("main", primary));
    process.kill(sentinel.pid, "SIGSTOP");
    const client = await connected(`redis+sentinel://127.0.0.1:${sentinel.port}/main`);
    process.kill(sentinel.pid, "SIGCONT");
    await expect.poll(() => client.set("key", "value").catch(String), { timeout: RECOVERY_MS }).toBe("OK");
  });
});

test.concurrent("a cluster that rejects the password of REDIS_URL is reported as that", async ({ expect }) => {
  const cluster = kept(await startRedisCluster({ password: PASSWORD }));
  const [{ port } = { port: 0 }] = cluster.nodes;
  const errors: string[] = [];
  const servers = redisAt(`redis+cluster://:wrong@127.0.0.1:${port}`);
  const client = await connectRedis(servers, ({ message }) => void errors.push(message));
  cleanUps.push(() => client.disconnect());
  await expect.poll(() => errors).toContainEqual(expect.stringMatching(/WRONGPASS|NOAUTH/));
});
