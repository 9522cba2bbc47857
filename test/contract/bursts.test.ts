// promise: overload.bursts
import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2, type OutgoingHttpHeaders } from "node:http2";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";

const REQUESTS = 1_000;
const TENANTS = 10;
/** Of one HTTP/2 connection. */
const STREAMS = 100;
const ALL_SERVED = { served: REQUESTS };
const GRPC_MESSAGE = Buffer.alloc(5);
const JSON_TYPE = { "content-type": "application/json" };
const GRPC_TYPE = { "content-type": "application/grpc", te: "trailers" };

interface Call {
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** Undefined: a GET. */
  readonly body?: string | Buffer;
}

const CALLS: Readonly<Record<string, Call>> = {
  verify: { path: "/api/v1/auth/verify", headers: JSON_TYPE, body: "{}" },
  "/auth/check": { path: "/auth/check", headers: {} },
  "verify over gRPC": { path: "/latchkey.v1.AuthService/Verify", headers: GRPC_TYPE, body: GRPC_MESSAGE },
  "Envoy's Check": { path: "/envoy.service.auth.v3.Authorization/Check", headers: GRPC_TYPE, body: GRPC_MESSAGE },
};

const LIST_THREADS: Call = { path: "/api/v1/llm/gateway/list-threads", headers: JSON_TYPE, body: "{}" };

let latchkey: Latchkey;
let keys: string[];
const sockets: Socket[] = [];
let sessions: ClientHttp2Session[] = [];

beforeAll(async () => {
  latchkey = await startLatchkey({ config: { overload: readConfig({}).overload } });
  const newKey = async () => (await latchkey.createKey(await latchkey.dashboard(newTenant()))).key;
  keys = await Promise.all(Array.from({ length: TENANTS }, newKey));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  for (const session of sessions) session.close();
  await latchkey.close();
});

const keyOf = (n: number) => keys[n % keys.length] ?? "";

function countsOf(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** Sends one request on each connection, at once. */
async function burstOver1(keyOfNth: (n: number) => string): Promise<Record<string, number>> {
  const answers = sockets.map(async (socket, n) => {
    const head = ["POST /api/v1/auth/verify HTTP/1.1", "host: a", `x-api-key: ${keyOfNth(n)}`];
    socket.write(`${[...head, "content-type: application/json", "content-length: 2"].join("\r\n")}\r\n\r\n{}`);
    const [bytes] = await once(socket, "data");
    const status = String(bytes).slice(9, 12);
    return status === "200" ? "served" : status;
  });
  return countsOf(await Promise.all(answers));
}

async function burstOver2({ path, headers, body }: Call): Promise<Record<string, number>> {
  const answers = Array.from({ length: REQUESTS }, (_, n) => {
    const method = body === undefined ? "GET" : "POST";
    const key = { "x-api-key": keyOf(n) };
    return outcomeOf(sessions[n % sessions.length], { ":method": method, ":path": path, ...headers, ...key }, body);
  });
  return countsOf(await Promise.all(answers));
}

/** `served`, or the reason of our error. */
function outcomeOf(session: ClientHttp2Session | undefined, headers: OutgoingHttpHeaders, body: Call["body"]) {
  return new Promise<string>((resolve, reject) => {
    const stream = session?.request(headers);
    if (stream === undefined) return reject(new Error("no connection"));
    let status = 0;
    let grpcStatus = "0";
    let text = "";
    stream.on("response", (answered) => {
      status = Number(answered[":status"]);
      grpcStatus = String(answered["grpc-status"] ?? grpcStatus);
    });
    stream.on("trailers", (trailers) => {
      grpcStatus = String(trailers["grpc-status"]);
    });
    stream.on("data", (chunk: Buffer) => {
      text += chunk;
    });
    stream.on("error", () => {});
    stream.on("close", () => {
      const isServed = status === 200 && grpcStatus === "0" && stream.rstCode === 0;
      const reason = /"reason":"(\w+)"/.exec(text)?.[1];
      resolve(isServed ? "served" : (reason ?? `${status}, gRPC ${grpcStatus}, reset ${stream.rstCode}`));
    });
    stream.end(body);
  });
}

describe(`${REQUESTS} requests that arrive together are all served`, () => {
  // threat: Q3
  test("by an idle service that has seen none of their keys, on new connections, of ten tenants", async () => {
    const { hostname, port } = new URL(latchkey.url);
    for (let n = 0; n < REQUESTS; n++) sockets.push(connect(Number(port), hostname).setNoDelay());
    expect(await burstOver1(keyOf)).toEqual(ALL_SERVED);
  });

  // threat: Q3
  test("on connections that were kept, of one tenant", async () => {
    expect(await burstOver1(() => keyOf(0))).toEqual(ALL_SERVED);
  });

  describe("over HTTP/2, of ten tenants:", () => {
    beforeAll(() => {
      sessions = Array.from({ length: REQUESTS / STREAMS }, () => connectHttp2(latchkey.url));
    });

    test.each(Object.entries(CALLS))("%s", async (_, call) => {
      expect(await burstOver2(call)).toEqual(ALL_SERVED);
    });

    test("list-threads, except its own bounds (ADR 46)", async () => {
      const { served = 0, too_many_lists = 0, storage_unavailable = 0, ...others } = await burstOver2(LIST_THREADS);
      expect([served > 0, served + too_many_lists + storage_unavailable, others]).toEqual([true, REQUESTS, {}]);
    });
  });
});
