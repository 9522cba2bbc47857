import { expect, test } from "vitest";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

const HOME_MADE = { key_format: "home-made", prefix: "sk_live_", length_min: 40, length_max: 40, alphabet: "BASE62" };

test("a format is answered with its defaults, listed, and in the audit trail of no tenant", async () => {
  const tenant = newTenant();
  const body = { ...HOME_MADE, algorithm: "SHA256", bearer: true, tenants: [tenant, tenant] };
  const result = await operator.result("key-formats/create", body);
  expect(result).toEqual({
    ...body,
    ...{ case: "AS_SENT", pepper: "", hashed_part: "WHOLE", separator: "", tenants: [tenant] },
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  const { formats } = await operator.answer("key-formats/list", {});
  expect(formats).toContainEqual(result);
  const { events } = await operator.answer("audit/list", { action: "key_format.created", target_id: "home-made" });
  expect(events).toHaveLength(1);
  expect(events[0].changes.prefix).toEqual({ new: "sk_live_" });
  expect(events[0].tenant_id).toBeUndefined();
});

test("formats that share no text stand side by side", async () => {
  for (const [key_format, prefix] of [
    ["one", "acme_one_"],
    ["other", "acme_other_"],
  ]) {
    const body = { key_format, prefix, length_min: 60, length_max: 60, alphabet: "HEX", algorithm: "SHA512" };
    expect((await operator.result("key-formats/create", body)).key_format).toBe(key_format);
  }
});
