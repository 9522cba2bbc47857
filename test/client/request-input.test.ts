import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  Code,
  createLatchkeyClient,
  type LatchkeyClient,
  type Moment,
  timestampFromDate,
} from "../../clients/typescript/src/index.ts";
import { ok, type ScriptedService, startScriptedService } from "./scripted-service.ts";

let service: ScriptedService;
let client: LatchkeyClient;

beforeAll(async () => {
  service = await startScriptedService();
  client = createLatchkeyClient({ baseUrl: service.url, getUserToken: () => "t" });
});

beforeEach(() => service.play(ok()));

afterAll(() => service.close());

const MOMENT = "2030-01-31T12:00:00.250Z";

test.each<[form: string, given: Moment]>([
  ["a Date", new Date(MOMENT)],
  ["a text", MOMENT],
  ["a text of another zone", "2030-01-31T14:00:00.25+02:00"],
  ["a Timestamp", timestampFromDate(new Date(MOMENT))],
])("a time can be %s, in a request and in a message of it", async (_form, given) => {
  const request = { name: "k", permissions: ["plans:read" as const], expiresAt: given };
  await client.apiKeys.createApiKey(request);
  await client.audit.listAuditEvents({ from: given });
  expect(service.received.map(({ body }) => body.expires_at ?? body.from)).toEqual([MOMENT, MOMENT]);
  // The caller's own object is not changed.
  expect(request.expiresAt).toBe(given);
});

test.each([new Date(Number.NaN), "tomorrow", "2030-01-31", "", 1_900_000_000_000, ["2030"]])(
  "refuses a value that is not a time before anything is sent: %j",
  async (given) => {
    // What plain JavaScript may give.
    const call = client.apiKeys.createApiKey({ name: "k", expiresAt: given as Moment });
    await expect(call).rejects.toMatchObject({
      code: Code.InvalidArgument,
      rawMessage: expect.stringContaining('expiresAt: must be a time: a Date, a text such as "2030-01-31T12:00:00Z"'),
    });
    expect(service.received).toEqual([]);
  },
);

test("a mask can be a list, and a text as before", async () => {
  const update = { keyId: "key_1", name: "n", rateLimit: { burstSize: 1 } };
  await client.apiKeys.updateApiKey({ ...update, updateMask: ["name", "rate_limit.burst_size"] });
  await client.apiKeys.updateApiKey({ ...update, updateMask: "name,rate_limit.burst_size" });
  expect(service.received.map(({ body }) => body.update_mask)).toEqual(Array(2).fill("name,rate_limit.burst_size"));
});

test("refuses a mask that is not a list of names", async () => {
  const call = client.apiKeys.updateApiKey({ keyId: "key_1", updateMask: [5] as unknown as string[] });
  await expect(call).rejects.toMatchObject({ code: Code.InvalidArgument });
  expect(service.received).toEqual([]);
});

test("a response is printed without a bigint, in JSON and in a log", async () => {
  service.play(ok({ result: { key_id: "key_1", created_at: MOMENT } }));
  const created = await client.apiKeys.getApiKey({ keyId: "key_1" });
  expect(JSON.parse(JSON.stringify({ ...created })).result).toMatchObject({ key_id: "key_1", created_at: MOMENT });
  expect(JSON.parse(JSON.stringify({ ...created.result })).createdAt).toBe(MOMENT);
  for (const value of [created, created.result, { ...created.result }, created.result?.createdAt]) {
    const printed = inspect(value, { depth: 10 });
    expect(printed).toContain(MOMENT);
    expect(printed).not.toMatch(/\dn\b|seconds|nanos/);
  }
});
