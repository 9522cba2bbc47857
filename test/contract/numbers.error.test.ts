// promise: json.exact-numbers
import { create, type DescField, fromJson, type JsonValue, type Message, toBinary } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { ListValueSchema, StructSchema, TimestampSchema, type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { dashboardOf, OIDC } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { bodyWithAlone, pathOf, type RequestMember, requestMembers } from "../harness/request-members.ts";
import { rpcCallers } from "../harness/rpc-callers.ts";

const latchkey = await sharedLatchkey();
const { send } = await rpcCallers(latchkey);

/** Where a body's text gets a number that `JSON.stringify` cannot write. */
const HERE = "the number";
const NO_EXACT_NUMBERS = [
  ...["9007199254740992", "9007199254740993", "-9007199254740993", "9007199254740993.0", "9007199254740993e0"],
  ...["123456789012345678901234567890", "1e20", "1e400", "-1e999"],
];
const NO_INTEGERS = [...NO_EXACT_NUMBERS, '"9007199254740993"', "1.5", "0.1", "2147483648", "-2147483649"];
const NO_TIMES = [
  ...["9007199254740993", "1e400", "0", '"10000-01-01T00:00:00Z"', '"0000-12-31T00:00:00Z"', '"9999-12-31T23:59:59Z"'],
  ...['"+275761-01-01T00:00:00Z"', '"9007199254740993"'],
];

/** A message of free JSON, by its type, with a value in it. */
const FREE: ReadonlyMap<string, (value: unknown) => JsonValue> = new Map([
  [StructSchema.typeName, (value) => ({ seats: [{ of: value }] }) as JsonValue],
  [ListValueSchema.typeName, (value) => [{ claim: "seats", equals: value }] as JsonValue],
  [ValueSchema.typeName, (value) => ({ of: value }) as JsonValue],
]);

type Kind = "free" | "time" | "number" | "enum" | "none";

function kindOf({ message, scalar, enum: ofEnum }: DescField): Kind {
  if (message !== undefined && FREE.has(message.typeName)) return "free";
  if (message?.typeName === TimestampSchema.typeName) return "time";
  if (ofEnum !== undefined) return "enum";
  // Of the other types, bool, string and bytes are no numbers: `ScalarType` has them as 8, 9 and 12.
  return scalar === undefined || [8, 9, 12].includes(scalar) ? "none" : "number";
}

const members = requestMembers().map((member) => ({
  ...member,
  kind: kindOf(member.field),
  title: `${member.method.name} ${pathOf(member)}`,
}));
const ofKind = (kind: Kind) => members.filter((member) => member.kind === kind);

async function expectRefused(member: RequestMember, value: JsonValue, numbers: readonly string[]): Promise<void> {
  const text = JSON.stringify(bodyWithAlone(member, value));
  for (const number of numbers) {
    const answer = await send(member.method.name, text.replace(JSON.stringify(HERE), number));
    expectInvalid(answer, pathOf(member));
  }
}

/** The request in binary, with the member set to a message that no JSON body could be. */
function binary(member: RequestMember, value: Message): Uint8Array<ArrayBuffer> {
  const request = create(member.method.input);
  let place = reflect(member.method.input, request);
  for (const field of member.fields.slice(0, -1)) {
    if (field.message === undefined) throw new Error("only messages lie around members that take free JSON or times");
    const around = reflect(field.message);
    if (field.fieldKind === "list") place.get(field).add(around);
    else place.set(field, around);
    place = around;
  }
  if (member.field.fieldKind !== "message") throw new Error("free JSON and times are messages");
  place.set(member.field, reflect(member.field.message, value));
  return new Uint8Array(toBinary(member.method.input, request));
}

test("the members that take numbers are walked", () => {
  expect(ofKind("free").map(({ title }) => title)).toEqual(
    expect.arrayContaining([
      "CreateApiKey metadata",
      "CreateApiKey publishableConfig.oidc.claimRules",
      "CreateFederationRule jwks",
      "UpdateFederationRule claim_rules",
    ]),
  );
  expect(ofKind("number").length).toBeGreaterThan(40);
  expect(ofKind("time").length).toBeGreaterThan(15);
});

// threat: Q8
describe("a number that a double does not hold is 400 with the member's name, in JSON and in binary", () => {
  test.each(ofKind("free"))("$title", async (member) => {
    const free = FREE.get(member.field.message?.typeName ?? "");
    if (free === undefined || member.field.message === undefined) throw new Error("it takes no free JSON");
    await expectRefused(member, free(HERE), NO_EXACT_NUMBERS);
    for (const number of [2 ** 53, -(2 ** 53), 1e20, Number.POSITIVE_INFINITY, Number.NaN]) {
      const message = fromJson(member.field.message, free(HERE));
      expect(withNumber(message, number)).toBe(1);
      expectInvalid(await send(member.method.name, binary(member, message)), pathOf(member), "a double");
    }
  });
});

/** Puts a number in the place of each text `HERE`; returns how many there were. */
function withNumber(part: object, number: number): number {
  let found = 0;
  for (const inner of Object.values(part)) {
    if (typeof inner !== "object" || inner === null) continue;
    if ("kind" in inner && (inner as Value).kind.value === HERE) {
      (inner as Value).kind = { case: "numberValue", value: number };
      found++;
    } else found += withNumber(inner, number);
  }
  return found;
}

describe("a number that is not an integer of the member's range is 400 with its name", () => {
  test.each(ofKind("number"))("$title", async (member) => {
    const value = member.field.fieldKind === "list" ? [HERE] : HERE;
    await expectRefused(member, value, NO_INTEGERS);
  });

  test.each(ofKind("enum"))("$title", async (member) => {
    const value = member.field.fieldKind === "list" ? [HERE] : HERE;
    await expectRefused(member, value, [...NO_INTEGERS, "99"]);
  });
});

// threat: Q8
describe("a time beyond the years that are stored is 400 with the member's name, in JSON and in binary", () => {
  test.each(ofKind("time"))("$title", async (member) => {
    await expectRefused(member, HERE, NO_TIMES);
    for (const seconds of [2n ** 53n + 1n, -(2n ** 62n), 253_402_300_800n, -62_135_596_801n]) {
      const answer = await send(member.method.name, binary(member, create(TimestampSchema, { seconds })));
      expectInvalid(answer, pathOf(member), "years");
    }
  });
});

describe("what is accepted is stored as it was sent", () => {
  const NUMBERS = ["9007199254740991", "-9007199254740991", "1.5", "-0.25", "0", "1e2", "4503599627370495.5", "5e-324"];

  test.each([...NUMBERS, "1e300"])("the metadata %s", async (number) => {
    const dashboard = dashboardOf(latchkey);
    const body = `{"name":"a","permissions":["plans:read"],"metadata":{"seats":${number}}}`;
    const { key_id } = (await dashboard.call("create", body)).json.result;
    expect((await dashboard.result("get", { key_id })).metadata).toEqual({ seats: Number(number) });
  });

  test.each(NUMBERS)("a rule that a claim equals %s", async (number) => {
    const dashboard = dashboardOf(latchkey);
    const oidc = { ...OIDC, claimRules: [{ claim: "seats", equals: HERE }] };
    const key = { name: "a", permissions: ["plans:read"], keyType: "KEY_TYPE_PUBLISHABLE" };
    const body = JSON.stringify({ ...key, publishableConfig: { oidc } }).replace(JSON.stringify(HERE), number);
    const { key_id } = (await dashboard.call("create", body)).json.result;
    const stored = await dashboard.result("get", { key_id });
    expect(stored.publishableConfig.oidc.claimRules).toEqual([{ claim: "seats", equals: Number(number) }]);
  });
});
