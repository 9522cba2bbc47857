// promise: key-sets.addresses, key-sets.answers
import { createServer as createTcpServer } from "node:net";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JwksOwner } from "../../src/domain/tokens/claims.ts";
import { createSafeFetch, type SafeFetchOptions } from "../../src/store/jwks/safe-fetch.ts";
import { waitedMs } from "../harness/waited.ts";
import { listenOnLoopback } from "../servers/loopback.ts";
import {
  closeAfterTest,
  generateKey,
  signToken,
  startCanary,
  startKeyServer,
  startVerifier,
  validClaims,
} from "./provider.ts";

const KEY = generateKey("ES256");
const TENANT = { kind: "tenant", tenantId: "ten_1" } as const;

function startFetch(options: Partial<SafeFetchOptions> = {}) {
  const safeFetch = createSafeFetch({ allowedHosts: [], ...options });
  closeAfterTest(() => safeFetch.close());
  return safeFetch;
}

describe("tenants' URLs", () => {
  // threat: F1
  test("reach no listener on loopback, however they are spelled", async () => {
    const canary = await startCanary();
    const { checkToken } = startVerifier({ allowed: [`localhost:${canary.port}`] });
    const { port } = canary;
    const hosts = ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]", "2130706433"];
    hosts.push("0x7f.1", "0177.0.0.1", "127.1", "127.0.0.1.", "①②⑦.0.0.1", "127%2e0.0.1", "localhost.", "a.localhost");
    for (const host of hosts) {
      for (const url of [`http://${host}:${port}/`, `https://${host}:${port}/`, `https://${host}/`]) {
        expect(await checkToken(signToken(KEY), { jwksUrl: url })).toBe("verifier_error");
      }
    }
    for (const scheme of ["ftp", "ws", "gopher", "file", "data", "javascript", "blob"]) {
      expect(await checkToken(signToken(KEY), { jwksUrl: `${scheme}://localhost:${port}/` })).toBe("verifier_error");
    }
    for (const userinfo of ["u:p", "u", ""]) {
      const jwksUrl = `http://${userinfo}@localhost:${port}/`;
      expect(await checkToken(signToken(KEY), { jwksUrl })).toBe("verifier_error");
    }
    expect(canary.connections).toBe(0);
  });

  test("reach an allow-listed host only by exactly this host and port", async () => {
    const server = await startKeyServer(KEY.jwk);
    const canary = await startCanary();
    const { checkToken } = startVerifier({ allowed: [`LOCALHOST:${server.host.split(":")[1]}`] });
    const jwksUrl = server.url.replace("127.0.0.1", "localhost");
    expect(await checkToken(signToken(KEY), { jwksUrl })).toEqual(validClaims());
    expect(await checkToken(signToken(KEY), { jwksUrl: jwksUrl.toUpperCase() })).toEqual(validClaims());
    expect(await checkToken(signToken(KEY), { jwksUrl: server.url })).toBe("verifier_error");
    expect(await checkToken(signToken(KEY), { jwksUrl: `http://localhost:${canary.port}/` })).toBe("verifier_error");
    expect(canary.connections).toBe(0);
    expect(server.requests).toBe(2);
  });

  // threat: F2
  test.each([
    [["127.0.0.1"]],
    [["169.254.169.254"]],
    [["::ffff:10.0.0.1"]],
    [["64:ff9b::7f00:1"]],
    [["fd00:ec2::254"]],
    [["93.184.215.14", "127.0.0.1"]],
    [["2606:2800:21f::1", "::1"]],
    [[]],
    [["not an address"]],
  ])("whose name resolves to %j are not connected to", async (ips) => {
    const safeFetch = startFetch({ resolve: async () => ips });
    await expect(safeFetch.fetchText("https://idp.example/", TENANT)).rejects.toThrow("not public");
  });

  // threat: F3
  test("are resolved once for each connection, which goes to the address that was checked", async () => {
    let resolutions = 0;
    const resolve = async () => {
      resolutions++;
      return ["127.0.0.1"];
    };
    const safeFetch = startFetch({ resolve });
    await expect(safeFetch.fetchText("https://idp.example/", TENANT)).rejects.toThrow("not public");
    expect(resolutions).toBe(1);
  });

  test("whose name servers hang take no longer than a fetch may", async () => {
    const safeFetch = startFetch({ resolve: () => new Promise(() => {}), timeoutMs: 200 });
    const fetched = safeFetch.fetchText("https://idp.example/", TENANT);
    expect(await waitedMs(expect(fetched).rejects.toThrow())).toBeLessThan(1_500);
  });

  test("whose name does not exist are an ordinary error", async () => {
    const safeFetch = startFetch({ resolve: () => Promise.reject(new Error("ENOTFOUND")) });
    await expect(safeFetch.fetchText("https://idp.example/", TENANT)).rejects.toThrow("ENOTFOUND");
  });

  test("are fetched or rejected, and never crash", async () => {
    const safeFetch = startFetch({ resolve: async () => [] });
    const refused = fc.asyncProperty(fc.oneof(fc.webUrl(), fc.string()), async (url) => {
      await expect(safeFetch.fetchText(url, TENANT)).rejects.toThrow();
    });
    await fc.assert(refused, { numRuns: 300 });
  });
});

describe("an answer without end", () => {
  test.each([
    ["in its reason phrase", "HTTP/1.1 200 ", "O"],
    ["in the extension of a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "a"],
    ["in empty lines before it", "", "\r\n"],
    ["in informational answers", "", "HTTP/1.1 103 Early Hints\r\n\r\n"],
  ])("%s is read up to 1 MiB, and not until the time limit", async (_what, head, more) => {
    const piece = more.repeat(65_536 / more.length);
    const server = createTcpServer((socket) => {
      socket.on("error", () => {});
      const send = (): void => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.write(head);
      socket.on("drain", send);
      send();
    });
    const port = await listenOnLoopback(server);
    closeAfterTest(() => new Promise((resolve) => server.close(resolve)));
    const { fetchText } = startFetch({ timeoutMs: 60_000 });
    await expect(fetchText(`http://127.0.0.1:${port}/`, { kind: "operator" })).rejects.toThrow("bytes were sent");
  });
});

describe("operators' URLs", () => {
  test("may be private and without TLS", async () => {
    const server = await startKeyServer(KEY.jwk);
    const jwksUrl = server.url.replace("127.0.0.1", "localhost");
    const { checkToken } = startVerifier({});
    expect(await checkToken(signToken(KEY), { jwksUrl, jwksOwner: { kind: "operator" } })).toEqual(validClaims());
    expect(await checkToken(signToken(KEY), { jwksUrl, jwksOwner: TENANT })).toBe("verifier_error");
  });

  test.each(["", "idp", "ftp://idp.example/"])("of %j are an error, not a crash", async (jwksUrl) => {
    const { checkToken } = startVerifier({});
    expect(await checkToken(signToken(KEY), { jwksUrl, jwksOwner: { kind: "operator" } })).toBe("verifier_error");
  });
});

describe.each<JwksOwner>([TENANT, { kind: "operator" }])("every fetch for a $kind", (owner) => {
  const TIMEOUT_MS = 400;

  async function startServer() {
    const server = await startKeyServer();
    const { fetchText } = startFetch({ allowedHosts: [server.host], timeoutMs: TIMEOUT_MS });
    return { server, fetchIt: () => fetchText(server.url, owner) };
  }

  // threat: F4
  test.each([301, 302, 303, 307, 308])("follows no redirect with %i", async (status) => {
    const canary = await startCanary();
    const { server, fetchIt } = await startServer();
    for (const location of [`http://127.0.0.1:${canary.port}/`, "file:///etc/passwd", server.url]) {
      server.respond = (_req, res) => res.writeHead(status, { location }).end('{"keys":[]}');
      await expect(fetchIt()).rejects.toThrow(`${status}`);
    }
    expect(canary.connections).toBe(0);
    expect(server.requests).toBe(3);
  });

  test("requests an uncompressed body, with its path and query", async () => {
    const { server, fetchIt } = await startServer();
    server.respond = (req, res) => res.end(JSON.stringify([req.method, req.url, req.headers]));
    const seen = await fetchIt();
    expect(seen).toContain('"GET","/jwks.json"');
    expect(seen).toContain('"accept-encoding":"identity"');
    expect(seen).not.toMatch(/authorization|cookie/i);
  });

  // threat: F9
  test("reads 512 KiB and no more", async () => {
    const { server, fetchIt } = await startServer();
    server.respond = (_req, res) => res.end("x".repeat(524_288));
    expect(await fetchIt()).toHaveLength(524_288);
    server.respond = (_req, res) => res.end("x".repeat(524_289));
    await expect(fetchIt()).rejects.toThrow("bytes");
  });

  test("aborts an endless body", async () => {
    const { server, fetchIt } = await startServer();
    let sent = 0;
    server.respond = (_req, res) => {
      const pump = () => {
        if (res.destroyed) return;
        sent += 65_536;
        if (res.write(Buffer.alloc(65_536, " "))) setImmediate(pump);
        else res.once("drain", pump);
      };
      pump();
    };
    await expect(fetchIt()).rejects.toThrow("bytes");
    // The rest of it is what fits into the sockets' buffers.
    expect(sent).toBeLessThan(16 * 1_048_576);
  });

  // threat: F9
  test("aborts endless headers", async () => {
    const server = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.write("HTTP/1.1 200 OK\r\n");
      const pump = setInterval(() => socket.write(`x: ${"x".repeat(8_192)}\r\n`), 1);
      socket.on("close", () => clearInterval(pump));
    });
    const port = await listenOnLoopback(server);
    closeAfterTest(() => new Promise((resolve) => server.close(resolve)));
    const { fetchText } = startFetch({ allowedHosts: [`127.0.0.1:${port}`] });
    await expect(fetchText(`http://127.0.0.1:${port}/`, owner)).rejects.toThrow(/header/i);
  });

  // threat: F9
  test("does not decompress a body", async () => {
    const { server, fetchIt } = await startServer();
    const bomb = gzipSync(Buffer.alloc(64 * 1_048_576, " "));
    server.respond = (_req, res) => res.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    await expect(fetchIt()).rejects.toThrow();
  });

  // threat: F9
  test.each([
    ["answers nothing", () => {}],
    ["stops within the headers", undefined],
    ["stops within the body", "stop"],
    ["drips a byte every 20 ms", "drip"],
  ])("ends in time if the server %s", async (_name, behaviour) => {
    const { server, fetchIt } = await startServer();
    server.respond = (_req, res) => {
      if (behaviour === undefined) res.socket?.write("HTTP/1.1 200 OK\r\nx: ");
      if (behaviour === "stop") res.write('{"keys":');
      if (behaviour === "drip") {
        const drip = setInterval(() => res.write(" "), 20);
        res.on("close", () => clearInterval(drip));
      }
    };
    expect(await waitedMs(expect(fetchIt()).rejects.toThrow())).toBeLessThan(TIMEOUT_MS + 1_000);
  });

  test("uses its own connection and closes it", async () => {
    const { server, fetchIt } = await startServer();
    const sockets = new Set<unknown>();
    server.respond = (req, res) => {
      sockets.add(req.socket);
      req.socket.once("close", () => sockets.delete(req.socket));
      res.end("{}");
    };
    for (let index = 0; index < 5; index++) await fetchIt();
    await expect.poll(() => sockets.size).toBe(0);
  });
});

test("closing ends the fetches under way", async () => {
  const server = await startKeyServer();
  server.respond = () => {};
  const safeFetch = createSafeFetch({ allowedHosts: [server.host] });
  const fetched = expect(safeFetch.fetchText(server.url, TENANT)).rejects.toThrow();
  await expect.poll(() => server.requests).toBe(1);
  await safeFetch.close();
  await fetched;
});
