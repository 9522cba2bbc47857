// promise: operator.callers, operator.token, operator.find
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../harness/http.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

describe("the key of a search", () => {
  test("is neither in the log nor in the answer, found or not", async () => {
    const { key, key_prefix } = await latchkey.createKey(await latchkey.dashboard());
    const unknown = `sk_${"a".repeat(36)}`;
    const mistyped = `${key.slice(0, -1)}${key.endsWith("x") ? "y" : "x"}`;
    for (const sent of [key, unknown, mistyped, `${key}0`, `${key},${key}`]) {
      const { text } = await operator.call("keys/find", { key: sent });
      expect(text).not.toContain(sent.slice(key_prefix.length, -4));
      const twice = await operator.call("keys/find", { key: sent, key_prefix });
      expect(twice.text).not.toContain(sent.slice(key_prefix.length, -4));
    }
    for (const secret of [key, unknown]) expect(latchkey.logLines.join("")).not.toContain(secret.slice(12, -4));
  });

  test("is not shown by an answer, whatever is searched for", async () => {
    const { key, key_id, key_prefix } = await latchkey.createKey(await latchkey.dashboard());
    for (const body of [{ key_id }, { key_prefix }, { key }]) {
      const { keys } = await operator.answer("keys/find", body);
      expect(keys).toHaveLength(1);
      expect(JSON.stringify(keys)).not.toContain(key.slice(key_prefix.length));
      expect(keys.flatMap((found: JsonObject) => Object.keys(found))).not.toContain("key");
    }
  });
});

test("to find a key spends nothing of its limit and counts no use", async () => {
  const dashboard = await latchkey.dashboard();
  const { key, key_id } = await latchkey.createKey(dashboard, { rate_limit: { requests_per_minute: 1 } });
  for (const body of [{ key_id }, { key }]) await operator.answer("keys/find", body);
  const { json } = await latchkey.call("/api/v1/api-keys/get", { key_id }, dashboard);
  expect(json.result).not.toHaveProperty("last_used_at");
  const { status } = await latchkey.call("/api/v1/llm/gateway/list-threads", {}, { "x-api-key": key });
  expect(status).toBe(200);
});
