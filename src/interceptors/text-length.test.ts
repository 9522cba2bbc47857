import { create, type DescMessage, type Message, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { CreateApiKeyRequestSchema, UpdateApiKeyRequestSchema } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import { VerifyRequestSchema } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { lengthFault } from "./text-length.ts";
import { checkValues, validateMessage } from "./validation.ts";

const LONG = 1_000_000;
const emoji = (count: number) => "\u{1f600}".repeat(count);

function refusal(check: (schema: DescMessage, message: Message) => void, schema: DescMessage, message: Message) {
  try {
    check(schema, message);
    return undefined;
  } catch (err) {
    return String(err);
  }
}

describe("a text that is far too long", () => {
  test.each([
    [UpdateApiKeyRequestSchema, create(UpdateApiKeyRequestSchema, { keyId: "k", updateMask: ",".repeat(LONG) })],
    [UpdateApiKeyRequestSchema, create(UpdateApiKeyRequestSchema, { keyId: "k", name: emoji(LONG) })],
    [CreateApiKeyRequestSchema, create(CreateApiKeyRequestSchema, { name: "k", permissions: ["*", emoji(LONG)] })],
    [VerifyRequestSchema, create(VerifyRequestSchema, { scope: "a:b".repeat(LONG) })],
  ] as const)(
    "is rejected before its characters are counted, with the message of the rule that counts them (%#)",
    (schema, message) => {
      expect(toBinary<DescMessage>(schema, message).byteLength).toBeGreaterThan(LONG);
      const early = refusal(checkValues, schema, message);
      expect(early).toMatch(/^RequestFault: [\w[\]]+: must be at most \d+ characters$/);
      expect(refusal(validateMessage, schema, message)).toBe(early);
    },
  );
});

test("a text is never rejected by its UTF-16 units if its characters may be few enough, nor if it has no rule", () => {
  const { name, description, keyType } = CreateApiKeyRequestSchema.field;
  expect(lengthFault(description, emoji(1_024), "d")).toBeUndefined();
  expect(lengthFault(name, emoji(128), "n")).toBeUndefined();
  expect(lengthFault(UpdateApiKeyRequestSchema.field.keyId, "x".repeat(LONG), "k")).toBeUndefined();
  expect(lengthFault(keyType, "x".repeat(LONG), "t")).toBeUndefined();
});
