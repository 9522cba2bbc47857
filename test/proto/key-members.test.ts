import type { DescMessage } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ApiKeySchema } from "../../gen/latchkey/v1/api_key_pb.ts";
import { CreateApiKeyRequestSchema, UpdateApiKeyRequestSchema } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import { CreateTenantKeyRequestSchema } from "../../gen/latchkey/v1/operator_service_pb.ts";
import { createCatalogue } from "../../src/domain/access/catalogue.ts";
import { GIVEN_MEMBERS } from "../../src/domain/keys/key-fields.ts";
import { MASKABLE_NAMES } from "../../src/domain/keys/update.ts";
import { toApiKey } from "../../src/services/api-key-converter.ts";
import { fullKey, NOW, unused } from "../store/records.ts";

const UPDATE_ONLY = ["key_id", "update_mask"];

const namesOf = ({ fields }: DescMessage): string[] => fields.map(({ name }) => name);

test("an update's mask takes each member of its request, and no other", () => {
  const members = namesOf(UpdateApiKeyRequestSchema).filter((name) => !UPDATE_ONLY.includes(name));
  expect(MASKABLE_NAMES.toSorted()).toEqual(members.toSorted());
});

test.each([ApiKeySchema, CreateApiKeyRequestSchema, CreateTenantKeyRequestSchema])(
  "all that an update changes is a member of $name",
  (schema) => {
    const names = namesOf(schema);
    expect(MASKABLE_NAMES.filter((name) => !names.includes(name))).toEqual([]);
  },
);

test("a key is answered with each member that a request gave it", () => {
  const key = fullKey({ type: "secret", oidc: null, allowBrowser: true });
  const answer = toApiKey(unused(key), NOW, createCatalogue());
  expect(GIVEN_MEMBERS.filter((member) => answer[member] === undefined)).toEqual([]);
});
