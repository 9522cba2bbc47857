// promise: bodies.bounded
import { describe, expect, test } from "vitest";
import { expectFault, expectPublicMessage } from "../harness/error-answers.ts";
import { dashboardOf, OIDC } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";
import { memberName, type SizedMember, sizedMembers } from "../harness/request-members.ts";
import { OPEN_RPCS, RPCS } from "../harness/rpcs.ts";

const MIB = 1_048_576;
/** What a body of 1 MiB has room for beside the text. */
const TEXT_CHARS = MIB - 4_096;
/** Nearly as many as the parts of a body. */
const ITEMS = 4_900;
const PAIRS = 2_400;
/** Shapes that cost most where a text is taken apart, and the plainest. */
const TEXTS = {
  letters: "x".repeat(TEXT_CHARS),
  commas: "name,".repeat(TEXT_CHARS / 5),
  emoji: "\u{1f600}".repeat(TEXT_CHARS / 4),
};

const latchkey = await sharedLatchkey();
const dashboard = dashboardOf(latchkey);
const { key_id, key } = await dashboard.createKey({ permissions: ["*"] });
/** Of the tenant that the operator's requests name. */
const ofTenant = await dashboardOf(latchkey, "ten_keys").createKey({ permissions: ["*"] });

/** RPCs for which a key is one of several values, so that a text too long to be one is 400 and not an unknown key. */
const NAMED_KEY = ["FindKeys", "ListRequests", "ListTokens", "CreateFederationRule", "UpdateFederationRule"];

type Json = Record<string, unknown>;

function calledBy(name: string) {
  const rpc = [...RPCS, ...OPEN_RPCS].find(({ procedure }) => procedure.endsWith(`/${name}`));
  if (rpc === undefined) throw new Error(`no caller is known of ${name}`);
  return rpc;
}

async function headersFor(name: string): Promise<Record<string, string>> {
  const callers = RPCS.find(({ procedure }) => procedure.endsWith(`/${name}`))?.callers;
  if (callers === "operator") return OPERATOR;
  return callers === "key" ? { "x-api-key": key } : latchkey.dashboard(dashboard.tenant);
}

/** A request that is valid but for what is put into it, so that nothing else is refused before. */
function validBody({ method, fields }: SizedMember): Json {
  const body: Json = { ...calledBy(method.name).body(/TenantKey/.test(method.name) ? ofTenant.key_id : key_id) };
  // It takes one of its members alone.
  if (method.name === "FindKeys") return fields[0]?.jsonName === "key_id" ? body : {};
  if (["CreateApiKey", "CreateTenantKey"].includes(method.name))
    return { ...body, keyType: "KEY_TYPE_PUBLISHABLE", publishableConfig: { oidc: { ...OIDC } } };
  if (["UpdateApiKey", "UpdateTenantKey"].includes(method.name))
    return { ...body, permissions: ["plans:read"], update_mask: "name,permissions" };
  if (method.name === "CheckOidc") return { oidc: { ...OIDC } };
  return method.name === "Verify" ? { explain: true, key_id } : body;
}

/** The body with a value in the place of the member. */
function bodyWith(member: SizedMember, value: unknown): Json {
  const { method, fields, kind } = member;
  const body = structuredClone(validBody(member));
  // A configuration and a key exclude each other.
  if (method.name === "CheckOidc" && fields[0]?.jsonName === "key_id") delete body.oidc;
  let place = body;
  for (const { jsonName } of fields.slice(0, -1)) {
    place[jsonName] ??= {};
    const next = place[jsonName];
    place = (Array.isArray(next) ? next[0] : next) as Json;
  }
  const field = fields.at(-1);
  if (field !== undefined) place[field.jsonName] = field.fieldKind === "list" && kind === "text" ? [value] : value;
  return body;
}

async function expectRefused(member: SizedMember, value: unknown): Promise<void> {
  const { method } = member;
  const answer = await latchkey.call(
    `/${method.parent.typeName}/${method.name}`,
    bodyWith(member, value),
    await headersFor(method.name),
  );
  const name = memberName(member);
  if (name.startsWith("oidc.")) {
    // The fault of a configuration is what this RPC is asked for.
    expect(answer.json).toMatchObject({ passed: false, steps: [{ name: "configuration", passed: false }] });
    expect(answer.text.length).toBeLessThan(2_000);
    return;
  }
  if (name === "key_id" && !NAMED_KEY.includes(method.name)) expectFault(answer, 404, "not_found");
  else expectFault(answer, 400, "invalid_argument");
  const [named] = answer.json.message.split(": ", 1);
  // In a list the item is named, or the list as a whole where all items together are too much.
  const asNamed = [name, name.replace("[]", "[0]"), name.replace(/\[\].*/, "")];
  expect(asNamed).toContain(named);
  expectPublicMessage(answer);
}

/** Those of a row are refused with the row (`import-api-keys.error.test.ts`), and the body bounds them. */
const isOfRow = ({ fields }: ReturnType<typeof sizedMembers>[number]) =>
  fields.some(({ parent }) => parent.name === "ImportedRow");
const members = sizedMembers()
  .filter((member) => !isOfRow(member))
  .map((member) => ({
    ...member,
    title: `${member.method.name} ${memberName(member)}`,
  }));

describe("a text of 1 MiB is 400 with the member's name", () => {
  test.each(members.filter(({ kind }) => kind === "text"))("$title", async (member) => {
    for (const text of Object.values(TEXTS)) await expectRefused(member, text);
  });
});

// threat: B20
describe("too many items are 400 with the member's name", () => {
  const items = (name: string) =>
    Array.from({ length: ITEMS }, (_, n) => (name === "permissions" ? `plans:x${n}` : ""));

  test.each(members.filter(({ kind }) => kind === "list"))("$title", async (member) => {
    const isOfMessages = member.fields.at(-1)?.message !== undefined;
    await expectRefused(member, isOfMessages ? Array(PAIRS).fill({}) : items(memberName(member)));
  });

  test.each(members.filter(({ kind }) => kind === "map"))("$title", async (member) => {
    const pairs = Array.from({ length: PAIRS }, (_, n) => [`claim${n}`, "x".repeat(400)]);
    await expectRefused(member, Object.fromEntries(pairs));
    await expectRefused(member, { claim: TEXTS.letters });
    await expectRefused(member, { [TEXTS.emoji]: "x" });
  });
});
