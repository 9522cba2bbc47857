import type { DescMessage } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ApiKeySchema } from "../../gen/latchkey/v1/api_key_pb.ts";
import { CreateApiKeyRequestSchema, UpdateApiKeyRequestSchema } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import { CreateTenantKeyRequestSchema } from "../../gen/latchkey/v1/operator_service_pb.ts";
import { MASKABLE_NAMES } from "../../src/domain/keys/update.ts";

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
