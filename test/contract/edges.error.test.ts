// promise: edges.reports
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { beforeAll, describe, expect, test } from "vitest";
import { AskSliceSchema } from "../../gen/latchkey/v1/edge_service_pb.ts";
import type { RecentRequestSchema } from "../../gen/latchkey/v1/request_pb.ts";
import { RULES } from "../../src/domain/edges/rules.ts";
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

const resolve = (request: Resolve) =>
  edgeClient(latchkey.url).resolve({ rules: RULES, ...request }, { headers: AS_EDGE });
const report = (request: Report) => edgeClient(latchkey.url).report(request, { headers: AS_EDGE });

describe("resolve without a record that can be named:", () => {
  test.each<[Resolve, string]>([
    [{ edgeId: "" }, "subject: "],
    [{ rules: RULES - 1, subject: { case: "tenantId", value: "a" } }, "rules: "],
    [{ rules: RULES + 1, subject: { case: "secretHash", value: HASH } }, "rules: "],
    [{ rules: 0, subject: { case: "userToken", value: { secretHash: HASH, token: "a.b.c" } } }, "rules: "],
    [{ subject: { case: "secretHash", value: "" } }, "secretHash: "],
    [{ subject: { case: "secretHash", value: HASH.slice(1) } }, "secretHash: "],
    [{ subject: { case: "secretHash", value: `${HASH.slice(1)}+` } }, "secretHash: "],
    [{ subject: { case: "tenantId", value: "a\0" } }, "tenantId: "],
    [{ subject: { case: "userToken", value: { secretHash: "x", token: "a.b.c" } } }, "userToken.secretHash: "],
  ])("%j", async (request, field) => {
    expect(await fault(resolve(request))).toContain(field);
  });

  test("a key that does not exist is said to be missing, and is not kept", async () => {
    expect(await resolve({ subject: { case: "secretHash", value: HASH } })).toMatchObject({
      record: { case: "missing", value: true },
      mayKeep: false,
    });
  });
});

describe("a report that cannot be counted is rejected as a whole, and names what is wrong:", () => {
  const use = { keyId: "key_1", failure: "", count: 1n, atMs: 1n };
  const request = { requestId: "req_1", at: timestampFromMs(1) };
  const forUser = { hourMs: 1n, tenantId: "t", keyId: "k", userId: "u", calls: 1, requestId: "r" };
  const ofRequest = (member: MessageInitShape<typeof RecentRequestSchema>) => ({
    requests: [{ request: { ...request, ...member } }],
  });

  test.each<[string, Report, string]>([
    ["no batch", { uses: [use] }, "batchId: "],
    ["no key", { uses: [{ ...use, keyId: "" }] }, "uses[0].keyId: "],
    ["an unknown reason", { uses: [use, { ...use, failure: "toString" }] }, "uses[1].failure: "],
    ["no use", { uses: [{ ...use, count: 0n }] }, "uses[0].count: "],
    ["less than no use", { uses: [{ ...use, count: -1n }] }, "uses[0].count: "],
    ["too many uses", { uses: [{ ...use, count: 9_223_372_036_854_775_807n }] }, "uses[0].count: "],
    ["no instant", { uses: [{ ...use, atMs: 9_223_372_036_854_775_807n }] }, "uses[0].atMs: "],
    ["an instant that is none", { uses: [{ ...use, atMs: -1n }] }, "uses[0].atMs: "],
    ["no request", { requests: [{}] }, "requests[0].request.at: "],
    ["a NUL", ofRequest({ message: "\0" }), "requests[0].request.message: "],
    ["no such reason", ofRequest({ reason: "x" }), "requests[0].request.reason: "],
    ["no such check", { requests: [{ request, failedCheck: "x" }] }, "requests[0].failedCheck: "],
    ["an operator", ofRequest({ caller: "operator" }), "requests[0].request.caller: "],
    ["no time", { requests: [{ request: { requestId: "req_1" } }] }, "requests[0].request.at: "],
    ["a time out of range", ofRequest({ at: { seconds: 1n << 60n } }), "requests[0].request.at: "],
    ["no hour", { impersonations: [{ ...forUser, hourMs: 1n << 60n }] }, ".hourMs: "],
    ["no tenant", { impersonations: [{ ...forUser, tenantId: "" }] }, ".tenantId: "],
    ["no key of the user", { impersonations: [{ ...forUser, keyId: "" }] }, ".keyId: "],
    ["no user", { impersonations: [{ ...forUser, userId: "" }] }, ".userId: "],
    ["no calls", { impersonations: [{ ...forUser, calls: 0 }] }, ".calls: "],
    ["too many calls", { impersonations: [{ ...forUser, calls: 2_000_000_000 }] }, ".calls: "],
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
  const limit = { requestsPerMinute: 5 };

  test.each<[string, MessageInitShape<typeof AskSliceSchema>]>([
    ["no limit", { limit: undefined }],
    ["a negative limit", { limit: { ...limit, requestsPerHour: -1 } }],
    ["a negative burst", { limit: { ...limit, burstSize: -1 } }],
    ["a negative limit of users", { limit: { ...limit, perUser: { burstSize: -1 } } }],
    ["a limit that contradicts itself", { limit: { ...limit, unlimited: true } }],
    ["no spending", { spending: undefined }],
    ["no cost", { spending: { cost: 0 } }],
    ["a negative cost", { spending: { cost: -1_000 } }],
    ["a cost too high", { spending: { cost: 1_001 } }],
    ["a user with a NUL", { spending: { user: "\0" } }],
    ["a negative number of requests", { most: -1 }],
    ...["", "key 1", "key\0", "{key}", "k".repeat(65)].map(
      (budgetId): [string, MessageInitShape<typeof AskSliceSchema>] => [
        `the budget ${JSON.stringify(budgetId)}`,
        { budgetId },
      ],
    ),
  ])("%s", async (_, wrong) => {
    const lines = latchkey.logLines.length;
    const follower = await followRaw(edgeClient(latchkey.url));
    const right = { number: 2n, budgetId: "key_of_no_one", limit, spending: {}, most: 2 };
    const question = create(AskSliceSchema, { ...right, number: 1n, ...wrong } as typeof wrong);
    follower.send({ case: "askSlice", value: question });
    const failed = await follower.next("slice");
    expect([failed?.number, failed?.granted, failed?.decision]).toEqual([1n, 0, undefined]);
    const { budgetId, limit: asked } = question;
    follower.send({
      case: "returnSlice",
      value: { budgetId, ...(asked && { limit: asked }), unspent: 1, takenAtMs: 0n, shared: false },
    });
    // The stream goes on.
    follower.send({ case: "askSlice", value: create(AskSliceSchema, right) });
    let slice = await follower.next("slice");
    while (slice?.number !== 2n) slice = await follower.next("slice");
    expect(slice).toMatchObject({ granted: expect.any(Number), decision: { denied: expect.any(Boolean) } });
    const errors = latchkey.logLines.slice(lines).filter((line) => JSON.parse(line).level >= 50);
    expect(errors).toEqual([]);
  });
});
