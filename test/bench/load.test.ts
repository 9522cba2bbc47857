import { createServer, type RequestListener } from "node:http";
import { afterAll, afterEach, expect, test } from "vitest";
import { startLoadGenerator } from "../../bench/load/client.ts";
import { listenOnLoopback } from "../servers/loopback.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
const generator = startLoadGenerator();
const close: (() => void)[] = [];

afterEach(() => {
  for (const one of close.splice(0)) one();
});
afterAll(() => generator.stop());

/** What the generator counted of 60 requests over 4 connections, and what the server did. */
async function statusesOf(answer: RequestListener) {
  let served = 0;
  const server = createServer((req, res) => {
    served += 1;
    answer(req, res);
  });
  const port = await listenOnLoopback(server);
  close.push(() => server.close());
  await generator.load({ name: "any", order: "random", requests: [REQUEST] });
  const targets = [{ host: "127.0.0.1", port }];
  const { statuses } = await generator.run({ set: "any", targets, connections: 4, requests: 60, seconds: 20 });
  return { statuses, served };
}

test("the benchmark's load counts every answer once, whole or in pieces, with a length or in chunks", async () => {
  let n = 0;
  const counted = await statusesOf((_req, res) => {
    n += 1;
    if (n % 2 === 0) res.setHeader("Content-Length", 6);
    res.statusCode = n % 3 === 0 ? 429 : 200;
    res.write("one");
    setTimeout(() => res.end("two"), n % 5);
  });
  expect(counted).toEqual({ statuses: { 200: 40, 429: 20 }, served: 60 });
});

test("a run of so many requests a second sends no more", async () => {
  const server = createServer((_req, res) => res.end());
  const port = await listenOnLoopback(server);
  close.push(() => server.close());
  await generator.load({ name: "paced", order: "random", requests: [REQUEST] });
  const run = { set: "paced", targets: [{ host: "127.0.0.1", port }], connections: 4, requests: 60, perSecond: 200 };
  const { seconds, statuses } = await generator.run({ ...run, seconds: 20 });
  expect(statuses).toEqual({ 200: 60 });
  expect(seconds).toBeGreaterThan(0.27);
});
