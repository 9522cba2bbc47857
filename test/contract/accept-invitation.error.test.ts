// promise: invitations.accept
import { afterAll, expect, test } from "vitest";
import { expectConflict, expectFault, expectInvalid, expectPrecondition } from "../harness/error-answers.ts";
import { startLatchkey } from "../harness/latchkey.ts";
import { invite, newOrganization, orgUser } from "../harness/organizations.ts";

const ACCEPT = "invitations/accept";
const WEEK_MS = 7 * 86_400_000;

// Of its own, since a test moves the clock by a week.
const latchkey = await startLatchkey();
afterAll(() => latchkey.close());
const { owner } = await newOrganization(latchkey);

test.each(["", 5, null, "x".repeat(257), "a\u0000"])("the token %.20j is 400", async (token) => {
  expectInvalid(await orgUser(latchkey).call(ACCEPT, { token }), "token");
});

test("an unknown token, or a part of one, is 404", async () => {
  const user = orgUser(latchkey);
  const { token } = await invite(owner, user.email);
  for (const sent of ["inv_unknown", token.slice(0, -1), `${token}x`, token.slice(4)]) {
    const answer = await user.call(ACCEPT, { token: sent });
    expectFault(answer, 404, "not_found");
    expect(answer.json.message).toContain("send the token whole");
  }
});

test("a used, a revoked and an expired invitation are failed preconditions that say what to do", async () => {
  const user = orgUser(latchkey);
  const expired = await invite(owner, user.email);
  latchkey.clock.advance(WEEK_MS - 1);
  const used = await invite(owner, user.email);
  const revoked = await invite(owner, user.email);
  expect((await user.call(ACCEPT, { token: used.token })).status).toBe(200);
  await owner.call("invitations/revoke", { invitation_id: revoked.invitation_id });
  latchkey.clock.advance(1);
  for (const [{ token }, says] of [
    [used, "was accepted already"],
    [revoked, "was revoked; ask for another one"],
    [expired, "has expired; ask for another one"],
  ] as const) {
    expectPrecondition(await user.call(ACCEPT, { token }), "token", says);
  }
});

test("an invitation is valid until its last minute", async () => {
  const user = orgUser(latchkey);
  const { token } = await invite(owner, user.email);
  latchkey.clock.advance(WEEK_MS - 60_000);
  expect((await user.call(ACCEPT, { token })).status).toBe(200);
});

test("a member cannot accept a second invitation, which could change their role", async () => {
  const user = orgUser(latchkey);
  const [first, second] = [await invite(owner, user.email), await invite(owner, user.email, "admin")];
  await user.call(ACCEPT, { token: first.token });
  expectConflict(await user.call(ACCEPT, { token: second.token }), "token", "are a member");
  expect((await user.call("list")).json.orgs).toMatchObject([{ role: "viewer" }]);
});

test("of acceptances at once one succeeds", async () => {
  const user = orgUser(latchkey);
  const { token } = await invite(owner, user.email);
  const answers = await Promise.all([1, 2, 3].map(() => user.call(ACCEPT, { token })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
});
