// promise: edges.callers, edges.streams
import { toJson } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { KeyType } from "../../gen/latchkey/v1/api_key_pb.ts";
import { EdgeService, type ResolveResponse, ResolveResponseSchema } from "../../gen/latchkey/v1/edge_service_pb.ts";
import { hashSecret } from "../../src/domain/credentials/secret.ts";
import { RULES } from "../../src/domain/edges/rules.ts";
import { AS_EDGE, edgeClient, followRaw } from "../harness/edge-clients.ts";
import { EDGE_TOKEN, outcome, startEdge } from "../harness/edges.ts";
import { eventually } from "../harness/eventually.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { type Latchkey, sharedLatchkey, startLatchkey, testStorage } from "../harness/latchkey.ts";
import { NO_BOUNDS } from "../harness/no-bounds.ts";
import { OPERATOR, OPERATOR_TOKEN } from "../harness/operator.ts";
import { bearer, type PublishableService, startPublishable } from "../harness/publishable.ts";

const OTHER_TOKEN = `${EDGE_TOKEN.slice(0, -1)}X`;
const FOLLOW = "/latchkey.v1.EdgeService/Follow";
const RESOLVE = "/latchkey.v1.EdgeService/Resolve";
const REPORT = "/latchkey.v1.EdgeService/Report";
const NO_KEY = { case: "secretHash", value: "A".repeat(43) } as const;

let service: PublishableService;
let latchkey: Latchkey;

beforeAll(async () => {
  service = await startPublishable({ edgeTokens: [EDGE_TOKEN, OTHER_TOKEN] });
  latchkey = service.latchkey;
});
afterAll(async () => {
  await latchkey.close();
  await service.keyHost.close();
});

/** How each RPC answers a caller: `OK`, or the code of its error. */
async function codesOf(url: string, headers: Record<string, string>): Promise<string[]> {
  const client = edgeClient(url);
  const options = { headers };
  const code = (err: unknown) => Code[ConnectError.from(err).code];
  const answers = [
    client.resolve({ rules: RULES, edgeId: "", subject: NO_KEY }, options),
    client.report({ batchId: crypto.randomUUID() }, options),
    followRaw(client, headers),
  ];
  return Promise.all(answers.map((answer) => answer.then(() => "OK", code)));
}

const DENIED = ["Unauthenticated", "Unauthenticated", "Unauthenticated"];

describe("who may follow, ask for records and report:", () => {
  test.each<[string, Record<string, string>]>([
    ["nobody without a token", {}],
    // threat: G1
    ["no token that is wrong", bearer(`${EDGE_TOKEN}x`)],
    ["no part of a token", bearer(EDGE_TOKEN.slice(1))],
    ["no two tokens in one", bearer(`${EDGE_TOKEN},${OTHER_TOKEN}`)],
    ["not the operator", OPERATOR],
    ["no other scheme", { authorization: `Basic ${EDGE_TOKEN}` }],
    ["no token in place of a key", { "x-api-key": EDGE_TOKEN }],
    ["no empty token", { authorization: "Bearer " }],
  ])("%s", async (_, headers) => {
    expect(await codesOf(latchkey.url, headers)).toEqual(DENIED);
  });

  test("no key and no dashboard user", async () => {
    const dashboard = await latchkey.dashboard();
    const { key } = await latchkey.createKey(dashboard, { permissions: ["*"] });
    for (const headers of [dashboard, { "x-api-key": key }, bearer(key)])
      expect(await codesOf(latchkey.url, headers)).toEqual(DENIED);
  });

  test("each of two tokens", async () => {
    for (const token of [EDGE_TOKEN, OTHER_TOKEN])
      expect(await codesOf(latchkey.url, bearer(token))).toEqual(["OK", "OK", "OK"]);
  });

  test("without EDGE_TOKEN the service is an unknown RPC", async () => {
    const none = await sharedLatchkey();
    expect(await codesOf(none.url, AS_EDGE)).toEqual(["Unimplemented", "Unimplemented", "Unimplemented"]);
  });

  test("with an admin port it is served only there", async () => {
    const two = await startLatchkey({ config: { edgeTokens: [EDGE_TOKEN], adminPort: 0 } });
    onTestFinished(() => two.close());
    expect(await codesOf(two.url, AS_EDGE)).toEqual(["Unimplemented", "Unimplemented", "Unimplemented"]);
    expect(await codesOf(two.adminUrl ?? "", AS_EDGE)).toEqual(["OK", "OK", "OK"]);
  });

  // threat: G1
  test("only over gRPC", async () => {
    const { url: baseUrl } = latchkey;
    for (const transport of [
      createConnectTransport({ baseUrl, httpVersion: "1.1" }),
      createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: true }),
      createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
    ])
      await expect(
        createClient(EdgeService, transport).resolve(
          { rules: RULES, edgeId: "", subject: NO_KEY },
          { headers: AS_EDGE },
        ),
      ).rejects.toThrow();
    for (const path of [FOLLOW, RESOLVE, REPORT]) {
      const answer = await fetch(`${baseUrl}${path}`, {
        method: "POST",
        headers: { ...AS_EDGE, "content-type": "application/json" },
        body: "{}",
      });
      expect(answer.status).toBe(415);
    }
  });

  // threat: G1
  test("the edges' token does not authenticate a user or the operator", async () => {
    for (const path of ["/api/v1/auth/verify", "/api/v1/api-keys/list", "/api/v1/operator/tenants/list"]) {
      expect((await latchkey.call(path, {}, AS_EDGE)).json.denial_reason).toBe("jwt_malformed");
      expect((await latchkey.call(path, {}, { "x-api-key": EDGE_TOKEN })).json.denial_reason).toBe("api_key_invalid");
    }
  });
});

describe("a record", () => {
  // threat: G7
  test("has what decides and what Verify answers, and nothing else that its tenant has written about the key", async () => {
    const follower = await followRaw(edgeClient(latchkey.url));
    const own = {
      name: "own-name",
      description: "own-description",
      external_id: "id-of-it",
      metadata: { tier: "data-of-it" },
    };
    const { key } = await latchkey.createKey(await latchkey.dashboard(), { ...own, permissions: ["plans:read"] });
    const response = await edgeClient(latchkey.url).resolve(
      { rules: RULES, edgeId: follower.edgeId, subject: { case: "secretHash", value: hashSecret(key) } },
      { headers: AS_EDGE },
    );
    const { record, mayKeep } = response;
    expect(mayKeep).toBe(true);
    const sent = { keyType: KeyType.SECRET, permissions: ["plans:read"] };
    expect(record).toMatchObject({ case: "key", value: { key: sent } });
    expect(record).toMatchObject({ value: { key: { externalId: "id-of-it", metadata: { tier: "data-of-it" } } } });
    const text = JSON.stringify(toJson(ResolveResponseSchema, response));
    expect(text).not.toContain("own-");
    expect(text).not.toContain(key.slice(0, 12));
    expect(follower.settings).toBeDefined();
    expect(JSON.stringify(follower.settings)).not.toMatch(/token|secret|password/i);
  });

  test("may not be kept by who does not follow", async () => {
    const { key } = await latchkey.createKey(await latchkey.dashboard());
    for (const edgeId of ["", "unknown", crypto.randomUUID()]) {
      const subject = { case: "secretHash", value: hashSecret(key) } as const;
      const { record, mayKeep } = await edgeClient(latchkey.url).resolve(
        { rules: RULES, edgeId, subject },
        { headers: AS_EDGE },
      );
      expect([record.case, mayKeep]).toEqual(["key", false]);
    }
  });

  test("of a user's token is checked only by the configuration of its key, and nothing else is fetched", async () => {
    const client = edgeClient(latchkey.url);
    const app = await service.newApp();
    const other = await service.newApp();
    const { key } = await latchkey.createKey(await latchkey.dashboard());
    const check = async (secret: string, token: string) =>
      client.resolve(
        { rules: RULES, edgeId: "", subject: { case: "userToken", value: { secretHash: hashSecret(secret), token } } },
        { headers: AS_EDGE },
      );
    const keyOf = (one: typeof app) => one.keyHeader["x-api-key"];
    const denialOf = ({ record }: ResolveResponse) =>
      record.case === "token" ? record.value.denial?.reason : "no token";
    expect(denialOf(await check(keyOf(app), app.token()))).toBeUndefined();
    expect(denialOf(await check(keyOf(app), other.token()))).toBe("jwt_invalid_issuer");
    expect(other.document.requests).toBe(0);
    // A token of its own, with keys of its own: neither header nor claim is an address.
    const elsewhere = other.token({ iss: app.issuer, aud: app.audience }, undefined, { jku: other.document.url });
    await check(keyOf(app), elsewhere);
    expect(other.document.requests).toBe(0);
    for (const secret of [key, `sk_${"a".repeat(36)}`])
      expect(await check(secret, other.token())).toMatchObject({ record: { case: undefined }, mayKeep: false });
    expect(other.document.requests).toBe(0);
  });
});

// threat: G3
describe("an edge that lies about dropped records affects only itself:", () => {
  /** Whatever it does, an honest edge of the same replica denies the key once the change is answered. */
  async function expectBinding(lie: (follower: Awaited<ReturnType<typeof followRaw>>) => void) {
    const liar = await followRaw(edgeClient(latchkey.url));
    await liar.next("lease");
    const honest = await startEdge(latchkey.url);
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    expect(await outcome(honest, { "x-api-key": key })).toBe("admitted");
    const subject = { case: "secretHash", value: hashSecret(key) } as const;
    const { mayKeep } = await edgeClient(latchkey.url).resolve(
      { rules: RULES, edgeId: liar.edgeId, subject },
      { headers: AS_EDGE },
    );
    expect(mayKeep).toBe(true);
    lie(liar);
    await dashboard.result("revoke", { key_id });
    expect(await outcome(honest, { "x-api-key": key })).toBe("api_key_revoked");
    expect((await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key })).json.denial_reason).toBe(
      "api_key_revoked",
    );
    return { liar, subject };
  }

  test("one that acknowledges nothing", async () => {
    const { liar, subject } = await expectBinding(() => {});
    // It was sent the change, and what it asks for is the new state.
    expect((await liar.next("drop"))?.subjects).toEqual([subject.value]);
    const { record } = await edgeClient(latchkey.url).resolve(
      { rules: RULES, edgeId: liar.edgeId, subject },
      { headers: AS_EDGE },
    );
    expect(record).toMatchObject({ value: { key: { revokedAt: expect.anything() } } });
  });

  test("one that acknowledges what it will be sent", async () => {
    await expectBinding((liar) => {
      for (const number of [1n, 1_000_000n, 9_223_372_036_854_775_807n, -1n])
        liar.send({ case: "dropped", value: { number } });
    });
  });

  test("one that sends something other than a question", async () => {
    await expectBinding((liar) => {
      liar.send({ case: "askSlice", value: { number: 1n, budgetId: "\0", most: -1, peek: false } });
      liar.send({ case: "returnSlice", value: { budgetId: "", unspent: -1, takenAtMs: 0n, shared: false } });
    });
  });

  test("one that floods", async () => {
    await expectBinding((liar) => {
      for (let number = 1n; number < 1_000n; number++) liar.send({ case: "askLease", value: { number } });
    });
  });
});

test("junk in place of messages ends only the stream of its sender", async () => {
  const honest = await startEdge(latchkey.url);
  const { key } = await latchkey.createKey(await latchkey.dashboard());
  for (const body of [Uint8Array.of(0, 0, 0, 0, 1, 255), Uint8Array.of(0, 255, 255, 255, 255), new Uint8Array(64)]) {
    const answer = await fetch(`${latchkey.url}${FOLLOW}`, {
      method: "POST",
      headers: { ...AS_EDGE, "content-type": "application/grpc" },
      body,
    });
    await answer.arrayBuffer();
  }
  expect(await outcome(honest, { "x-api-key": key })).toBe("admitted");
});

// threat: G7
test("neither a key nor a token is in the log", async () => {
  const edge = await startEdge(latchkey.url);
  const app = await service.newApp();
  const { key } = await latchkey.createKey(await latchkey.dashboard());
  const token = app.token();
  expect(await outcome(edge, { "x-api-key": key })).toBe("admitted");
  expect(await outcome(edge, app.headers(token))).toBe("admitted");
  await codesOf(latchkey.url, bearer(`${EDGE_TOKEN}x`));
  await edge.close();
  const log = latchkey.logLines.join("\n");
  for (const secret of [EDGE_TOKEN, OPERATOR_TOKEN, key, app.keyHeader["x-api-key"], token, hashSecret(key)])
    expect(log).not.toContain(secret);
});

test("a stream does not count as a request in flight, and ends with the service", async () => {
  const { storage, cleanUp } = await testStorage();
  onTestFinished(cleanUp);
  const one = await startLatchkey({
    config: { storage, edgeTokens: [EDGE_TOKEN], overload: { ...NO_BOUNDS, requestsMax: 2 } },
  });
  const followers = await Promise.all(Array.from({ length: 8 }, () => followRaw(edgeClient(one.url))));
  expect((await one.call("/api/v1/scopes/list", {}, await one.dashboard())).status).toBe(200);
  const metrics = await (await fetch(`${one.url}/metrics`)).text();
  expect(metrics).toMatch(/^latchkey_edges 8$/m);
  const ends = followers.map((follower) => follower.next("slice"));
  await one.close();
  expect(await Promise.all(ends)).toEqual(ends.map(() => undefined));
});

// threat: G6
test("a batch that is sent twice, and to two replicas at once, counts once", async () => {
  const { storage, cleanUp } = await testStorage();
  onTestFinished(cleanUp);
  const config = { storage, edgeTokens: [EDGE_TOKEN] };
  const replicas = await Promise.all([startLatchkey({ config }), startLatchkey({ config })]);
  const [first, second] = replicas;
  onTestFinished(async () => void (await Promise.all(replicas.map((replica) => replica.close()))));
  if (first === undefined || second === undefined) throw new Error("no replicas");
  const dashboard = await first.dashboard();
  const { key_id } = await first.createKey(dashboard);
  const at = BigInt(first.clock.now().getTime());
  const uses = [
    { keyId: key_id, failure: "", count: 7n, atMs: at },
    { keyId: key_id, failure: "rate_limited", count: 300_000n, atMs: at },
  ];
  const batch = { batchId: crypto.randomUUID(), uses };
  const send = (replica: Latchkey) => edgeClient(replica.url).report(batch, { headers: AS_EDGE });
  await Promise.all([send(first), send(second), send(first), send(second)]);
  await send(second);
  await eventually(async () => {
    const { json } = await first.call("/api/v1/api-keys/usage", { key_id }, dashboard);
    expect(json.result).toMatchObject({ successful_verifications: 7, failed_verifications: 300_000 });
  });
});
