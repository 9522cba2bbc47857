// promise: limits.redis-log
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createOutageLog, RESTART_MS } from "./outage-log.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const REFUSED = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:6379"), { code: "ECONNREFUSED" });

function reply(message: string): Error {
  return Object.assign(new Error(message), { name: "ReplyError" });
}

/** The log, and its lines as level and text. */
function start() {
  const lines: string[] = [];
  const add = (line: string) => {
    const { level, msg, node } = JSON.parse(line);
    lines.push(`${level} ${msg.split(":")[0]}${node === undefined ? "" : ` ${node}`}`);
  };
  const log = pino({}, { write: add });
  const error = (message: string) => log.error(message);
  return { ...createOutageLog({ log, error, servers: "redis:6379", monotonicMs: () => Date.now() }), lines };
}

const went = (node?: string) => ({ node, isUp: false, allUp: false, cause: REFUSED });
const cameBack = (node?: string) => ({ node, isUp: true, allUp: true, cause: undefined });

describe("a Redis that is back within ten seconds", () => {
  test("is a warning and its end, and no error, however many attempts to connect have failed", () => {
    const { changed, failed, connected, lines } = start();
    connected();
    for (let n = 0; n < 39; n++) {
      failed(n % 2 === 0 ? REFUSED : reply("LOADING Redis is loading the dataset in memory"));
      if (n === 2) changed(went());
      vi.advanceTimersByTime(250);
    }
    connected();
    changed(cameBack());
    vi.advanceTimersByTime(60_000);
    expect(lines).toEqual(["40 Redis is away", "30 Redis is back"]);
  });

  test("begins again at each restart", () => {
    const { changed, failed, connected, lines } = start();
    for (let restart = 0; restart < 3; restart++) {
      connected();
      failed(REFUSED);
      changed(went());
      vi.advanceTimersByTime(RESTART_MS - 1);
      changed(cameBack());
    }
    expect(lines.filter((line) => line.startsWith("50"))).toEqual([]);
  });
});

describe("an error is", () => {
  test("an outage that lasts, once, with the cause why nothing connects", () => {
    const { changed, failed, connected, lines } = start();
    connected();
    failed(REFUSED);
    changed(went());
    vi.advanceTimersByTime(RESTART_MS);
    failed(REFUSED);
    vi.advanceTimersByTime(60_000);
    expect(lines).toEqual(["40 Redis is away", "50 Redis has been away for 10 s", "50 cannot connect to Redis"]);
  });

  test("one node of a cluster that lasts, while another one comes back", () => {
    const { changed, lines } = start();
    changed(went("a:1"));
    changed(went("b:1"));
    vi.advanceTimersByTime(1_000);
    changed(cameBack("a:1"));
    vi.advanceTimersByTime(RESTART_MS);
    expect(lines.filter((line) => line.startsWith("50"))).toEqual(["50 Redis has been away for 10 s b:1"]);
  });

  test("a cause before the first connection, and a reply that does not pass by itself, at once", () => {
    const atStart = start();
    atStart.failed(REFUSED);
    expect(atStart.lines).toEqual(["50 cannot connect to Redis"]);
    const later = start();
    later.connected();
    for (const message of ["NOAUTH Authentication required.", "WRONGPASS invalid", "NOPERM no"])
      later.failed(reply(message));
    expect(later.lines).toEqual(Array.from({ length: 3 }, () => "50 cannot connect to Redis"));
  });

  test("none after the process has closed it", () => {
    const { changed, close, lines } = start();
    changed(went());
    close();
    vi.advanceTimersByTime(60_000);
    expect(lines).toEqual(["40 Redis is away"]);
  });
});
