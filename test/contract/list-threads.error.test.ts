// promise: json.unknown, lists.pages
import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

test("unknown members are ignored, but the body must be a JSON object with valid page members", async () => {
  const headers = await latchkey.dashboard();
  const call = (body: unknown) => latchkey.call("/api/v1/llm/gateway/list-threads", body, headers);
  for (const body of [{}, { anything: [{ deep: null }] }]) expect((await call(body)).status).toBe(200);
  for (const body of ["[]", "null", '"x"', "1", ""]) expect((await call(body)).status).toBe(400);
  expect((await call({ page: -1 })).json.message).toContain("page");
});
