import { describe, expect, test } from "vitest";
import { newKey } from "../../../test/harness/memory-keys.ts";
import { auditedKey } from "./audited-key.ts";
import { GIVEN_MEMBERS, inheritedMembers, KEY_MEMBERS, RULED_MEMBERS } from "./key-fields.ts";
import { MASKABLE_NAMES } from "./update.ts";

const { record } = newKey({});

describe("the fields of a key", () => {
  test("are those of a record, each once", () => {
    expect(KEY_MEMBERS.toSorted()).toEqual(Object.keys(record).toSorted());
  });

  test("that a mask names are all in the audit trail, by the same name", () => {
    const audited = Object.keys(auditedKey(record));
    expect(MASKABLE_NAMES.length).toBe(GIVEN_MEMBERS.length);
    expect(MASKABLE_NAMES.filter((name) => !audited.includes(name))).toEqual([]);
  });

  test("that a request describes pass to the successor of a rotation, and its identity and its ends do not", () => {
    const inherited = Object.keys(inheritedMembers(record));
    expect(inherited.toSorted()).toEqual([...GIVEN_MEMBERS, "oidc", "tenantId", "type"].toSorted());
  });

  test("that the tenant's rules are about can be updated, so that a key can be brought within them", () => {
    expect(RULED_MEMBERS.length).toBeGreaterThan(3);
    expect(RULED_MEMBERS.filter((member) => !GIVEN_MEMBERS.includes(member))).toEqual([]);
  });
});
