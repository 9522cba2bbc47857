import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hashSecret } from "../domain/keys/secret.ts";
import { createTenantSubjects, tenantSubject } from "./tenant-subject.ts";

test("the subject of a tenant is the SHA-256 of its kind and its id, in UTF-8", () => {
  for (const id of ["acme", "", "Grüße, 你好, 😀", "x".repeat(256)]) {
    const expected = createHash("sha256")
      .update(Buffer.from(`tenant:${id}`, "utf8"))
      .digest("base64url");
    expect(tenantSubject(id)).toBe(expected);
    expect(expected).toHaveLength(43);
  }
});

test("different tenants have different subjects, and none has that of a key", () => {
  const property = fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (one, other) => {
    expect(tenantSubject(one) === tenantSubject(other)).toBe(one === other);
    expect(tenantSubject(one)).not.toBe(hashSecret(`sk_${other}`));
    expect(tenantSubject(one)).not.toBe(hashSecret(one));
  });
  fc.assert(property, { numRuns: 200 });
});

test("a remembered subject is the same, also after more tenants than are remembered", () => {
  const subjectOf = createTenantSubjects();
  for (let n = 0; n < 10_050; n++) subjectOf(`tenant ${n}`);
  for (const id of ["tenant 0", "tenant 10049", "tenant 10049", "another"]) {
    expect(subjectOf(id)).toBe(tenantSubject(id));
  }
});
