// promise: overload.shares, overload.refused
import { connect, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Authorization } from "../../gen/envoy/service/auth/v3/external_auth_pb.ts";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { ErrorInfoSchema, ErrorReason } from "../../gen/latchkey/v1/error_reason_pb.ts";
import { derivingKey } from "../harness/derived-tokens.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { NO_BOUNDS } from "../harness/no-bounds.ts";
import { scrape, sumOf } from "../harness/scrape.ts";

const VERIFY = "/api/v1/auth/verify";
/** That a process may have under way. One tenant gets half of them. */
const REQUESTS_MAX = 16;
const OVERLOADED = { code: "unavailable", reason: "overloaded" };

let latchkey: Latchkey;
let greedy: Awaited<ReturnType<typeof derivingKey>>;
let token: string;
let polite: string;
let politeUser: Record<string, string>;
let greedyUser: Record<string, string>;
const held: Socket[] = [];

beforeAll(async () => {
  latchkey = await startLatchkey({ config: { overload: { ...NO_BOUNDS, requestsMax: REQUESTS_MAX } } });
  greedy = await derivingKey(latchkey);
  greedyUser = await latchkey.dashboard(greedy.tenant);
  politeUser = await latchkey.dashboard(newTenant());
  polite = (await latchkey.createKey(politeUser, { permissions: ["plans:*"] })).key;
  token = (await greedy.derive({ scopes: ["plans:read"] })).token;
  for (const headers of callers()) expect((await latchkey.call(VERIFY, {}, headers)).status).toBe(200);
  // The users' tokens are known from a call each.
  for (const user of [greedyUser, politeUser]) expect((await list(user)).status).toBe(200);
  await takeAll();
  // Whose the token is, is known from its first call on while many are under way.
  await latchkey.call(VERIFY, {}, { authorization: `Bearer ${token}` });
});
afterAll(async () => {
  for (const socket of held) socket.destroy();
  await latchkey.close();
});

const callers = () => [{ "x-api-key": greedy.key }, { "x-api-key": polite }, { authorization: `Bearer ${token}` }];
const list = (user: Record<string, string>) => latchkey.call("/api/v1/api-keys/list", {}, user);

/** The greedy tenant begins requests whose bodies do not come, until it is refused another. */
async function takeAll(): Promise<void> {
  const { hostname, port } = new URL(latchkey.url);
  const headers = ["host: a", `x-api-key: ${greedy.key}`, "content-type: application/json", "content-length: 2"];
  let refusal: string | undefined;
  while (refusal === undefined) {
    const before = await underWay();
    const socket = connect(Number(port), hostname).setEncoding("utf8");
    held.push(socket);
    socket.on("data", (text) => {
      refusal = String(text);
    });
    socket.write(`POST ${VERIFY} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
    while (refusal === undefined && (await underWay()) <= before) await nextTurn();
  }
  expect(refusal).toMatch(/^HTTP\/1.1 503 /);
}

const underWay = async () => sumOf(await scrape(latchkey.url), "latchkey_requests_in_flight");

describe("a tenant that has as many requests under way as are left", () => {
  test("has half of them", async () => {
    expect(await underWay()).toBe(REQUESTS_MAX / 2);
  });

  test("gets no other, whether by its key or by a token that stands for it", async () => {
    for (const headers of [{ "x-api-key": greedy.key }, { authorization: `Bearer ${token}` }]) {
      const { status, json, headers: answered } = await latchkey.call(VERIFY, {}, headers);
      expect({ status, ...json }).toMatchObject({ status: 503, ...OVERLOADED });
      expect(answered.get("retry-after")).toMatch(/^[123]$/);
    }
  });

  // threat: H2
  test("leaves others theirs, and its own users", async () => {
    expect((await latchkey.call(VERIFY, {}, { "x-api-key": polite })).status).toBe(200);
    for (const user of [politeUser, greedyUser]) expect((await list(user)).status).toBe(200);
  });

  describe.each([
    ["gRPC", createGrpcTransport],
    ["gRPC-Web", createGrpcWebTransport],
    ["Connect", createConnectTransport],
  ] as const)("is refused over %s, too,", (_, transport) => {
    test("with the code, the reason and the pause of a service that is to be asked again", async () => {
      const client = createClient(AuthService, transport({ baseUrl: latchkey.url, httpVersion: "2" }));
      expectOverloaded(await refusalOf(client.verify({}, { headers: { "x-api-key": greedy.key } })));
      await expect(client.verify({}, { headers: { "x-api-key": polite } })).resolves.toBeDefined();
    });
  });

  // threat: Q3
  test("is refused through Envoy over gRPC, where others are decided: the described key's tenant counts", async () => {
    const envoy = createClient(Authorization, createGrpcTransport({ baseUrl: latchkey.url }));
    const check = (headers: Record<string, string>) => envoy.check({ attributes: { request: { http: { headers } } } });
    for (const headers of [{ "x-api-key": greedy.key }, { authorization: `Bearer ${token}` }])
      expectOverloaded(await refusalOf(check(headers)));
    expect((await check({ "x-api-key": polite })).httpResponse.case).toBe("okResponse");
    expect((await check({})).httpResponse.case).toBe("deniedResponse");
  });
});

async function refusalOf(call: Promise<unknown>): Promise<ConnectError> {
  return call.then(
    () => expect.fail("it was served"),
    (err: unknown) => ConnectError.from(err),
  );
}

function expectOverloaded(err: ConnectError): void {
  expect(err.code).toBe(Code.Unavailable);
  expect(err.findDetails(ErrorInfoSchema)).toMatchObject([{ reason: ErrorReason.OVERLOADED }]);
  expect(err.metadata.get("retry-after")).toMatch(/^[123]$/);
}
