// promise: overload.storage, overload.watches
import { connect } from "node:net";
import { type Client, Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { credentials, Client as GrpcClient, type ServiceError } from "@grpc/grpc-js";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "../../gen/health/v1/health_pb.ts";
import { createReadiness } from "../../src/transport/endpoints/probes.ts";
import { WATCH_LIMITS, type WatchLimits } from "../../src/transport/grpc/watchers.ts";
import type { HttpServer } from "../../src/transport/http/server.ts";
import { startOpenServices } from "../harness/open-services.ts";

let server: HttpServer | undefined;
/** What every watch of a test ends by, at the latest with the test. */
let leave = new AbortController();

afterEach(async () => {
  vi.useRealTimers();
  leave.abort();
  leave = new AbortController();
  await server?.close(0);
});

async function start(limits: Partial<WatchLimits> = {}, isReady = async () => true): Promise<string> {
  server = await startOpenServices(isReady, limits);
  return server.url;
}

/** A client with a connection of its own. */
function dial(url: string, localAddress = "127.0.0.1"): Client<typeof Health> {
  const { hostname: host, port } = new URL(url);
  const createConnection = () => connect({ host, port: Number(port), localAddress });
  return createClient(Health, createGrpcTransport({ baseUrl: url, nodeOptions: { createConnection } }));
}

/** Begins to watch, and answers the first status and the code with which the watch ends. */
function watch(client: Client<typeof Health>) {
  const statuses = client.watch({}, { signal: leave.signal })[Symbol.asyncIterator]();
  const first = statuses.next().then(({ value }) => value?.status, codeOf);
  const end = first.then(() => statuses.next()).then(({ done }) => (done ? "ended" : "another status"), codeOf);
  return { first, end };
}

function codeOf(err: unknown): string | undefined {
  return Code[ConnectError.from(err).code];
}

describe("watching gRPC health", () => {
  test("up to the limit of a connection, and beyond it, does not affect other clients", async () => {
    const url = await start();
    const greedy = dial(url);
    const firsts = await Promise.all(Array.from({ length: 150 }, () => watch(greedy).first));
    const { perConnectionMax } = WATCH_LIMITS;
    expect(firsts.filter((first) => first === ServingStatus.SERVING)).toHaveLength(perConnectionMax);
    expect(firsts.filter((first) => first === Code[Code.ResourceExhausted])).toHaveLength(150 - perConnectionMax);
    const other = dial(url);
    expect(await watch(other).first).toBe(ServingStatus.SERVING);
    expect((await other.check({})).status).toBe(ServingStatus.SERVING);
    expect((await greedy.check({})).status).toBe(ServingStatus.SERVING);
  });

  test("on too many connections ends the oldest watches, and no new one", async () => {
    const url = await start({ watchersMax: 20 });
    const watches = [];
    for (let n = 0; n < 3; n++) {
      const client = dial(url);
      for (let m = 0; m < 10; m++) {
        const begun = watch(client);
        expect(await begun.first).toBe(ServingStatus.SERVING);
        watches.push(begun);
      }
    }
    const ends = watches.slice(0, 10).map(({ end }) => end);
    expect(new Set(await Promise.all(ends))).toEqual(new Set([Code[Code.Unavailable]]));
    const others = Promise.race(watches.slice(10).map(({ end }) => end));
    expect(await Promise.race([others, dial(url).check({})])).toMatchObject({ status: ServingStatus.SERVING });
  });

  // threat: Q1
  test("on too many connections of an address ends none of another's", async () => {
    const url = await start({ watchersMax: 20 });
    const patient = watch(dial(url));
    expect(await patient.first).toBe(ServingStatus.SERVING);
    const greedy = [];
    for (let n = 0; n < 3; n++) {
      const client = dial(url, "127.0.0.2");
      for (let m = 0; m < 10; m++) {
        const begun = watch(client);
        expect(await begun.first).toBe(ServingStatus.SERVING);
        greedy.push(begun);
      }
    }
    const ends = greedy.slice(0, 11).map(({ end }) => end);
    expect(new Set(await Promise.all(ends))).toEqual(new Set([Code[Code.Unavailable]]));
    expect(await Promise.race([patient.end, dial(url).check({})])).toMatchObject({ status: ServingStatus.SERVING });
  });

  test("ends after its time, and may begin again on the same connection", async () => {
    const url = await start({ ageMaxMs: 20, perConnectionMax: 1 });
    const client = dial(url);
    for (let n = 0; n < 3; n++) {
      const { first, end } = watch(client);
      expect(await first).toBe(ServingStatus.SERVING);
      expect(await end).toBe(Code[Code.Unavailable]);
    }
  });

  test("ends as unavailable for gRPC's own client and over HTTP/1.1, which says when to watch again", async () => {
    const url = await start({ ageMaxMs: 100 });
    const client = new GrpcClient(new URL(url).host, credentials.createInsecure());
    const raw = (bytes: Buffer) => bytes;
    const stream = client.makeServerStreamRequest(`/${Health.typeName}/Watch`, raw, raw, Buffer.alloc(0));
    const err = await new Promise<ServiceError>((resolve) => stream.on("error", resolve).resume());
    client.close();
    expect([err.code, err.details]).toEqual([Code.Unavailable, "a watch lasts 0.1 s; watch again"]);
    const http1 = createClient(Health, createConnectTransport({ baseUrl: url, httpVersion: "1.1" }));
    const { first, end } = watch(http1);
    expect([await first, await end]).toEqual([ServingStatus.SERVING, Code[Code.Unavailable]]);
  });

  test("checks the storage once for all watchers, whenever they began", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"], fakeNodeBuiltins: true });
    let asked = 0;
    const pingStore = async () => {
      asked++;
      await new Promise(setImmediate);
    };
    const { isReady } = createReadiness({ pingStore, draining: leave.signal });
    const client = dial(await start({ intervalMs: 1_000 }, isReady));
    /** Lets time pass, and everything run that it wakes. */
    const pass = async (ms: number) => {
      vi.advanceTimersByTime(ms);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    };
    for (let n = 0; n < 10; n++) {
      expect(await watch(client).first).toBe(ServingStatus.SERVING);
      await pass(100);
    }
    const before = asked;
    for (let n = 0; n < 60; n++) await pass(100);
    expect(asked - before).toBe(6);
  });
});
