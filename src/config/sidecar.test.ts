import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "./config.ts";
import { isSidecar, readSidecarConfig, rereadToken, sidecarWarnings } from "./sidecar.ts";

const TOKEN = "edge-token-of-tests-0123456789abcdef";
const ENV = { EDGE_UPSTREAM: "https://latchkey.example/", EDGE_TOKEN: TOKEN };

/** The lines of the error. */
function problems(env: Record<string, string>): string[] {
  try {
    readSidecarConfig(env);
  } catch (err) {
    return (err as { problems: string[] }).problems;
  }
  return [];
}

test("an edge listens on loopback, and trusts what connects there", () => {
  const config = readSidecarConfig(ENV);
  expect(config).toMatchObject({
    upstream: "https://latchkey.example",
    token: TOKEN,
    port: { host: "127.0.0.1", port: 8_080 },
    socketPath: null,
    drainNoticeMs: 0,
  });
  expect(config.trustedProxies.ranges.map(({ first }) => first.text)).toEqual(["127.0.0.0", "::1"]);
  expect(Object.isFrozen(config)).toBe(true);
});

test("with a socket it listens on a port only if one is named", () => {
  expect(readSidecarConfig({ ...ENV, EDGE_SOCKET: "/run/latchkey.sock" })).toMatchObject({
    port: null,
    socketPath: "/run/latchkey.sock",
  });
  const both = readSidecarConfig({ ...ENV, EDGE_SOCKET: "/run/latchkey.sock", PORT: "9000" });
  expect(both.port).toEqual({ host: "127.0.0.1", port: 9_000 });
});

test("of two tokens it presents the first, which is the new one", () => {
  expect(readSidecarConfig({ ...ENV, EDGE_TOKEN: `${TOKEN},${TOKEN}-old` }).token).toBe(TOKEN);
});

test.each([
  [{}, ["EDGE_UPSTREAM is required", "EDGE_TOKEN is required"]],
  [{ ...ENV, EDGE_TOKEN: "short" }, ["EDGE_TOKEN must be one or two secrets"]],
  [{ ...ENV, EDGE_UPSTREAM: "latchkey:8080" }, ["EDGE_UPSTREAM must be a URL beginning with https:// or http://"]],
  [{ ...ENV, EDGE_UPSTREAM: "https://u:p@latchkey.example" }, ["EDGE_UPSTREAM must be without user name"]],
  [{ ...ENV, EDGE_UPSTREAM: "https://latchkey.example?a=1" }, ["EDGE_UPSTREAM must be without query"]],
  [{ ...ENV, EDGE_SOCKET: "latchkey.sock" }, ["EDGE_SOCKET must be a path that begins with /"]],
  [{ ...ENV, EDGE_SOCKET: `/${"a".repeat(107)}` }, ["EDGE_SOCKET must be a path"]],
  [
    { ...ENV, DATABASE_URL: "postgres://u@db/x", REDIS_URL: "redis://cache", WORKERS: "2" },
    ["DATABASE_URL is for the service", "REDIS_URL is for the service", "WORKERS is for the service"],
  ],
])("reports all mistakes of %j together", (env, expected) => {
  const found = problems(env);
  expect(found).toHaveLength(expected.length);
  for (const [n, text] of expected.entries()) expect(found[n]).toContain(text);
});

test("the service refuses what only an edge has", () => {
  expect(isSidecar(ENV)).toBe(true);
  expect(isSidecar({ EDGE_UPSTREAM: " " })).toBe(false);
  expect(() => readConfig(ENV)).toThrow("EDGE_UPSTREAM makes a process an edge of another service");
  expect(() => readConfig({ EDGE_SOCKET: "/run/latchkey.sock" })).toThrow("EDGE_SOCKET is for an edge");
});

test("warns of what is sent in the clear", () => {
  const warnings = (env: Record<string, string>) => [...sidecarWarnings(readSidecarConfig({ ...ENV, ...env }))];
  expect(warnings({})).toEqual([]);
  expect(warnings({ EDGE_UPSTREAM: "http://127.0.0.1:8080" })).toEqual([]);
  expect(warnings({ EDGE_UPSTREAM: "http://latchkey:8080", HOST: "0.0.0.0" })).toHaveLength(2);
});

test("a token that is read again is the first of its file, and one that cannot be used leaves it as it was", () => {
  const dir = mkdtempSync(join(tmpdir(), "latchkey-edge-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "token");
  const reread = (text: string) => {
    writeFileSync(path, text);
    return rereadToken({ EDGE_UPSTREAM: ENV.EDGE_UPSTREAM, EDGE_TOKEN_FILE: path }, TOKEN);
  };
  const other = TOKEN.replace("edge", "next");
  expect(reread(`${other},${TOKEN}\n`)).toEqual({ token: other, problems: [] });
  for (const [text, problem] of [
    ["short", "EDGE_TOKEN_FILE must be one or two secrets"],
    ["\n", "EDGE_TOKEN_FILE names a file that is empty"],
  ] as const)
    expect(reread(text)).toEqual({ token: TOKEN, problems: [expect.stringContaining(problem)] });
  rmSync(path);
  const { token, problems } = rereadToken({ EDGE_UPSTREAM: ENV.EDGE_UPSTREAM, EDGE_TOKEN_FILE: path }, TOKEN);
  expect([token, ...problems]).toEqual([
    TOKEN,
    expect.stringContaining("EDGE_TOKEN_FILE names a file that cannot be read"),
  ]);
  expect(rereadToken(ENV, TOKEN)).toEqual({ token: TOKEN, problems: [] });
});
