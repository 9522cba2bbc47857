import { beforeAll, expect, test } from "vitest";
import { decide, EDGE_TOKEN, outcome, startEdge } from "../harness/edges.ts";
import { type Latchkey, sharedLatchkey } from "../harness/latchkey.ts";

let latchkey: Latchkey;
let user: Record<string, string>;

beforeAll(async () => {
  latchkey = await sharedLatchkey({ edgeTokens: [EDGE_TOKEN] });
  user = await latchkey.dashboard();
});

test("an edge admits a key as Verify does, and asks the service once", async () => {
  const edge = await startEdge(latchkey.url);
  const { key, key_id } = await latchkey.createKey(user);
  const headers = { "x-api-key": key };
  expect(await decide(edge, headers, { scopes: ["conversations:read"] })).toMatchObject({
    kind: "admitted",
    caller: { kind: "secret_key", keyId: key_id, permissions: ["conversations:*"] },
  });
  expect(edge.verify({ headers: ["x-api-key", key], scopes: [], cost: undefined })).toMatchObject({ kind: "admitted" });
  expect(edge.status).toMatchObject({ records: 2, decided: 2, asked: 0 });
});

test("a revoked key is denied after the answer", async () => {
  const edge = await startEdge(latchkey.url);
  const { key, key_id } = await latchkey.createKey(user);
  expect(await outcome(edge, { "x-api-key": key })).toBe("admitted");
  await latchkey.call("/api/v1/api-keys/revoke", { key_id }, user);
  expect(await outcome(edge, { "x-api-key": key })).toBe("api_key_revoked");
});

test("a limit is spent in slices", async () => {
  const edge = await startEdge(latchkey.url);
  const { key } = await latchkey.createKey(user, { rate_limit: { requests_per_minute: 50 } });
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => outcome(edge, { "x-api-key": key })));
  expect(outcomes.filter((one) => one === "admitted")).toHaveLength(50);
  expect(outcomes.filter((one) => one === "rate_limited")).toHaveLength(50);
});
