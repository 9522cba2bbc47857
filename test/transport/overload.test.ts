// promise: http.per-address, overload.probes, overload.shares, overload.refused
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterEach, describe, expect, test } from "vitest";
import { createErrorReporter, createErrorTranslator } from "../../src/interceptors/errors.ts";
import { createAccessLog } from "../../src/observability/log/access-log.ts";
import { createShedRequests } from "../../src/observability/metrics/shed-requests.ts";
import { createCors } from "../../src/transport/answer/cors.ts";
import type { PlainAnswer } from "../../src/transport/answer/plain-answer.ts";
import { PlainHeaders } from "../../src/transport/answer/plain-headers.ts";
import { createEndpoints } from "../../src/transport/endpoints/endpoints.ts";
import { createReadiness } from "../../src/transport/endpoints/probes.ts";
import { createOpenHandlers } from "../../src/transport/grpc/open-services.ts";
import { createHandler, type FrontDoor } from "../../src/transport/handler.ts";
import type { ConnectionBound } from "../../src/transport/http/connections-per-address.ts";
import { createRefusals } from "../../src/transport/http/refusals.ts";
import { type HttpServer, listen } from "../../src/transport/http/server.ts";
import { createClientAddress } from "../../src/transport/request/client-address.ts";
import { createHeldBodies } from "../../src/transport/request/held-bodies.ts";
import { type Answer, toAnswer } from "../harness/http.ts";
import { LISTEN_OPTIONS } from "../harness/listen-options.ts";
import { NO_BOUNDS } from "../harness/no-bounds.ts";
import { dashboardUser } from "../harness/principals.ts";
import { trusting } from "../harness/trusted-proxies.ts";

const SLOW = "/slow";
/** Takes the whole process for so long, so that what arrives together has to wait. */
const BUSY = "/busy";
const BUSY_MS = 2;
const OVERLOADED = { code: "unavailable", reason: "overloaded" };

let server: HttpServer | undefined;
afterEach(() => server?.close(0));

/** A service whose one call answers when the test says so. */
async function start(bounds: Partial<FrontDoor["overload"]>, connections?: ConnectionBound) {
  const waiting: (() => void)[] = [];
  const logLines: string[] = [];
  const warnings: string[] = [];
  const metrics = new Registry();
  const readiness = createReadiness({ pingStore: async () => {}, draining: new AbortController().signal });
  const principal = dashboardUser();
  const clientAddress = createClientAddress(trusting(["127.0.0.1"]));
  const answered = (): PlainAnswer => ({ status: 200, code: "ok", headers: new PlainHeaders(), body: "" });
  const door: FrontDoor = {
    handlers: [],
    rpcs: [],
    openHandlers: createOpenHandlers([], readiness),
    endpoints: [
      ...createEndpoints({ clientAddress, readiness, metrics }),
      {
        ...{ path: SLOW, method: "any", body: "none", port: "main", isReadableByPages: true, procedure: "slow" },
        answer: () => new Promise((resolve) => waiting.push(() => resolve(answered()))),
      },
      {
        ...{ path: BUSY, method: "any", body: "none", port: "main", isReadableByPages: true, procedure: "busy" },
        answer() {
          for (const until = performance.now() + BUSY_MS; performance.now() < until; );
          return answered();
        },
      },
    ],
    clientAddress,
    docsUrl: "",
    gate: { check: async () => principal, identify: async () => {}, refuse: async () => {}, conclude: () => {} },
    translate: createErrorTranslator(createErrorReporter(() => {})),
    policies: new Map(),
    cors: createCors("*"),
    accessLog: createAccessLog({
      log: pino({}, { write: () => {} }),
      reportError: () => {},
      writeLine: (makeLine) => void logLines.push(makeLine()),
      metrics,
    }),
    inFlight: { requests: 0 },
    bodies: createHeldBodies(0),
    overload: {
      ...NO_BOUNDS,
      onShed: createShedRequests(metrics, (message) => void warnings.push(message)),
      random: () => 0,
      ...bounds,
    },
  };
  const refusals = createRefusals(door);
  const listening = await listen(createHandler(door), {
    ...LISTEN_OPTIONS,
    refusals,
    ...(connections && { connections }),
  });
  server = listening;
  return {
    url: listening.url,
    waiting,
    log: () => logLines.map((line) => JSON.parse(line)),
    warnings,
    shed: async () => (await metrics.getSingleMetric("latchkey_requests_shed_total")?.get())?.values[0]?.value,
    call: async (path: string, init: RequestInit = {}) => toAnswer(await fetch(listening.url + path, init)),
  };
}

/** From the nth address. */
const from = (n: number) => ({ headers: { "x-forwarded-for": `192.0.2.${n}` } });

describe("with as many requests at once as may be", () => {
  /** Two that wait, where more than two are too many. */
  async function full() {
    const service = await start({ requestsMax: 2 });
    const underWay = [service.call(SLOW, from(1)), service.call(SLOW, from(2))];
    await expect.poll(() => service.waiting.length).toBe(2);
    const release = (): void => {
      for (const answer of service.waiting.splice(0)) answer();
    };
    return { ...service, underWay, release };
  }

  test("one more is 503 with its reason and Retry-After, and nothing is done for it", async () => {
    const service = await full();
    const { status, headers, json } = await service.call(SLOW, { headers: { origin: "https://page.example" } });
    expect({ status, ...json }).toMatchObject({ status: 503, ...OVERLOADED });
    expect(headers.get("retry-after")).toBe("1");
    expect(headers.get("x-request-id")).toMatch(/^req_/);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(service.waiting).toHaveLength(2);
    service.release();
  });

  test("it is in the log, in the metrics, and warned of once a second", async () => {
    const service = await full();
    await Promise.all([service.call(SLOW), service.call(SLOW)]);
    expect(service.log()).toMatchObject(Array(2).fill({ procedure: "slow", status: 503, code: "unavailable" }));
    expect(await service.shed()).toBe(2);
    expect(service.warnings).toHaveLength(1);
    service.release();
  });

  test.each(["/healthz", "/readyz", "/metrics"])("%s is answered", async (path) => {
    const service = await full();
    expect((await service.call(path)).status).toBe(200);
    service.release();
  });

  test("gRPC's health is answered, over Connect, too, and reflection is not", async () => {
    const service = await full();
    const ask = (path: string) =>
      service.call(path, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
    expect((await ask("/grpc.health.v1.Health/Check")).status).toBe(200);
    expect((await ask("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")).json).toMatchObject(OVERLOADED);
    service.release();
  });

  test("those under way are answered, and then others are served", async () => {
    const service = await full();
    await service.call(SLOW);
    service.release();
    expect((await Promise.all(service.underWay)).map(({ status }) => status)).toEqual([200, 200]);
    const next = service.call(SLOW);
    await expect.poll(() => service.waiting.length).toBe(1);
    service.release();
    expect((await next).status).toBe(200);
  });
});

describe("an address that takes all the requests at once that it can", () => {
  /** Of eight. */
  async function greedy() {
    const service = await start({ requestsMax: 8 });
    const calls = Array.from({ length: 8 }, () => service.call(SLOW, from(1)));
    await expect.poll(async () => (await service.shed()) ?? 0).toBe(4);
    return { ...service, calls };
  }

  test("has half of them, and each other one its own", async () => {
    const service = await greedy();
    expect(service.waiting).toHaveLength(4);
    const second = [1, 2, 3].map(() => service.call(SLOW, from(2)));
    await expect.poll(async () => (await service.shed()) ?? 0).toBe(5);
    const third = service.call(SLOW, from(3));
    await expect.poll(() => service.waiting.length).toBe(7);
    for (const answer of service.waiting.splice(0)) answer();
    const statuses = async (calls: readonly Promise<Answer>[]) =>
      (await Promise.all(calls)).map(({ status }) => status).sort();
    expect(await statuses(service.calls)).toEqual([200, 200, 200, 200, 503, 503, 503, 503]);
    expect(await statuses(second)).toEqual([200, 200, 503]);
    expect((await third).status).toBe(200);
  });

  test("has them again when those have ended", async () => {
    const service = await greedy();
    for (const answer of service.waiting.splice(0)) answer();
    await Promise.all(service.calls);
    const next = Array.from({ length: 4 }, () => service.call(SLOW, from(1)));
    await expect.poll(() => service.waiting.length).toBe(4);
    for (const answer of service.waiting.splice(0)) answer();
    for (const call of next) expect((await call).status).toBe(200);
  });
});

test("requests whose clients disconnect while they wait are not served, and are in the log", async () => {
  const { url, log, shed } = await start({});
  const { hostname, port } = new URL(url);
  const get = async (socket: Socket, path: string) => {
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
    await once(socket, "data");
  };
  const sockets = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const socket = connect(Number(port), hostname);
      // A connection that has been accepted: others are, one after the other, while the process is busy.
      await get(socket, "/healthz");
      return socket;
    }),
  );
  const answered = sockets.map((socket) => get(socket, BUSY));
  await Promise.race(answered);
  for (const socket of sockets) socket.destroy();
  const busy = () => log().filter(({ procedure }) => procedure === "busy");
  await expect.poll(() => busy().length).toBe(60);
  const canceled = busy().filter(({ status }) => status === 499);
  expect(canceled.length).toBeGreaterThan(0);
  for (const { code } of canceled) expect(code).toBe("canceled");
  expect(await shed()).toBe(0);
});

test("an address with too many connections gets one refused with a reason, until it has closed another", async () => {
  let refused = 0;
  const { url } = await start({}, { max: 2, exempt: [], onRefused: () => void refused++ });
  const { hostname, port } = new URL(url);
  const open = async () => {
    const socket = connect(Number(port), hostname).setEncoding("utf8");
    await once(socket, "connect");
    return socket;
  };
  const ask = async (socket: Awaited<ReturnType<typeof open>>) => {
    socket.write("GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n");
    return String((await once(socket, "data"))[0]);
  };
  const [first, second] = [await open(), await open()];
  expect(await ask(first)).toMatch(/^HTTP\/1.1 200 /);
  expect(await ask(second)).toMatch(/^HTTP\/1.1 200 /);
  const third = await open();
  const text = String((await once(third, "data"))[0]);
  expect(text).toMatch(/^HTTP\/1.1 503 .*\r\n/);
  expect(text).toMatch(/\r\nretry-after: 1\r\n/);
  expect(JSON.parse(text.slice(text.indexOf("\r\n\r\n")))).toMatchObject(OVERLOADED);
  expect(refused).toBe(1);
  first.destroy();
  await expect.poll(async () => ask(await open())).toMatch(/^HTTP\/1.1 200 /);
});
