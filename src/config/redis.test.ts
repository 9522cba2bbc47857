import { describe, expect, test } from "vitest";
import { mistakes } from "../../test/harness/config-mistakes.ts";
import { readConfig } from "./config.ts";

describe("REDIS_URL", () => {
  test.each(["redis://127.0.0.1:6379", "rediss://user:p%40ss@[::1]:6379/2"])("may be %s", (value) => {
    expect(readConfig({ REDIS_URL: value }).redis).toEqual({ kind: "single", url: value });
  });

  const NO_TLS = { tls: false };
  const [one, two] = [
    { host: "one", port: 26_379 },
    { host: "two", port: 6_379 },
  ];
  const nodes = [
    { host: "::1", port: 7_000 },
    { host: "10.0.0.1", port: 7_001 },
  ];
  test.each([
    [
      "redis+sentinel://:a,b@one:26379,two/primary",
      {
        kind: "sentinel",
        nodes: [one, two],
        primary: "primary",
        credentials: { password: "a,b" },
        ...NO_TLS,
        sentinelCredentials: {},
      },
    ],
    [
      "redis+sentinel://one:26379/main-1",
      { kind: "sentinel", nodes: [one], primary: "main-1", credentials: {}, ...NO_TLS, sentinelCredentials: {} },
    ],
    ["redis+cluster://[::1]:7000,10.0.0.1:7001", { kind: "cluster", nodes, credentials: {}, ...NO_TLS }],
    ["rediss+cluster://two", { kind: "cluster", nodes: [two], credentials: {}, tls: true }],
    [
      "rediss+sentinel://two/primary",
      { kind: "sentinel", nodes: [two], primary: "primary", credentials: {}, sentinelCredentials: {}, tls: true },
    ],
    [
      "redis+cluster://us%40er:p%3Ass@two",
      { kind: "cluster", nodes: [two], credentials: { username: "us@er", password: "p:ss" }, ...NO_TLS },
    ],
    [
      "redis+cluster://us%40er:p:a%3Ass:@two",
      { kind: "cluster", nodes: [two], credentials: { username: "us@er", password: "p:a:ss:" }, ...NO_TLS },
    ],
  ])("may be %s", (value, servers) => {
    expect(readConfig({ REDIS_URL: value }).redis).toEqual(servers);
  });

  test("may name sentinels that have a user and a password of their own", () => {
    const REDIS_URL = "redis+sentinel://:of-redis@one/primary";
    const sentinel = { REDIS_SENTINEL_USERNAME: "us@er", REDIS_SENTINEL_PASSWORD: "p:ss" };
    expect(readConfig({ REDIS_URL, ...sentinel }).redis).toMatchObject({
      credentials: { password: "of-redis" },
      sentinelCredentials: { username: "us@er", password: "p:ss" },
    });
    expect(mistakes({ REDIS_URL, ...sentinel, REDIS_SENTINEL_PASSWORD: "" })).toEqual([
      "REDIS_SENTINEL_PASSWORD is required as soon as REDIS_SENTINEL_USERNAME is set",
    ]);
    for (const REDIS_URL of ["redis://one", "redis+cluster://one"]) {
      expect(mistakes({ REDIS_URL, REDIS_SENTINEL_PASSWORD: "hunter2" })).toEqual([
        expect.stringMatching(/^REDIS_SENTINEL_PASSWORD is for sentinels/),
      ]);
    }
  });

  test.each([
    ["redis://127.0.0.1:99999", "no port above 65535"],
    ["rediss://u:hunter2@[1:2]:6379", "must name a host"],
    ["redis+sentinel://u:hunter2@one:26379,two:99999/primary", "no port above 65535"],
    ["redis+cluster://one:70000,two", "no port above 65535"],
    ["redis://u:hunter2%zz@127.0.0.1", "percent-encoded"],
    ["redis+sentinel://:hunter2%@one/primary", "percent-encoded"],
    ["localhost:6379", "must be redis://host:port"],
    ["redis://127.0.0.1:6379?db=1", "must be redis://host:port"],
    ["redis://127.0.0.1:6379/1#", "must be redis://host:port"],
  ])("is refused with what is wrong, and without the password: %s", (value, problem) => {
    const lines = mistakes({ REDIS_URL: value });
    expect(lines).toEqual([expect.stringMatching(/^REDIS_URL must /)]);
    expect(lines.join()).toContain(problem);
    expect(lines.join()).not.toContain("hunter2");
  });

  const SERVERS = [
    "redis://%@one:6379",
    "rediss://%@one",
    "redis+sentinel://%@one,two/primary",
    "redis+cluster://%@one",
  ];
  test.each([
    ...["u:hunter2#x", "hunter2?x", ":hunter2/x", "u:hunter2@x", "u:hunter2%zz", "%:hunter2"],
    ...["lk:123#hunter2", "localhost:42002#hunter2", "u?:hunter2"],
  ])("never reads part of a user name or password as a host, and says how to write it: %s", (userInfo) => {
    for (const servers of SERVERS) {
      const lines = mistakes({ REDIS_URL: servers.replace("%", userInfo) });
      expect(lines).toEqual([expect.stringMatching(/^REDIS_URL must /)]);
      expect(lines[0]).toMatch(/ \/ \? # @ % in a user name or password are written %2F %3F %23 %40 %25$/);
      expect(lines[0]).not.toContain("hunter2");
    }
  });
});
