// promise: operator.find
import { describe, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);
const { key, key_id, key_prefix } = await latchkey.createKey(await latchkey.dashboard());

const find = (body: object) => operator.call("keys/find", body);

describe("exactly one of key_id, key_prefix and key is required", () => {
  test.each([
    [{}],
    [{ key_id: "" }],
    [{ key_id: null, key: null }],
    [{ page: 1 }],
    [{ key_id, key_prefix }],
    [{ key_id, key }],
    [{ key_prefix, key }],
    [{ key_id, key_prefix, key }],
  ])("%j is 400", async (body) => {
    const answer = await find(body);
    expectInvalid(answer, "key_id", "key_prefix or key", "exactly one");
  });
});

describe("key_prefix", () => {
  test.each([
    ["five characters", key.slice(0, 5)],
    ["forty characters", `sk_${"a".repeat(37)}`],
    ["another type", `ak_${"a".repeat(9)}`],
    ["capitals before the line", `SK_${key.slice(3, 12)}`],
    ["a wildcard", "sk_%%%%%%"],
    ["another wildcard", "sk_______"],
    ["white space", ` ${key.slice(0, 12)}`],
    ["the end of a key", key.slice(-12)],
    ["nothing but the type", "sk_"],
  ])("of %s is 400", async (_, prefix) => {
    expectInvalid(await find({ key_prefix: prefix }), "key_prefix", "sk_ or pk_", "3 to 36");
  });

  test("of more than 256 characters is 400", async () => {
    expectInvalid(await find({ key_prefix: `sk_${"a".repeat(254)}` }), "key_prefix");
  });
});

describe("key", () => {
  test.each([
    ["a mistyped key", `${key.slice(0, -1)}${key.endsWith("x") ? "y" : "x"}`],
    ["the beginning of a key", key.slice(0, 20)],
    ["a token", "eyJhbGciOiJub25lIn0.e30."],
    ["a key with white space", `${key} `],
    ["a key of half a kilobyte", `sk_${"a".repeat(500)}`],
  ])("that is %s is 400, and the message does not repeat it", async (_, sent) => {
    const answer = await find({ key: sent });
    expectInvalid(answer, "key");
    expect(answer.text).not.toContain(sent.slice(3, 12));
  });
});

describe("members", () => {
  test.each([5, true, {}, ["x"]])("of a search must be strings: %j is 400", async (value) => {
    for (const member of ["key_id", "key_prefix", "key"]) {
      expectInvalid(await find({ [member]: value }), member, "string");
    }
  });

  test.each([-1, 1.5, "x", {}])("of a page must be whole numbers from 0 on: %j is 400", async (value) => {
    for (const member of ["page", "per_page"]) expectInvalid(await find({ key_id, [member]: value }), member);
  });

  test.each([
    ["keyid", "key_id"],
    ["prefix", "key_prefix"],
    ["perpage", "per_page"],
  ])("spelt %s are 400, and the message suggests %s", async (member, offered) => {
    expectInvalid(await find({ [member]: "x" }), member, `"${offered}"`);
  });
});
