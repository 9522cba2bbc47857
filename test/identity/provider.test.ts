import { afterAll, beforeAll, expect, test } from "vitest";
import { generateSigningKey } from "../../src/dev/identity-provider.ts";
import { type SignInProvider, startSignInProvider, type UserClaims } from "../../src/dev/sign-in-provider.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { type SignedIn, signIn } from "./sign-in.ts";

const SECRET = "secret-of-the-login-hook-0123456789abcdef";
const CLIENT = "console";
const APP = "http://127.0.0.1:9/callback";

let provider: SignInProvider;
let latchkey: Latchkey;

/** What a provider's login hook does: it asks Latchkey for the tenant, at each issue of a token. */
async function claimsOf(sub: string): Promise<UserClaims> {
  const response = await fetch(`${latchkey.url}/api/v1/identity/claims`, {
    method: "POST",
    headers: { authorization: `Bearer ${SECRET}` },
    body: JSON.stringify({ sub, issuer: provider.issuer }),
    signal: AbortSignal.timeout(2_000),
  });
  if (response.status !== 200) throw new Error(`the hook was answered ${response.status}`);
  const { tenant_id, roles } = (await response.json()) as { tenant_id: string; roles: string[] };
  return { email: `${sub}@example.com`, email_verified: true, ...(tenant_id !== "" && { tenant_id, roles }) };
}

beforeAll(async () => {
  const signingKey = await generateSigningKey();
  provider = await startSignInProvider({
    signingKey,
    port: 0,
    clientId: CLIENT,
    redirectUris: [APP],
    users: [{ sub: "alice", description: "founds an organization" }],
    claimsOf,
  });
  const { issuer, jwksUrl } = provider;
  latchkey = await startLatchkey({
    config: {
      dashboard: {
        expectation: { issuer, jwksUrl, audience: CLIENT, jwksOwner: { kind: "operator" } },
        userIdClaim: "sub",
        tenantClaim: "tenant_id",
        requiredClaims: {},
      },
      identityHookSecrets: [SECRET],
    },
  });
});

afterAll(async () => {
  await latchkey.close();
  await provider.close();
});

const call = (path: string, { idToken }: SignedIn, body: object = {}) =>
  latchkey.call(`/api/v1/${path}`, body, { authorization: `Bearer ${idToken}` });

test("the user who is chosen on the sign-in page is signed in, and refreshed", async () => {
  const carol = await signIn(provider.issuer, CLIENT, APP, { sub: "carol" });
  expect((await call("auth/verify", carol, { tenant_optional: true })).json).toMatchObject({ user_id: "carol" });
  expect((await call("orgs/list", await carol.refresh())).json.orgs).toEqual([]);
});

test("the sign-in page offers the users, and shows text as text", async () => {
  const { signInPage } = await import("../../src/dev/sign-in-page.ts");
  const page = signInPage("/interaction/x", [{ sub: '<a"b>', description: "it's & that" }]);
  expect(page).toContain('<button name="sub" value="&#60;a&#34;b&#62;">&#60;a&#34;b&#62;</button>');
  expect(page).toContain("it&#39;s &#38; that");
  expect(page).toContain('action="/interaction/x"');
});

test("a stranger signs in, founds an organization, refreshes, manages keys, invites, and removes", async () => {
  const stranger = await signIn(provider.issuer, CLIENT, APP, "alice");
  expect((await call("api-keys/list", stranger)).json.denial_reason).toBe("tenant_required");
  const org = (await call("orgs/create", stranger, { name: "Acme" })).json.result;
  const alice = await stranger.refresh();
  expect((await call("auth/verify", alice)).json).toMatchObject({ tenant_id: org.tenant_id, user_id: "alice" });
  expect((await call("api-keys/create", alice, { name: "key", permissions: ["plans:read"] })).status).toBe(200);

  const invitation = { email: "bob@example.com", role: "developer" };
  const { token } = (await call("orgs/invitations/create", alice, invitation)).json;
  const invited = await signIn(provider.issuer, CLIENT, APP, "bob");
  expect((await call("orgs/invitations/accept", invited, { token })).json.result).toEqual(org);
  const bob = await invited.refresh();
  expect((await call("api-keys/list", bob)).json.keys).toHaveLength(1);

  expect((await call("orgs/members/remove", alice, { user_id: "bob" })).status).toBe(200);
  expect((await call("api-keys/list", bob)).json.denial_reason).toBe("tenant_required");
  expect((await call("api-keys/list", await bob.refresh())).json.denial_reason).toBe("tenant_required");
  expect((await call("api-keys/list", alice)).status).toBe(200);
});
