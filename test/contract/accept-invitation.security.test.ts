// promise: invitations.token, invitations.accept
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { sharedLatchkey, startLatchkey, testStorage } from "../harness/latchkey.ts";
import { invite, newOrganization, orgUser } from "../harness/organizations.ts";
import { storedText } from "../harness/stored-text.ts";

const ACCEPT = "invitations/accept";

const latchkey = await sharedLatchkey();
const { owner } = await newOrganization(latchkey);

const ALIKE = "jo@example.com.attacker.example";

test.each([
  ["no address", { email: undefined }],
  ["an address that is not verified", { email_verified: false }],
  ["an address without a word about its verification", { email_verified: undefined }],
  ["a verification that is a text", { email_verified: "true" }],
  ["an address that is a list", { email: ["jo@example.com"] }],
  ["another address", { email: "other@example.com" }],
  ["an address that begins with it", { email: ALIKE }],
])("a token with %s is 403, and the invitation stays", async (_what, claims) => {
  const user = orgUser(latchkey);
  const { token } = await invite(owner, user.email);
  const { status, json } = await user.call(ACCEPT, { token }, claims);
  expect([status, json.denial_reason]).toEqual([403, "insufficient_scope"]);
  expect(json.message).toMatch(/; use (one with email, and email_verified true|a token of the address)/);
  expect(json.message).not.toContain(user.email);
  expect((await user.call(ACCEPT, { token })).status).toBe(200);
});

test("an address that a careless comparison would take for the invited one is another one", async () => {
  const sub = `kate-${randomUUID()}`;
  const user = orgUser(latchkey, undefined, sub);
  const { token } = await invite(owner, user.email);
  for (const email of [user.email.replace("k", "\u212a"), `\u00a0${user.email}`, `${user.email} `, `${user.email}\n`]) {
    const { status, json } = await user.call(ACCEPT, { token }, { email });
    expect([email, status, json.denial_reason]).toEqual([email, 403, "insufficient_scope"]);
  }
  expect((await user.call(ACCEPT, { token }, { email: user.email.replace("k", "K") })).status).toBe(200);
});

test("a stranger learns nothing of an invitation's state or address", async () => {
  const [user, stranger] = [orgUser(latchkey), orgUser(latchkey)];
  const { token, invitation_id } = await invite(owner, user.email);
  const pending = await stranger.call(ACCEPT, { token });
  await owner.call("invitations/revoke", { invitation_id });
  expect((await stranger.call(ACCEPT, { token })).text).toBe(pending.text);
});

test("of a token the database has only the hash, and the log nothing", async () => {
  const { storage, cleanUp } = await testStorage();
  const own = await startLatchkey({ config: { storage } });
  const founded = await newOrganization(own);
  const user = orgUser(own);
  const { token } = await invite(founded.owner, user.email);
  await user.call(ACCEPT, { token });
  await user.call(ACCEPT, { token });
  await own.close();
  const stored = await storedText(storage);
  await cleanUp();
  expect(stored).toContain("org_invitations (ivt_");
  const log = own.logLines.join("");
  expect(log).toContain("AcceptInvitation");
  for (const secret of [token, token.slice(4), Buffer.from(token).toString("hex")]) {
    expect(stored).not.toContain(secret);
    expect(log).not.toContain(secret);
  }
});
