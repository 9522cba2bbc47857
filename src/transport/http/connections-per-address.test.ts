// promise: http.per-address
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { parseRange } from "../../domain/addresses/address-range.ts";
import { countConnections } from "./connections-per-address.ts";

/** A connection from an address, as far as it is counted. */
function connection(remoteAddress: string): Socket {
  return Object.assign(new EventEmitter(), { remoteAddress }) as Socket;
}

const onRefused = (): void => {};

const range = (text: string) => {
  const parsed = parseRange(text);
  if ("problem" in parsed) throw new Error(text);
  return parsed;
};

test("an address has at most so many connections at once, whatever others have", () => {
  let refused = 0;
  const admits = countConnections({ max: 2, exempt: [], onRefused: () => void refused++ });
  const first = connection("192.0.2.1");
  expect(admits(first)).toBe(true);
  expect(admits(connection("192.0.2.1"))).toBe(true);
  expect(admits(connection("192.0.2.1"))).toBe(false);
  expect(admits(connection("192.0.2.2"))).toBe(true);
  first.emit("close");
  expect(admits(connection("192.0.2.1"))).toBe(true);
  expect(admits(connection("192.0.2.1"))).toBe(false);
  expect(refused).toBe(2);
});

test("a refused connection does not count when it closes", () => {
  const admits = countConnections({ max: 1, exempt: [], onRefused });
  expect(admits(connection("192.0.2.1"))).toBe(true);
  const refused = connection("192.0.2.1");
  expect(admits(refused)).toBe(false);
  refused.emit("close");
  expect(admits(connection("192.0.2.1"))).toBe(false);
});

test("trusted proxies have as many as they open, and so has everyone with a bound of 0", () => {
  const behindProxy = countConnections({ max: 1, exempt: [range("10.0.0.0/8")], onRefused });
  const unbounded = countConnections({ max: 0, exempt: [], onRefused });
  for (let n = 0; n < 5; n++) {
    expect(behindProxy(connection("::ffff:10.1.2.3"))).toBe(true);
    expect(unbounded(connection("192.0.2.1"))).toBe(true);
  }
});
