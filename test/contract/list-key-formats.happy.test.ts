import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const operator = operatorOf(await sharedLatchkey());

test("the formats are listed in the order of their creation", async () => {
  const names = ["listed-second", "listed-first"];
  for (const key_format of names) {
    const body = { key_format, prefix: `${key_format}_`, length_min: 50, length_max: 50 };
    await operator.result("key-formats/create", { ...body, alphabet: "BASE64URL", algorithm: "SHA256" });
  }
  const { formats, next_page_token } = await operator.answer("key-formats/list", {});
  const listed = formats.map(({ key_format }: { key_format: string }) => key_format);
  expect(listed.filter((name: string) => names.includes(name))).toEqual(names);
  expect(next_page_token).toBe("");
});
