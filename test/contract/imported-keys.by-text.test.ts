// promise: imported.places
import { afterAll, describe, expect, test } from "vitest";
import { createFormat, drawText, importAll, rowOf } from "../harness/imports.ts";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { report, startWithAddresses } from "../harness/leaks.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await startWithAddresses();
afterAll(() => latchkey.close());
const operator = operatorOf(latchkey);

/** A key of another system that was imported, by its hash and without its text. */
async function imported() {
  const dashboard = dashboardOf(latchkey);
  const format = await createFormat(latchkey);
  const text = drawText(format);
  const [key_id] = await importAll(operator, [rowOf(format, text, { tenant_id: dashboard.tenant })]);
  return { dashboard, format, text, key_id };
}

describe("a key of another system", () => {
  test("is found by the operator by its text and by its beginning, and a text that fits no format is refused", async () => {
    const { text, key_id, format } = await imported();
    for (const body of [{ key: text }, { key_prefix: format.prefix }])
      expect((await operator.answer("keys/find", body)).keys, JSON.stringify(body)).toMatchObject([{ key_id }]);
    expect((await operator.answer("keys/find", { key: drawText(format) })).keys).toEqual([]);
    const { status, json } = await operator.call("keys/find", { key: text.slice(1) });
    expect([status, json.field]).toEqual([400, "key"]);
  });

  test("is disabled when it is reported as leaked, and the record of the place does not hold it", async () => {
    const { dashboard, text, key_id } = await imported();
    expect(await useKey(latchkey, text)).toBe("admitted");
    const url = `https://paste.example/?key=${text}`;
    expect((await report(latchkey, [{ key: text, url, source: `found ${text}` }])).status).toBe(200);
    expect(await useKey(latchkey, text)).toBe("api_key_disabled");
    const record = await dashboard.result("get", { key_id });
    expect(record).toMatchObject({ leak_url: "https://paste.example/?key=...", leak_source: "found ..." });
  });

  test("of no key is reported without an effect, as any other text", async () => {
    const { format } = await imported();
    const answer = await report(latchkey, [{ key: drawText(format) }, { key: "acme" }]);
    expect([answer.status, answer.text]).toEqual([200, "{}"]);
  });

  test("is an API key in Authorization, too: a format without bearer says where it belongs", async () => {
    const { text } = await imported();
    const { json } = await latchkey.call("/api/v1/auth/verify", {}, { authorization: `Bearer ${text}` });
    expect(json).toMatchObject({ reason: "jwt_malformed", message: expect.stringContaining("send it in X-API-Key") });
  });

  test("is not the id of a key", async () => {
    const { dashboard, text } = await imported();
    expect((await dashboard.call("get", { key_id: text })).json.reason).toBe("key_not_found");
  });
});
