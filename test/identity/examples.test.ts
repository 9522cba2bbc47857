import { createServer } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { generateSigningKey } from "../../src/dev/identity-provider.ts";
import { startSignInProvider } from "../../src/dev/sign-in-provider.ts";
import { boundTo } from "../../src/transport/http/server.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { signIn } from "./sign-in.ts";

const SECRET = "secret-of-the-login-hook-0123456789abcdef";
const APP = "http://127.0.0.1:9/callback";

type Claims = Readonly<Record<string, unknown>>;

/** Calls an example as its provider does for this user, and returns the claims that it adds. */
type Hook = (sub: string) => Promise<Claims>;

const example = (name: string) => import(new URL(`../../examples/identity/${name}.mjs`, import.meta.url).href);
const auth0 = await example("auth0");
const cognito = await example("cognito");
const firebase = await example("firebase");
const betterAuth = await example("better-auth");
const oidcProvider = await example("oidc-provider");

async function runAuth0(sub: string, token: "idToken" | "accessToken"): Promise<Claims> {
  const { LATCHKEY_URL, IDENTITY_HOOK_SECRET } = process.env;
  const claims = { idToken: {}, accessToken: {} };
  const setter = (target: object) => ({ setCustomClaim: (name: string, value: unknown) => set(target, name, value) });
  await auth0.onExecutePostLogin(
    {
      user: { user_id: sub, email: `${sub}@example.com`, email_verified: true },
      client: { client_id: "console" },
      secrets: { LATCHKEY_URL, IDENTITY_HOOK_SECRET },
    },
    { idToken: setter(claims.idToken), accessToken: setter(claims.accessToken) },
  );
  return claims[token];
}

function set(target: object, name: string, value: unknown): void {
  Object.assign(target, { [name]: value });
}

async function runCognito(sub: string, token: "idTokenGeneration" | "accessTokenGeneration"): Promise<Claims> {
  const event = {
    version: "2",
    triggerSource: "TokenGeneration_Authentication",
    region: "eu-central-1",
    userPoolId: "eu-central-1_AbCdEfGhI",
    userName: sub,
    callerContext: { awsSdkVersion: "aws-sdk-unknown-unknown", clientId: "console" },
    request: {
      userAttributes: { sub, "cognito:user_status": "CONFIRMED", email: `${sub}@example.com`, email_verified: "true" },
      groupConfiguration: { groupsToOverride: [], iamRolesToOverride: [], preferredRole: null },
      scopes: ["openid"],
    },
    response: { claimsAndScopeOverrideDetails: null },
  };
  const { response, ...rest } = await cognito.handler(structuredClone(event));
  expect({ ...rest, response: event.response }).toEqual(event);
  return response.claimsAndScopeOverrideDetails[token].claimsToAddOrOverride;
}

async function runFirebase(sub: string): Promise<Claims> {
  const event = {
    eventType: "providers/cloud.auth/eventTypes/user.beforeSignIn:password",
    data: { uid: sub, email: `${sub}@example.com`, emailVerified: true, customClaims: {} },
    additionalUserInfo: { providerId: "password", isNewUser: false },
  };
  return (await firebase.tenantClaims(event)).sessionClaims;
}

async function runBetterAuth(sub: string): Promise<Claims> {
  const user = { id: sub, name: sub, email: `${sub}@example.com`, emailVerified: true, createdAt: new Date() };
  const { email, email_verified, ...added } = await betterAuth.definePayload({ user, session: { userId: sub } });
  expect({ email, email_verified }).toEqual({ email: user.email, email_verified: true });
  return added;
}

async function runOidcProvider(sub: string): Promise<Claims> {
  const { accountId, claims } = oidcProvider.findAccount({}, sub);
  expect(accountId).toBe(sub);
  const { sub: subject, ...added } = await claims("id_token", "openid");
  expect(subject).toBe(sub);
  return added;
}

const HOOKS: readonly (readonly [string, Hook])[] = [
  ["auth0, ID token", (sub) => runAuth0(sub, "idToken")],
  ["auth0, access token", (sub) => runAuth0(sub, "accessToken")],
  ["cognito, ID token", (sub) => runCognito(sub, "idTokenGeneration")],
  ["cognito, access token", (sub) => runCognito(sub, "accessTokenGeneration")],
  ["firebase", runFirebase],
  ["better-auth", runBetterAuth],
  ["oidc-provider", runOidcProvider],
];

let latchkey: Latchkey;

beforeAll(async () => {
  latchkey = await startLatchkey({ config: { identityHookSecrets: [SECRET] } });
});

beforeEach(() => {
  vi.stubEnv("LATCHKEY_URL", latchkey.url);
  vi.stubEnv("IDENTITY_HOOK_SECRET", SECRET);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await latchkey.close();
});

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = boundTo(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function headersOf(sub: string, claims: Claims): Promise<Record<string, string>> {
  const token = await latchkey.dashboardToken({ sub, tenant_id: undefined, ...claims });
  return { authorization: `Bearer ${token}` };
}

describe.each(HOOKS)("%s", (name, hook) => {
  const sub = `user of ${name}`;

  test("a user without a tenant gets no claim, founds an organization, and gets its tenant", async () => {
    const before = await hook(sub);
    expect(before).toEqual({});
    const founder = await headersOf(sub, before);
    expect((await latchkey.call("/api/v1/api-keys/list", {}, founder)).json.denial_reason).toBe("tenant_required");
    const { tenant_id } = (await latchkey.call("/api/v1/orgs/create", { name: "Acme" }, founder)).json.result;

    const after = await hook(sub);
    expect(after).toEqual(name.startsWith("auth0") ? { tenant_id } : { tenant_id, roles: ["owner"] });
    const member = await headersOf(sub, after);
    expect((await latchkey.call("/api/v1/auth/verify", {}, member)).json).toMatchObject({ tenant_id, user_id: sub });
    expect((await latchkey.call("/api/v1/api-keys/list", {}, member)).status).toBe(200);
  });

  test("the sign-in fails if the service refuses the secret", async () => {
    vi.stubEnv("IDENTITY_HOOK_SECRET", "another-secret-0123456789abcdef-0123456789");
    await expect(hook(sub)).rejects.toThrow("identity/claims responded with 401");
  });

  test("the sign-in fails if the service cannot be reached", async () => {
    vi.stubEnv("LATCHKEY_URL", `http://127.0.0.1:${await closedPort()}`);
    await expect(hook(sub)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });
});

test("the sign-in fails after 2 s if the service does not respond", async () => {
  const timeout = AbortSignal.timeout;
  const timeouts = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => timeout(20));
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  vi.stubEnv("LATCHKEY_URL", `http://127.0.0.1:${boundTo(silent).port}`);
  try {
    const ends = await Promise.all(HOOKS.map(([, hook]) => hook("somebody").catch((err: Error) => err.name)));
    expect(ends).toEqual(HOOKS.map(() => "TimeoutError"));
    expect(timeouts.mock.calls).toEqual(HOOKS.map(() => [2_000]));
  } finally {
    timeouts.mockRestore();
    silent.closeAllConnections();
    silent.close();
  }
});

test("the real oidc-provider puts what its example returns into the ID token", async () => {
  const provider = await startSignInProvider({
    signingKey: await generateSigningKey(),
    port: 0,
    clientId: "console",
    redirectUris: [APP],
    users: [],
    claimsOf: (sub) => oidcProvider.findAccount({}, sub).claims("id_token", "openid"),
  });
  const payload = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  try {
    const founder = await signIn(provider.issuer, "console", APP, "carol");
    expect(payload(founder.idToken)).not.toHaveProperty("tenant_id");
    const created = await latchkey.call("/api/v1/orgs/create", { name: "Acme" }, await headersOf("carol", {}));
    const { tenant_id } = created.json.result;
    expect(payload((await founder.refresh()).idToken)).toMatchObject({ sub: "carol", tenant_id, roles: ["owner"] });
  } finally {
    await provider.close();
  }
});
