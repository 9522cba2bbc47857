// promise: invitations.token
import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { newMember, newOrganization } from "../harness/organizations.ts";

const CREATE = "invitations/create";
const WEEK_MS = 7 * 86_400_000;

const latchkey = await sharedLatchkey();
const founded = await newOrganization(latchkey);

test("an invitation is valid for 7 days, and its token is in the answer", async () => {
  const { json, headers } = await founded.owner.call(CREATE, { email: "Jo@Example.COM ", role: "developer" });
  expect(json).toEqual({
    result: {
      invitation_id: expect.stringMatching(/^ivt_[0-9a-f]{32}$/),
      email: "jo@example.com",
      role: "developer",
      status: "INVITATION_STATUS_PENDING",
      created_by: { user_id: founded.owner.sub, issuer: latchkey.provider.issuer },
      created_at: expect.stringMatching(/Z$/),
      expires_at: new Date(Date.parse(json.result.created_at) + WEEK_MS).toISOString(),
    },
    token: expect.stringMatching(/^inv_[\w-]{43}$/),
  });
  expect(headers.get("cache-control")).toBe("no-store");
});

test("the role is viewer unless one is named", async () => {
  const { json } = await founded.owner.call(CREATE, { email: "jo@example.com" });
  expect(json.result.role).toBe("viewer");
});

test("one address may be invited again, each time with a token of its own", async () => {
  const tokens = new Set<string>();
  for (let n = 0; n < 3; n++) tokens.add((await founded.owner.call(CREATE, { email: "jo@example.com" })).json.token);
  expect(tokens.size).toBe(3);
});

test.each(["owner", "admin", "developer", "viewer"])("an admin may invite to the role %s", async (role) => {
  const admin = await newMember(latchkey, founded, "admin");
  expect((await admin.call(CREATE, { email: "jo@example.com", role })).status).toBe(200);
});
