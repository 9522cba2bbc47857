// promise: bodies.bounded
import { getOption } from "@bufbuild/protobuf";
import { type FieldRules, field as rulesOption } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { expect, test } from "vitest";
import { memberName, type SizedMember, sizedMembers } from "../harness/request-members.ts";

const OF_OIDC = "domain/keys/oidc.ts: a key that was stored with more is answered by the same message";
/**
 * What bounds a member that the schema cannot. `test/contract/member-size.error.test.ts` sends each of them a MiB, or as many
 * items as a body may have.
 */
const BOUNDED_ELSEWHERE: Readonly<Record<string, string>> = {
  "action text": "the schema has a list of the values",
  "algorithm text": "the schema has a list of the values",
  "alphabet text": "the schema has a list of the values",
  "case text": "the schema has a list of the values",
  "confirmation_jkt text": "the schema has a pattern of 43 characters",
  "hashed_part text": "the schema has a list of the values",
  "key_id text": "domain/keys/read.ts: what cannot be an id is answered 404, as an unknown one",
  "keys[].hash.algorithm text": "the schema has a list of the values",
  "keys[].permissions list": "as of `permissions`",
  "permissions list": "domain/keys/rules.ts: 64, once what is there twice is taken out; a body has at most 5,000 parts",
  "sort text": "domain/keys/filter.ts: created_at or last_used_at",
  "step text": "domain/usage/period.ts: hour or day",
  "user_message.content[].content text": "domain/conversations/send.ts: 32,768 bytes in all parts together",
  "verdict text": "the schema has a list of the values",
  ...Object.fromEntries(
    ["publishableConfig.oidc", "keys[].publishableConfig.oidc", "oidc"].flatMap((place) =>
      [
        "issuer text",
        "jwksUrl text",
        "audience text",
        "userIdClaim text",
        "requiredClaims map",
        "audienceClaim text",
        "tokenType text",
        "userIdPrefix text",
      ].map((member) => [`${place}.${member}`, OF_OIDC]),
    ),
  ),
};

/** Whether the schema's own rule bounds it. */
function hasBound({ fields, kind }: SizedMember): boolean {
  const field = fields.at(-1);
  if (field === undefined) return false;
  const { type } = getOption(field, rulesOption);
  switch (kind) {
    case "text":
      return charsMax(type.case === "repeated" ? type.value.items?.type : type) > 0;
    case "list":
      return type.case === "repeated" && type.value.maxItems > 0n;
    case "map":
      return type.case === "map" && type.value.maxPairs > 0n;
    default:
      return kind satisfies never;
  }
}

function charsMax(type: FieldRules["type"] | undefined): number {
  return type?.case === "string" ? Number(type.value.maxLen) : 0;
}

test("every text, list and map of every request has a limit in the schema, or a reason for one elsewhere", () => {
  const members = sizedMembers();
  expect(members.length).toBeGreaterThan(30);
  const unbounded = members
    .filter((member) => !hasBound(member))
    .map((member) => `${memberName(member)} ${member.kind}`);
  expect([...new Set(unbounded)].toSorted()).toEqual(Object.keys(BOUNDED_ELSEWHERE).toSorted());
});
