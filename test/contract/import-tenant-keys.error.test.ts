import { expect, test } from "vitest";
import { createFormat, drawText, rowOf } from "../harness/imports.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);
const format = await createFormat(latchkey);

test.each([{}, { tenant_id: "" }, { tenant_id: " " }, { tenant_id: "x".repeat(257) }])(
  "a row with the tenant %j is refused by itself",
  async (members) => {
    const keys = [
      rowOf(format, drawText(format), members),
      rowOf(format, drawText(format), { tenant_id: newTenant() }),
    ];
    const { created, results } = await operator.answer("keys/import", { keys });
    expect(created).toBe(1);
    expect(results[0]).toMatchObject({ status: "REFUSED", field: "tenant_id" });
  },
);

test("a tenant that was erased gets no key", async () => {
  const tenant_id = newTenant();
  const row = () => rowOf(format, drawText(format), { tenant_id });
  await operator.answer("keys/import", { keys: [row()] });
  await operator.answer("tenants/erase", { tenant_id });
  const { results } = await operator.answer("keys/import", { keys: [row()] });
  expect(results[0]).toMatchObject({ status: "REFUSED", reason: "tenant_erased" });
});
