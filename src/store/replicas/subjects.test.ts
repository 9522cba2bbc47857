import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hashSecret } from "../../domain/credentials/secret.ts";
import { rememberSubjects, tenantSubject, userSubject } from "./subjects.ts";

const KINDS = [
  ["tenant", tenantSubject],
  ["user", userSubject],
] as const;

test.each(KINDS)("the subject of a %s is the SHA-256 of its kind and its id, in UTF-8", (kind, subjectOf) => {
  for (const id of ["acme", "", "Grüße, 你好, 😀", "x".repeat(256)]) {
    const expected = createHash("sha256")
      .update(Buffer.from(`${kind}:${id}`, "utf8"))
      .digest("base64url");
    expect(subjectOf(id)).toBe(expected);
    expect(expected).toHaveLength(43);
  }
});

test("different tenants and users have different subjects, and none has that of a key", () => {
  const property = fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (one, other) => {
    for (const [, subjectOf] of KINDS) {
      expect(subjectOf(one) === subjectOf(other)).toBe(one === other);
      for (const secret of [one, `sk_${other}`]) expect(subjectOf(one)).not.toBe(hashSecret(secret));
    }
    expect(tenantSubject(one)).not.toBe(userSubject(other));
  });
  fc.assert(property, { numRuns: 200 });
});

test("a remembered subject is the same, also after more ids than are remembered", () => {
  const subjectOf = rememberSubjects(userSubject);
  for (let n = 0; n < 10_050; n++) subjectOf(`user ${n}`);
  for (const id of ["user 0", "user 10049", "user 10049", "another"]) expect(subjectOf(id)).toBe(userSubject(id));
});
