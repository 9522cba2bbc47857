// promise: json.names
import { type DescField, fromJson, ScalarType, toJson } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { MASKABLE as RULE_MEMBERS } from "../../src/domain/federation/rules.ts";
import { LIMIT_PATHS } from "../../src/domain/keys/limit-mask.ts";
import { MASKABLE_NAMES, parseUpdateMask } from "../../src/domain/keys/update.ts";
import { fieldsOfMask } from "../../src/domain/vocabulary/update-mask.ts";
import { MASKABLE as WEBHOOK_MEMBERS } from "../../src/domain/webhooks/update.ts";
import { checkJson } from "../../src/transport/request/json/strict-json.ts";
import { bodyWithAlone, pathOf, type RequestMember, requestMembers } from "../harness/request-members.ts";

const SPELLINGS: readonly ((field: DescField) => string)[] = [
  ({ jsonName }) => jsonName,
  ({ name }) => name,
  ({ name }) => camelCase(name),
];

const KEY_MASK = { names: [...MASKABLE_NAMES, ...LIMIT_PATHS.map(([path]) => path)], read: parseUpdateMask };

/** The masks of each request that has one: what they take, and how they are read. */
const MASKS: Readonly<Record<string, { names: readonly string[]; read: (mask: string) => Iterable<string> }>> = {
  UpdateApiKeyRequest: KEY_MASK,
  UpdateTenantKeyRequest: KEY_MASK,
  UpdateFederationRuleRequest: { names: RULE_MEMBERS, read: (mask) => fieldsOfMask(mask, RULE_MEMBERS) },
  UpdateWebhookRequest: { names: WEBHOOK_MEMBERS, read: (mask) => fieldsOfMask(mask, WEBHOOK_MEMBERS) },
};

const members = requestMembers();

test("a body takes each member of each request in each spelling, as one member", () => {
  for (const member of members) {
    const value = valueFor(member.field);
    const bodies = SPELLINGS.map((nameOf) => bodyWithAlone(member, value, nameOf));
    const [first, ...others] = bodies.map((body) => read(member, body));
    expect(first, `${member.method.name} ${pathOf(member)}`).not.toEqual(read(member, {}));
    for (const other of others) expect(other, `${member.method.name} ${pathOf(member)}`).toEqual(first);
  }
});

test("a member in two spellings is refused", () => {
  for (const { method, field } of members.filter(({ fields }) => fields.length === 1)) {
    const body = Object.fromEntries(SPELLINGS.map((nameOf) => [nameOf(field), valueFor(field)]));
    if (Object.keys(body).length < 2) continue;
    expect(() => read({ method }, body), `${method.name} ${field.name}`).toThrow("is given twice");
  }
});

test("every request with a mask is walked", () => {
  const masked = members.filter(({ field }) => field.name === "update_mask").map(({ method }) => method.input.name);
  expect(Object.keys(MASKS).toSorted()).toEqual(masked.toSorted());
});

describe("a mask takes each member in each spelling, as the same member", () => {
  test.each(Object.entries(MASKS))("%s", (_request, { names, read: readMask }) => {
    for (const name of names) {
      const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      expect([...readMask(camelCase(name))], name).toEqual([...readMask(snake)]);
      expect([...readMask(`${snake},${camelCase(name)}`)], name).toHaveLength(1);
    }
  });
});

function read({ method }: Pick<RequestMember, "method">, body: object): unknown {
  const checked = checkJson(method.input, Buffer.from(JSON.stringify(body)), false);
  // As the service does: a name that the reader lets through and protojson does not know would be lost.
  return toJson(method.input, fromJson(method.input, checked, { ignoreUnknownFields: true }), {
    alwaysEmitImplicit: false,
  });
}

/** A value of the member that is not its default. */
function valueFor(field: DescField): unknown {
  switch (field.fieldKind) {
    case "list":
      return [field.listKind === "message" ? {} : field.listKind === "enum" ? 1 : "x"];
    case "map":
      return { x: "x" };
    case "enum":
      return 1;
    case "message":
      if (field.message.typeName === TimestampSchema.typeName) return "2030-01-01T00:00:00Z";
      return field.message.typeName === "google.protobuf.ListValue" ? ["x"] : {};
    default:
      return field.scalar === ScalarType.STRING ? "x" : field.scalar === ScalarType.BOOL ? true : 1;
  }
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}
