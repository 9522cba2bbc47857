// promise: lists.tokens
// threat: B25
import { describe, expect, test } from "vitest";
import { SERVICES } from "../../gen/latchkey/v1/services.ts";
import { expectFault } from "../harness/error-answers.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { rpcCallers } from "../harness/rpc-callers.ts";
import { OPEN_RPCS, RPCS } from "../harness/rpcs.ts";

const latchkey = await sharedLatchkey();
const { send, keyId } = await rpcCallers(latchkey);

const LISTS = SERVICES.flatMap(({ methods }) => methods).filter(
  ({ name, output }) => name.startsWith("List") || output.field.pagination !== undefined,
);

describe("every list takes page_token and answers next_page_token", () => {
  test.each(LISTS)("$name", async ({ name, input, output }) => {
    expect([input.field.pageToken?.jsonName, output.field.nextPageToken?.jsonName]).toEqual([
      "page_token",
      "next_page_token",
    ]);
    const rpc = [...RPCS, ...OPEN_RPCS].find(({ procedure }) => procedure.endsWith(`/${name}`));
    const body = { ...rpc?.body(keyId) };
    const first = await send(name, JSON.stringify({ ...body, page_token: "" }));
    // The tenant has no organization. With one, the tests of both lists have the whole answer.
    if (first.json.reason !== "no_organization") expect(first.json.next_page_token, first.text).toBeTypeOf("string");
    for (const foreign of ["x", "cGFnZS4w", Buffer.from("page.0.20").toString("base64url")]) {
      const answer = await send(name, JSON.stringify({ ...body, page_token: foreign }));
      expectFault(answer, 400, "invalid_argument");
      expect(answer.json).toMatchObject({ reason: "invalid_page_token", field: "page_token" });
    }
  });
});

test("the tokens of a list lead through all of its pages, each item once, and the last one is empty", async () => {
  const dashboard = dashboardOf(latchkey);
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) ids.unshift((await dashboard.createKey()).key_id);
  const seen: string[] = [];
  let page_token = "";
  do {
    const { json } = await dashboard.call("list", page_token === "" ? { per_page: 2 } : { page_token });
    seen.push(...json.keys.map(({ key_id }: { key_id: string }) => key_id));
    page_token = json.next_page_token;
  } while (page_token !== "");
  expect(seen).toEqual(ids);
});

test("a token beside another page or another size is refused", async () => {
  const dashboard = dashboardOf(latchkey);
  for (let count = 0; count < 3; count++) await dashboard.createKey();
  const { next_page_token: page_token } = (await dashboard.call("list", { per_page: 2 })).json;
  expect((await dashboard.call("list", { page_token, per_page: 2 })).json.pagination).toMatchObject({ page: 2 });
  for (const beside of [{ page: 2 }, { per_page: 3 }]) {
    const answer = await dashboard.call("list", { page_token, ...beside });
    expectFault(answer, 400, "invalid_argument");
    expect(answer.json).toMatchObject({ reason: "invalid_page_token", field: "page_token" });
  }
});
