import { expect, test } from "vitest";
import { UpdateApiKeyRequestSchema } from "../../../../gen/latchkey/v1/api_key_service_pb.ts";
import { checkJson } from "./strict-json.ts";

const check = (text: string) => () => checkJson(UpdateApiKeyRequestSchema, Buffer.from(text), false);

test("a text longer than its member allows is rejected before the body is parsed into a message", () => {
  const update_mask = "name,".repeat(200_000);
  expect(check(JSON.stringify({ key_id: "k", update_mask }))).toThrow(/^update_mask: must be at most 1024 characters$/);
});

test.each([
  ["x", 1, 1],
  [`{"a":\n\nx`, 3, 1],
  [`{"a":\r\n  x`, 2, 3],
  [`${"\n".repeat(1_000_000)}x`, 1_000_001, 1],
  [`\n${" ".repeat(1_000_000)}x`, 2, 1_000_001],
])("a syntax error is reported with its line and column (%#)", (text, line, column) => {
  expect(check(text)).toThrow(`body: must be valid JSON; what stands at line ${line}, column ${column} is not`);
});
