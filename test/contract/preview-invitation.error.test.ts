// promise: invitations.accept
import { afterAll, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { startLatchkey } from "../harness/latchkey.ts";
import { invite, newOrganization, orgUser } from "../harness/organizations.ts";

const WEEK_MS = 7 * 86_400_000;

// Of its own, since a test moves the clock by a week.
const latchkey = await startLatchkey();
afterAll(() => latchkey.close());
const { owner } = await newOrganization(latchkey);

/** Both answers, without what differs for each request. */
async function both(user: ReturnType<typeof orgUser>, token: string) {
  const previewed = await user.call("invitations/preview", { token });
  const accepted = await user.call("invitations/accept", { token });
  return [previewed, accepted].map(({ status, json }) => ({ status, ...json }));
}

test.each(["", 5, null, "x".repeat(257), "a\u0000"])("the token %.20j is 400", async (token) => {
  expectInvalid(await orgUser(latchkey).call("invitations/preview", { token }), "token");
});

test("an unknown token, or a part of one, is answered as acceptance answers it", async () => {
  const user = orgUser(latchkey);
  const { token } = await invite(owner, user.email);
  for (const sent of ["inv_unknown", token.slice(0, -1), `${token}x`, token.slice(4)]) {
    const [previewed, accepted] = await both(user, sent);
    expect(previewed).toMatchObject({ status: 404, reason: "invitation_not_found" });
    expect(previewed).toEqual(accepted);
  }
});

test("a used, a revoked and an expired invitation, and one to one's own organization, are answered as acceptance does", async () => {
  const user = orgUser(latchkey);
  const expired = await invite(owner, user.email);
  latchkey.clock.advance(WEEK_MS - 1);
  const used = await invite(owner, user.email);
  const revoked = await invite(owner, user.email);
  const again = await invite(owner, user.email);
  await user.call("invitations/accept", { token: used.token });
  await owner.call("invitations/revoke", { invitation_id: revoked.invitation_id });
  latchkey.clock.advance(1);
  for (const [{ token }, reason, status] of [
    [used, "invitation_accepted", 400],
    [revoked, "invitation_revoked", 400],
    [expired, "invitation_expired", 400],
    [again, "already_member", 409],
  ] as const) {
    const [previewed, accepted] = await both(user, token);
    expect(previewed).toMatchObject({ status, reason });
    expect(previewed).toEqual(accepted);
  }
});
