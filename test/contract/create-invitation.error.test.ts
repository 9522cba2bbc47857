// promise: orgs.no-more
import { test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newOrganization } from "../harness/organizations.ts";

const CREATE = "invitations/create";

const latchkey = await sharedLatchkey();
const { owner } = await newOrganization(latchkey);

test.each([
  ...["", "jo", "@example.com", "jo@", "a b@example.com", "a@b@c", "jo@example.com\n x", "a\u0000@b.c"],
  ...[5, null, `${"x".repeat(251)}@b.c`],
])("the email %.20j is 400", async (email) => {
  expectInvalid(await owner.call(CREATE, { email }), "email");
});

test.each(["superuser", "Viewer", "__proto__", " "])("the role %j is 400, and the roles are named", async (role) => {
  const answer = await owner.call(CREATE, { email: "jo@example.com", role });
  expectInvalid(answer, "role", "owner, admin, developer, viewer");
});

test("neither the token nor its life can be chosen", async () => {
  for (const member of ["token", "expires_at"]) {
    expectInvalid(await owner.call(CREATE, { email: "jo@example.com", [member]: "x" }), member);
  }
});
