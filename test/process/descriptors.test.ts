// promise: overload.descriptors
import { execFile } from "node:child_process";
import { connect, type Socket } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";

const VERIFY = "/api/v1/auth/verify";
const DESCRIPTORS = 256;
const CLIENTS = 2_000;
const LATER = { timeout: 10_000 };

let fleet: Fleet;
let replica: Replica;
let key: string;

beforeAll(async () => {
  fleet = await startFleet(inject("redisUrl"));
  replica = await fleet.start();
  ({ key } = await fleet.createKey(replica, { rate_limit: { requests_per_hour: 1_000_000 } }));
  expect((await verify()).status).toBe(200);
});
afterAll(() => fleet.close());

const verify = () => replica.call(VERIFY, {}, { "x-api-key": key });

/** A client that keeps its connection after the answer. */
function newClient(): { socket: Socket; outcome: Promise<string> } {
  const { hostname, port } = new URL(replica.url);
  const socket = connect(Number(port), hostname).setEncoding("latin1");
  const outcome = new Promise<string>((resolve) => {
    socket.on("error", () => {});
    socket.once("close", () => resolve("closed"));
    socket.once("data", (text) => resolve(String(text).slice(0, 12)));
  });
  const headers = ["host: a", `x-api-key: ${key}`, "content-type: application/json", "content-length: 2"];
  socket.write(`POST ${VERIFY} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n{}`);
  return { socket, outcome };
}

// threat: H13
test("of 2,000 clients of a process with 256 descriptors, each is served or disconnected, and none gets a 5xx; then others are served", async () => {
  await promisify(execFile)("prlimit", ["--pid", String(replica.child.pid), `--nofile=${DESCRIPTORS}:${DESCRIPTORS}`]);
  const clients = Array.from({ length: CLIENTS }, newClient);
  const outcomes = await Promise.all(clients.map(({ outcome }) => outcome));
  const served = outcomes.filter((outcome) => outcome === "HTTP/1.1 200").length;
  // Some are those of PostgreSQL, Redis and the process itself.
  expect(served).toBeGreaterThan(DESCRIPTORS / 2);
  expect(served + outcomes.filter((outcome) => outcome === "closed").length).toBe(CLIENTS);
  const DROPPED = /^connections are dropped: no file descriptor is left/;
  const saysSo = () => {
    // In place of those that the process closes by itself.
    clients.push(newClient());
    return replica.log().some(({ msg }) => DROPPED.test(String(msg)));
  };
  await expect.poll(saysSo, LATER).toBe(true);
  for (const { socket } of clients) socket.destroy();
  const status = () =>
    verify().then(
      (answer) => answer.status,
      () => "disconnected",
    );
  await expect.poll(status).toBe(200);
  for (let n = 0; n < 20; n++) expect((await verify()).status).toBe(200);
  expect(replica.child.exitCode).toBeNull();
});
