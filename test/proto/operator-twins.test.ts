// promise: operator.twins
import { type DescField, type DescMessage, type DescMethod, getOption } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { json_member as jsonMember } from "../../gen/latchkey/v1/documentation_pb.ts";
import { narrowing } from "../../gen/latchkey/v1/narrowing_pb.ts";
import { loadPolicies } from "../../src/interceptors/policies.ts";
import { ruleKeywords } from "../../tools/protoc-gen-openapi/rules.ts";
import { SERVICES } from "../harness/services.ts";

const OF_TENANTS = "/api/v1/api-keys/";
const OF_OPERATOR = "/api/v1/operator/keys/";

/** RPCs about a tenant's keys that the operator does not have, each with the reason. */
const WITHOUT_TWIN: Readonly<Record<string, string>> = {
  "check-oidc": "it checks what a tenant's people paste, and changes nothing",
  "policy/get": "the rules are what a tenant's people set for themselves",
  "policy/set": "the rules are what a tenant's people set for themselves; the operator is bound by them",
  "report-leak": "anyone may call it",
};
/** Twins whose rows name the tenant. */
const BY_ROWS = ["import"];
/** Twins whose request names the key only: the operator stops a leaked key before its tenant is known. */
const BY_KEY_ID = ["revoke", "disable", "enable"];

const byPath = new Map([...loadPolicies(SERVICES)].map(([method, { path }]) => [path, method]));
const verbs = [...byPath.keys()].flatMap((path) =>
  path.startsWith(OF_TENANTS) ? [path.slice(OF_TENANTS.length)] : [],
);
const twins = verbs.flatMap((verb) => {
  const [own, twin] = [byPath.get(OF_TENANTS + verb), byPath.get(OF_OPERATOR + verb)];
  return own !== undefined && twin !== undefined ? [{ verb, own, twin }] : [];
});

/** All that JSON and the rules say of a message's members, in their order. */
function membersOf({ fields }: DescMessage): unknown[] {
  return fields.map((field) => ({
    names: [field.name, field.jsonName],
    kind: [field.fieldKind, typeOf(field), field.presence],
    rules: ruleKeywords(field),
    options: [getOption(field, jsonMember), getOption(field, narrowing)],
  }));
}

function typeOf(field: DescField): unknown {
  return field.message?.typeName ?? field.enum?.typeName ?? field.scalar;
}

function policyOf({ name }: DescMethod) {
  const found = [...loadPolicies(SERVICES)].find(([method]) => method.name === name);
  return { noStore: found?.[1].noStore, auditAction: found?.[1].auditAction };
}

test("the operator has each RPC about a tenant's keys, or there is a reason", () => {
  const lacking = verbs.filter((verb) => !byPath.has(OF_OPERATOR + verb));
  expect(lacking.toSorted()).toEqual(Object.keys(WITHOUT_TWIN).toSorted());
});

test.each(twins)("$verb of the operator takes tenant_id and the members of the tenant's RPC", ({ verb, own, twin }) => {
  const [first, ...rest] = twin.input.fields;
  if ([...BY_KEY_ID, ...BY_ROWS].includes(verb)) {
    expect(membersOf(twin.input)).toEqual(membersOf(own.input));
    return;
  }
  expect([first?.name, first && ruleKeywords(first).required]).toEqual(["tenant_id", true]);
  expect(membersOf({ ...twin.input, fields: rest })).toEqual(membersOf(own.input));
});

test.each(twins)("$verb of the operator answers as the tenant's RPC, and leaves the same trail", ({ own, twin }) => {
  expect(membersOf(twin.output)).toEqual(membersOf(own.output));
  expect(policyOf(twin)).toEqual(policyOf(own));
  expect(twin.idempotency).toBe(own.idempotency);
});
