// promise: bodies.cost
import { create, getOption, toBinary } from "@bufbuild/protobuf";
import { type FieldRules, field as rulesOption } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CheckRequestSchema } from "../../gen/envoy/service/auth/v3/external_auth_pb.ts";
import { ENVOY_CHECK } from "../../src/transport/endpoints/envoy-check.ts";
import { allRoutes } from "../fuzz/requests/routes.ts";
import { costProblem, type Grown } from "../harness/cpu-cost.ts";
import { EXCHANGE, JWT_TYPE, newEmployer } from "../harness/federation.ts";
import { GITHUB_LEAKS, newScannerKey, signedBy, startGithubKeyServer } from "../harness/github.ts";
import { newTenant } from "../harness/latchkey.ts";
import { BEARER_SECRET, HOOK_PATH } from "../harness/login-hook.ts";
import { OPERATOR } from "../harness/operator.ts";
import { startPublishable } from "../harness/publishable.ts";
import { memberName, type SizedMember, sizedMembers } from "../harness/request-members.ts";
import { OPEN_RPCS, RPCS } from "../harness/rpcs.ts";

// A body holds up all other requests of the process for as long as it costs. Of this thread, client and service.

/** Less than the longest body that is read, for what stands around the parts. */
const BYTES = 1_048_000;
/** Of the parts that a body may have. */
const PARTS = 4_990;
/** The RPC that ignores members which it does not know. */
const LENIENT = "/api/v1/llm/gateway/list-threads";

const SCANNER = newScannerKey("a".repeat(64));
const github = await startGithubKeyServer([SCANNER]);
const service = await startPublishable({ identityHookSecrets: [BEARER_SECRET], githubKeysUrl: github.url });
const { latchkey } = service;
const tenant = newTenant();
const { key, key_id } = await latchkey.createKey(await latchkey.dashboard(tenant), { permissions: ["*"] });
const employer = await newEmployer(service);
const { rule_id } = await employer.create();

afterAll(async () => {
  await latchkey.close();
  await github.close();
});

type Headers = Readonly<Record<string, string>>;

async function send(path: string, body: string | Uint8Array<ArrayBuffer>, headers: Headers): Promise<void> {
  const answer = await fetch(latchkey.url + path, { method: "POST", headers, body });
  await answer.arrayBuffer();
  // Of who is denied, no body is read.
  if ([401, 403, 415].includes(answer.status) || answer.status >= 500) throw new Error(`${path}: ${answer.status}`);
}

// Compiled and connected before anything is measured.
beforeAll(async () => {
  for (let n = 0; n < 20; n++) await send(LENIENT, "{}", { "content-type": "application/json", "x-api-key": key });
});

const repeated =
  (before: string, piece: string, after: string): Grown<string> =>
  (bytes) =>
    before + piece.repeat(Math.floor((bytes - before.length - after.length) / Buffer.byteLength(piece))) + after;
const numbered =
  (before: string, part: (n: number) => string, after: string, separator = ","): Grown<string> =>
  (parts) =>
    before + Array.from({ length: parts }, (_, n) => part(n)).join(separator) + after;

/** Each sort of JSON, with as many parts of it as a body may have. */
const JSON_SORTS: Readonly<Record<string, readonly [Grown<string>, parts: number]>> = {
  "one text": [repeated('{"x":"', "a", '"}'), BYTES],
  "one text of escapes": [repeated('{"x":"', "\\u00e9", '"}'), BYTES],
  "one text of backslashes": [repeated('{"x":"', "\\\\", '"}'), BYTES],
  "one text of emoji": [repeated('{"x":"', "😀", '"}'), BYTES],
  "a name of a megabyte": [repeated('{"', "a", '":1}'), BYTES],
  "white space": [repeated("{", " ", "}"), BYTES],
  "one number": [repeated('{"x":', "9", "}"), BYTES],
  "opened lists": [repeated('{"x":', "[", ""), BYTES],
  "opened objects": [repeated("", '{"x":', ""), BYTES],
  "no JSON": [repeated("", "x", ""), BYTES],
  "an open text": [repeated('{"x":"', "\\u00e9", ""), BYTES],
  "members of long names": [numbered("{", (n) => `"${n}${"m".repeat(200)}":1`, "}"), PARTS / 2 - 1],
  "the same member again": [numbered("{", () => `"x":"${"m".repeat(200)}"`, "}"), PARTS / 2 - 1],
  "items of a list": [numbered('{"x":[', () => `"${"i".repeat(200)}"`, "]}"), PARTS - 3],
  "levels of a list": [(parts) => `{"x":${"[".repeat(parts)}${"]".repeat(parts)}}`, 1_000],
};

const FORM = { grant_type: EXCHANGE, client_id: rule_id, subject_token_type: JWT_TYPE };
const form = (more: Record<string, string>) => new URLSearchParams({ ...FORM, ...more }).toString();
/** Scopes are compared before the assertion counts as used. */
const assertions =
  (more: string): Grown<string> =>
  (bytes) =>
    repeated(`${form({ subject_token: employer.assertion() })}${more}`, "conversations%3Aread+", "")(bytes);
const FORM_SORTS: Readonly<Record<string, Grown<string>>> = {
  "different names": numbered("", (n) => `n${n}=v`, "", "&"),
  "the same name": repeated("", "a=1&", ""),
  "no names": repeated("", "&", ""),
  "percent signs": repeated("a=", "%", ""),
  escapes: repeated("a=", "%41", ""),
  blanks: repeated("scope=", "+", ""),
  commas: repeated("client_id=fed_", ",", ""),
  dots: repeated(`${form({})}&subject_token=`, ".", ""),
  scopes: assertions("&scope="),
};

type CheckInit = Parameters<typeof create<typeof CheckRequestSchema>>[1];
const described = (init: Record<string, unknown>, contextExtensions: Record<string, string> = {}) =>
  enveloped({ attributes: { request: { http: init }, contextExtensions } } as CheckInit);
const texts = (count: number, text: (n: number) => string) => Array.from({ length: count }, (_, n) => text(n));
const headerMap = (name: string, count: number) => ({
  headers: texts(count, () => name).map((each) => ({ key: each, value: "a" })),
});
const ENVOY_SORTS: Readonly<Record<string, readonly [Grown<Uint8Array<ArrayBuffer>>, parts: number]>> = {
  "a scope of blanks": [(bytes) => described({ headers: { "x-api-key": key } }, { scope: " ".repeat(bytes) }), BYTES],
  "a removal of blanks": [
    (bytes) => described({ headers: { "x-api-key": key } }, { remove: " ".repeat(bytes) }),
    BYTES,
  ],
  scopes: [(bytes) => described({ headers: { "x-api-key": key } }, { scope: "a:b ".repeat(bytes / 4) }), BYTES],
  extensions: [
    (count) => described({}, Object.fromEntries(texts(count, (n) => `n${n}`).map((name) => [name, "a"]))),
    1_600,
  ],
  headers: [
    (count) => described({ headers: Object.fromEntries(texts(count, (n) => `x-n${n}`).map((name) => [name, "a"])) }),
    1_600,
  ],
  ...Object.fromEntries(
    ["x-api-key", "authorization", "dpop", "x-forwarded-for", "forwarded", "origin", "x-on-behalf-of"].flatMap(
      (name) => [
        [`headers of ${name}`, [(count: number) => described({ headerMap: headerMap(name, count) }), 1_600]],
        [`commas of ${name}`, [(bytes: number) => described({ headers: { [name]: ",".repeat(bytes) } }), BYTES]],
        [`blanks of ${name}`, [(bytes: number) => described({ headers: { [name]: `a${" ".repeat(bytes)}b` } }), BYTES]],
      ],
    ),
  ),
};

function enveloped(init: CheckInit): Uint8Array<ArrayBuffer> {
  const message = toBinary(CheckRequestSchema, create(CheckRequestSchema, init));
  const body = new Uint8Array(5 + message.length);
  new DataView(body.buffer).setUint32(1, message.length);
  body.set(message, 5);
  return body;
}

/** Endpoints with a body: their sorts of parts, and who sends them. */
const ENDPOINTS: Readonly<
  Record<
    string,
    {
      sorts: Readonly<Record<string, readonly [Grown<string | Uint8Array<ArrayBuffer>>, number]>>;
      headers(body: string): Headers;
    }
  >
> = {
  "/oauth/token": {
    sorts: Object.fromEntries(
      Object.entries(FORM_SORTS).map(([name, grown]) => [name, [grown, name === "different names" ? 80_000 : BYTES]]),
    ),
    headers: () => ({ "content-type": "application/x-www-form-urlencoded" }),
  },
  [HOOK_PATH]: { sorts: JSON_SORTS, headers: () => ({ authorization: `Bearer ${BEARER_SECRET}` }) },
  [GITHUB_LEAKS]: { sorts: JSON_SORTS, headers: (body) => signedBy(SCANNER, body) },
  [`/${ENVOY_CHECK}`]: { sorts: ENVOY_SORTS, headers: () => ({ "content-type": "application/grpc" }) },
  [LENIENT]: { sorts: JSON_SORTS, headers: () => ({ "content-type": "application/json", "x-api-key": key }) },
};

describe.each(Object.entries(ENDPOINTS))("%s:", (path, { sorts, headers }) => {
  // threat: Q2, H16
  test.each(Object.entries(sorts))("a body of %s costs its length at most", async (_name, [grown, parts]) => {
    // A shorter limit of the endpoint would refuse the longest unread.
    for (const share of [16, 1]) {
      const problem = await costProblem(grown, Math.floor(parts / share), (body) =>
        send(path, body, headers(typeof body === "string" ? body : "")),
      );
      expect(problem).toBeUndefined();
    }
  });
});

// threat: Q2
test("every endpoint with a body is among them", () => {
  const reading = allRoutes().filter(({ input, method }) => input === undefined && method === "POST");
  for (const path of [...reading.map(({ name }) => name), `/${ENVOY_CHECK}`])
    expect(Object.keys(ENDPOINTS)).toContain(path);
});

/** What the schema allows of a member, or less than any other limit. */
function mostOf({ fields, kind }: SizedMember): number {
  const field = fields.at(-1);
  if (field === undefined) return 0;
  const { type } = getOption(field, rulesOption);
  switch (kind) {
    case "text":
      return charsMax(type.case === "repeated" ? type.value.items?.type : type) || 4_096;
    case "list":
      return Number(type.case === "repeated" && type.value.maxItems) || 1_000;
    case "map":
      return Number(type.case === "map" && type.value.maxPairs) || 1_000;
    default:
      return kind satisfies never;
  }
}

function charsMax(type: FieldRules["type"] | undefined): number {
  return type?.case === "string" ? Number(type.value.maxLen) : 0;
}

type Json = Record<string, unknown>;

/** A body of the RPC with a value in the place of the member. */
function bodyWith({ method, fields, kind }: SizedMember, value: unknown): string {
  const rpc = [...RPCS, ...OPEN_RPCS].find(({ procedure }) => procedure.endsWith(`/${method.name}`));
  const body: Json = structuredClone({ ...rpc?.body(key_id) });
  let place = body;
  for (const { jsonName, fieldKind } of fields.slice(0, -1)) {
    const inner: Json = {};
    place[jsonName] = fieldKind === "list" ? [inner] : inner;
    place = inner;
  }
  const field = fields.at(-1);
  if (field !== undefined) place[field.jsonName] = field.fieldKind === "list" && kind === "text" ? [value] : value;
  return JSON.stringify(body);
}

const PIECES = [" ", "a,", '"', "\\", "%2", ".", "1.", "é", "[", "a:b ", "name,", "::"];

/** Values of the member, up to what the schema allows. */
function valuesOf({ fields, kind }: SizedMember): ((parts: number) => unknown)[] {
  const isOfMessages = fields.at(-1)?.message !== undefined;
  switch (kind) {
    case "text":
      return PIECES.map((piece) => (chars) => piece.repeat(chars / piece.length));
    case "list":
      return isOfMessages
        ? [(items) => Array(items).fill({})]
        : ["plans:", "203.0.113.", "https://a.example/", ""].map((item) => (items) => texts(items, (n) => item + n));
    case "map":
      return [(pairs) => Object.fromEntries(texts(pairs, (n) => `n${n}`).map((name) => [name, name]))];
    default:
      return kind satisfies never;
  }
}

describe("of any RPC, a member as large as it may be costs its length at most:", () => {
  const members = sizedMembers().map((member) => ({
    ...member,
    title: `${member.method.name} ${memberName(member)} ${member.kind}`,
  }));

  test.each(members)("$title", async (member) => {
    const { method } = member;
    const callers = RPCS.find(({ procedure }) => procedure.endsWith(`/${method.name}`))?.callers;
    const caller =
      callers === "operator" ? OPERATOR : callers === "key" ? { "x-api-key": key } : await latchkey.dashboard(tenant);
    const path = `/${method.parent.typeName}/${method.name}`;
    const headers = { "content-type": "application/json", ...caller };
    for (const value of valuesOf(member)) {
      const grown = (parts: number) => bodyWith(member, value(parts));
      expect(await costProblem(grown, mostOf(member), (body) => send(path, body, headers)), grown(8)).toBeUndefined();
    }
  });
});
