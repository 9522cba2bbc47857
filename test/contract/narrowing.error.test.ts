// promise: json.narrowing, json.narrowing-clients
import { type DescField, fromJson, type JsonValue, ScalarType, toBinary } from "@bufbuild/protobuf";
import { type ReflectList, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { makeSecret } from "../../src/domain/credentials/secret.ts";
import { expectFault, expectInvalid } from "../harness/error-answers.ts";
import type { Answer } from "../harness/http.ts";
import { OIDC } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { emptinessOf, membersThat, qualifiedName, reviewed } from "../harness/narrowing-members.ts";
import { bodyWithAlone, pathOf, type RequestMember, requestMembers } from "../harness/request-members.ts";
import { rpcCallers } from "../harness/rpc-callers.ts";
import { OPEN_RPCS, RPCS } from "../harness/rpcs.ts";

const latchkey = await sharedLatchkey();
const { send, keyId, tenant } = await rpcCallers(latchkey);

const BLANKS = [" ", "\t\n", "\u200b\u00a0"];
/** Blank texts that are values as any other, with what they then do. */
const BLANK_VALUES: Readonly<Record<string, string>> = {
  "EraseUser issuer": "erases the memberships of no issuer",
};
const SPELLINGS: readonly ((field: DescField) => string)[] = [
  ({ jsonName }) => jsonName,
  ({ name }) => name,
  ({ localName }) => localName,
];
/** What takes the place of a value that is not there. */
function emptyValuesOf({ fieldKind, scalar, message }: DescField): unknown[] {
  if (message?.typeName === "google.protobuf.ListValue") return [null];
  if (fieldKind === "list") return [null, []];
  return scalar === ScalarType.STRING ? [null, ""] : [null];
}

const titled = (members: readonly RequestMember[]) =>
  members.map((member) => ({ ...member, title: `${member.method.name} ${pathOf(member)}` }));

/** Members of lists that do not narrow them. */
const OF_PAGES: ReadonlySet<string> = new Set(["page", "per_page", "page_token", "sort", "include_body"]);
const isList = ({ method }: RequestMember) => method.name.startsWith("List");

test("each filter of a list narrows", () => {
  const filters = requestMembers().filter((member) => isList(member) && !OF_PAGES.has(member.field.name));
  const others = filters.filter(({ field }) => !emptinessOf(field).startsWith("narrows"));
  expect(
    others.filter(({ field }) => emptinessOf(field) !== "required").map(({ field }) => qualifiedName(field)),
  ).toEqual([]);
  expect(filters.length).toBeGreaterThan(30);
});

// threat: Q7
test("each optional member of a request that changes something narrows, or was reviewed", () => {
  const optional = requestMembers().filter(
    ({ field, method }) => emptinessOf(field) === "other" && !/^(List|Find|Get)/.test(method.name),
  );
  expect([...new Set(optional.map(({ field }) => qualifiedName(field)))].toSorted()).toEqual(
    [...new Set(reviewed())].toSorted(),
  );
});

test("the members that narrow are walked", () => {
  expect(titled(membersThat("narrows")).map(({ title }) => title)).toEqual(
    expect.arrayContaining([
      ...[
        "DeriveToken user_id",
        "DeriveToken audience",
        "DeriveToken confirmation_jkt",
        "Verify scope",
        "Verify scopes",
      ],
      ...[
        "CreateApiKey allowed_ips",
        "CreateTenantKey allowed_origins",
        "CreateApiKey publishableConfig.oidc.claimRules",
      ],
      ...["EraseUser issuer", "RedeliverWebhookEvents webhook_id"],
    ]),
  );
});

// threat: Q7
describe("a member that narrows is 400 with its name where it is null or empty, in each spelling", () => {
  test.each(titled(membersThat("narrows", "narrows by its value")))("$title", async (member) => {
    const values = emptinessOf(member.field) === "narrows" ? emptyValuesOf(member.field) : [null];
    for (const nameOf of SPELLINGS) {
      for (const value of values) {
        const body = JSON.stringify(bodyWithAlone(member, value, nameOf));
        expectInvalid(await send(member.method.name, body), pathOf(member, nameOf), "leave it out");
      }
    }
  });
});

const texts = membersThat("narrows").filter(({ field }) => field.fieldKind === "scalar");
// The other texts are the same in binary as absent ones.
const sentTexts = texts.filter(({ field }) => field.presence === FeatureSet_FieldPresence.EXPLICIT);

/** The message in a member, or the only one in a list. */
function messageIn(place: ReflectMessage, field: DescField): ReflectMessage {
  const value = place.get(field);
  return field.fieldKind === "list" ? ((value as ReflectList).get(0) as ReflectMessage) : (value as ReflectMessage);
}

describe("in binary a text that narrows is 400 with its name where it is empty, if the message has its presence", () => {
  test.each(titled(sentTexts))("$title", async (member) => {
    const request = fromJson(member.method.input, bodyWithAlone(member, "x") as JsonValue);
    let place = reflect(member.method.input, request);
    for (const field of member.fields.slice(0, -1)) place = messageIn(place, field);
    place.set(member.field, "");
    const bytes = new Uint8Array(toBinary(member.method.input, request));
    expectInvalid(await send(member.method.name, bytes), pathOf(member), "leave it out");
  });
});

describe("a text that narrows is refused where it is blank, save a filter, which then finds nothing", () => {
  test.each(titled(texts).filter((member) => !isList(member) && !(member.title in BLANK_VALUES)))(
    "$title",
    async (member) => {
      for (const blank of BLANKS) {
        const answer = await sendWith(member, blank);
        if (member.method.name === "CheckOidc") expect(answer.json.passed, answer.text).toBe(false);
        else expect([400, 404], answer.text).toContain(answer.status);
        expect(answer.json.field ?? pathOf(member)).toBe(pathOf(member));
      }
    },
  );
});

describe("a list that narrows is 400 with the item's name where an item is empty or blank, and a free list where it is empty", () => {
  const lists = membersThat("narrows", "narrows by its value").filter(
    ({ field }) => field.fieldKind === "list" || field.message?.typeName === "google.protobuf.ListValue",
  );

  test.each(titled(lists))("$title", async (member) => {
    for (const list of [[""], [" "], ...(member.field.fieldKind === "list" ? [] : [[]])]) {
      const answer = await sendWith(member, list);
      if (member.method.name === "CheckOidc") {
        // What is wrong with a configuration is what it is asked for.
        expect(answer.json).toMatchObject({ passed: false, steps: [{ name: "configuration", passed: false }] });
        continue;
      }
      expectFault(answer, 400, "invalid_argument");
      expect(answer.json.message.slice(0, pathOf(member).length), answer.text).toBe(pathOf(member));
    }
  });
});

describe("a required member is refused where it is null or empty", () => {
  test.each(titled(membersThat("required")))("$title", async (member) => {
    for (const value of emptyValuesOf(member.field).filter((each) => typeof each !== "string" || each === "")) {
      const answer = await sendWith(member, value);
      if (member.method.name === "CheckOidc") expect(answer.json.passed, answer.text).toBe(false);
      else expect([400, 404], answer.text).toContain(answer.status);
    }
  });
});

/** Sends a request that is valid but for the member. Of a row that was refused by itself, returns what a request would be answered. */
async function sendWith(member: RequestMember, value: unknown): Promise<Answer> {
  const { name } = member.method;
  const answer = await send(name, JSON.stringify(merged(validBody(name), bodyWithAlone(member, value))));
  const [row] = answer.status === 200 && "refused" in answer.json ? answer.json.results : [];
  if (row?.status !== "REFUSED") return answer;
  const { reason, field, message } = row;
  const fault = { code: "invalid_argument", reason, message: `keys[0].${message}`, details: [] };
  return { ...answer, status: 400, json: { ...fault, field: `keys[0].${field}` } };
}

/** A body that is valid but for what is put into it. */
function validBody(name: string): Record<string, unknown> {
  const rpc = [...RPCS, ...OPEN_RPCS].find(({ procedure }) => procedure.endsWith(`/${name}`));
  const body: Record<string, unknown> = { ...rpc?.body(keyId, tenant) };
  const publishable = { keyType: "KEY_TYPE_PUBLISHABLE", publishableConfig: { oidc: { ...OIDC } } };
  if (["CreateApiKey", "CreateTenantKey"].includes(name)) return { ...body, ...publishable };
  if (["ImportApiKeys", "ImportTenantKeys"].includes(name)) {
    const row = { tenant_id: tenant, key: makeSecret("publishable"), name: "moved", permissions: ["plans:read"] };
    return { ...body, keys: [{ ...row, ...publishable }] };
  }
  return ["UpdateApiKey", "UpdateTenantKey"].includes(name)
    ? { ...body, update_mask: "allowed_ips,allowed_origins" }
    : body;
}

function merged(base: object, over: object): object {
  const result: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const before = result[name];
    const [row, rowOver] = [before, value].map((one) => (Array.isArray(one) ? one[0] : undefined));
    if (typeof row === "object" && typeof rowOver === "object" && rowOver !== null) {
      result[name] = [merged(row, rowOver)];
      continue;
    }
    const isNested = [before, value].every((one) => typeof one === "object" && one !== null && !Array.isArray(one));
    result[name] = isNested ? merged(before as object, value) : value;
  }
  return result;
}
