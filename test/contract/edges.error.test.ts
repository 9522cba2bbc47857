// promise: edges.reports
import { Code, ConnectError } from "@connectrpc/connect";
import { beforeAll, describe, expect, test } from "vitest";
import { AS_EDGE, edgeClient, followRaw } from "../harness/edge-clients.ts";
import { EDGE_TOKEN } from "../harness/edges.ts";
import { eventually } from "../harness/eventually.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { type Latchkey, sharedLatchkey } from "../harness/latchkey.ts";

const HASH = "A".repeat(43);

let latchkey: Latchkey;

beforeAll(async () => {
  latchkey = await sharedLatchkey({ edgeTokens: [EDGE_TOKEN] });
});

type Resolve = Parameters<ReturnType<typeof edgeClient>["resolve"]>[0];
type Report = Parameters<ReturnType<typeof edgeClient>["report"]>[0];

/** The message of a call that is at fault. */
async function fault(call: Promise<unknown>): Promise<string> {
  const err = await call.then(() => undefined, ConnectError.from);
  expect(err?.code).toBe(Code.InvalidArgument);
  return err?.rawMessage ?? "";
}

const resolve = (request: Resolve) => edgeClient(latchkey.url).resolve(request, { headers: AS_EDGE });
const report = (request: Report) => edgeClient(latchkey.url).report(request, { headers: AS_EDGE });

describe("resolve without a record that can be named:", () => {
  test.each<[Resolve, string]>([
    [{ edgeId: "" }, "subject: "],
    [{ subject: { case: "secretHash", value: "" } }, "secret_hash: "],
    [{ subject: { case: "secretHash", value: HASH.slice(1) } }, "secret_hash: "],
    [{ subject: { case: "secretHash", value: `${HASH.slice(1)}+` } }, "secret_hash: "],
    [{ subject: { case: "tenantId", value: "a\0" } }, "tenantId: "],
    [{ subject: { case: "userToken", value: { secretHash: "x", token: "a.b.c" } } }, "user_token.secret_hash: "],
  ])("%j", async (request, field) => {
    expect(await fault(resolve(request))).toContain(field);
  });

  test("a key that does not exist is an empty record, and is not kept", async () => {
    expect(await resolve({ subject: { case: "secretHash", value: HASH } })).toMatchObject({
      record: "",
      mayKeep: false,
    });
  });
});

describe("a report that cannot be counted is rejected as a whole, and names what is wrong:", () => {
  const use = { keyId: "key_1", failure: "", count: 1n, atMs: 1n };
  const request = {
    ...{ requestId: "req_1", at: { "\0ms": 1 }, tenantId: null, keyId: null, tokenId: null, caller: null },
    ...{ userId: null, address: null, rpc: "", scope: "", reason: null, message: "" },
  };

  const forUser = {
    ...{ hour: { "\0ms": 1 }, tenantId: "t", keyId: "k", userId: "u", calls: 1 },
    origin: { requestId: "r", address: null, traceId: null },
  };

  test.each<[string, Report, string]>([
    ["no batch", { uses: [use] }, "batch_id: "],
    ["no key", { uses: [{ ...use, keyId: "" }] }, "uses[0].key_id: "],
    ["an unknown reason", { uses: [use, { ...use, failure: "toString" }] }, "uses[1].failure: "],
    ["no use", { uses: [{ ...use, count: 0n }] }, "uses[0].count: "],
    ["less than no use", { uses: [{ ...use, count: -1n }] }, "uses[0].count: "],
    ["too many uses", { uses: [{ ...use, count: 9_223_372_036_854_775_807n }] }, "uses[0].count: "],
    ["no instant", { uses: [{ ...use, atMs: 9_223_372_036_854_775_807n }] }, "uses[0].at_ms: "],
    ["no JSON", { requests: ["{"] }, "requests[0]: "],
    ["another value", { requests: ["[]"] }, "requests[0]: "],
    ["nothing", { requests: ["null"] }, "requests[0]: "],
    ["no id", { requests: [JSON.stringify({ ...request, requestId: 1 })] }, "requests[0].requestId: "],
    ["a NUL", { requests: [JSON.stringify({ ...request, message: "\0" })] }, "requests[0].message: "],
    ["half a character", { requests: [JSON.stringify({ ...request, rpc: "\ud800" })] }, "requests[0].rpc: "],
    ["no such reason", { requests: [JSON.stringify({ ...request, reason: "x" })] }, "requests[0].reason: "],
    ["an operator", { requests: [JSON.stringify({ ...request, caller: "operator" })] }, "requests[0].caller: "],
    ["no time", { requests: [JSON.stringify({ ...request, at: "now" })] }, "requests[0].at: "],
    ["no origin", { impersonations: [JSON.stringify({ ...forUser, origin: undefined })] }, ".origin: "],
    ["no user", { impersonations: [JSON.stringify({ ...forUser, userId: "" })] }, ".userId: "],
    ["no calls", { impersonations: [JSON.stringify({ ...forUser, calls: 0 })] }, ".calls: "],
    ["too many calls", { impersonations: [JSON.stringify({ ...forUser, calls: 1e15 })] }, ".calls: "],
  ])("%s", async (name, batch, field) => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    const batchId = name === "no batch" ? "" : crypto.randomUUID();
    const own = { ...use, keyId: key_id, atMs: BigInt(latchkey.clock.now().getTime()) };
    const uses = [...(batch.uses ?? []), own];
    expect(await fault(report({ ...batch, batchId, uses } as Report))).toContain(field);
    // Nothing of it was counted, and the batch's id is as good as new.
    await report({ batchId: batchId || crypto.randomUUID(), uses: [own] });
    await eventually(async () => expect((await dashboard.result("usage", { key_id })).total_verifications).toBe(1));
  });
});

test("a use in the future is one of now", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const atMs = BigInt(latchkey.clock.now().getTime() + 1_000_000_000);
  await report({ batchId: crypto.randomUUID(), uses: [{ keyId: key_id, failure: "", count: 3n, atMs }] });
  await eventually(async () => {
    expect((await dashboard.result("usage", { key_id })).successful_verifications).toBe(3);
    const { last_used_at } = await dashboard.result("get", { key_id });
    expect(Date.parse(last_used_at)).toBeLessThanOrEqual(latchkey.clock.now().getTime());
  });
});

describe("a question about a budget that cannot be read is answered as failed, and is not an error of the service:", () => {
  const limit = JSON.stringify({ requestsPerMinute: 5, requestsPerHour: 0, burstSize: 0 });

  test.each([
    ["", "{}"],
    ["null", "{}"],
    ["{}", "{}"],
    ["[]", "{}"],
    [JSON.stringify({ requestsPerMinute: "5", requestsPerHour: 0, burstSize: 0 }), "{}"],
    [JSON.stringify({ requestsPerMinute: 5, requestsPerHour: -1, burstSize: 0 }), "{}"],
    [JSON.stringify({ requestsPerMinute: 5, requestsPerHour: 0, burstSize: 0, perUser: {} }), "{}"],
    [limit, ""],
    [limit, "1"],
    [limit, '{"cost":0}'],
    [limit, '{"cost":1.5}'],
    [limit, '{"user":5}'],
    [limit, '{"isShared":"yes"}'],
  ])("the limit %s, spending %s", async (asked, spending) => {
    const lines = latchkey.logLines.length;
    const follower = await followRaw(edgeClient(latchkey.url));
    const question = { number: 1n, budgetId: "key_of_no_one", limit: asked, spending, most: 2, peek: false };
    follower.send({ case: "askSlice", value: question });
    expect(await follower.next("slice")).toMatchObject({ number: 1n, granted: 0, failed: true });
    const returned = { budgetId: "key_of_no_one", limit: asked, unspent: 1, takenAtMs: 0n, shared: false };
    follower.send({ case: "returnSlice", value: returned });
    // The stream goes on.
    follower.send({ case: "askSlice", value: { ...question, number: 2n, limit, spending: "{}" } });
    while ((await follower.next("slice"))?.number !== 2n);
    const errors = latchkey.logLines.slice(lines).filter((line) => JSON.parse(line).level >= 50);
    expect(errors).toEqual([]);
  });
});
