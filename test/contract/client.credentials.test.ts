import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Caller, createLatchkeyClient, isDenial, KeyType } from "../../clients/typescript/src/index.ts";
import { generateSigningKey, type IdentityProvider, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { dashboardClient, newKey, secretKeyClient } from "../harness/clients.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";

let latchkey: Latchkey;
let appProvider: IdentityProvider;

beforeAll(async () => {
  appProvider = await startIdentityProvider(await generateSigningKey(), "https://app.latchkey.test");
  const jwksAllowedHosts = [new URL(appProvider.jwksUrl).host];
  latchkey = await startLatchkey({ config: { jwksAllowedHosts } });
});

afterAll(async () => {
  await latchkey.close();
  await appProvider.close();
});

/** The value of a publishable key whose users come from the app's provider. */
async function publishableKey(): Promise<string> {
  const { issuer, jwksUrl, audience } = appProvider;
  const { result } = await dashboardClient(latchkey).apiKeys.createApiKey({
    name: "app",
    keyType: KeyType.PUBLISHABLE,
    permissions: ["conversations:*"],
    publishableConfig: { oidc: { issuer, jwksUrl, audience } },
  });
  return result?.key ?? "";
}

describe("a client with a publishable key", () => {
  test("calls for its user, with the user's token", async () => {
    const getUserToken = () => appProvider.sign({ sub: "app-user" }, latchkey.clock.now());
    const client = createLatchkeyClient({ baseUrl: latchkey.url, apiKey: await publishableKey(), getUserToken });
    const caller = { caller: Caller.PUBLISHABLE_KEY, userId: "app-user" };
    expect(await client.auth.verify({ scope: "conversations:read" })).toMatchObject(caller);
    expect((await client.sendAndWait({ conversationKey: "c", text: "Hi" })).text).toBe("You said: Hi");
  });

  test("without a token is told that it needs one", async () => {
    const call = secretKeyClient(latchkey, await publishableKey()).gateway.listThreads({});
    await expect(call).rejects.toSatisfy((err) => isDenial(err, "publishable_key_requires_jwt"));
  });
});

describe("a client with a secret key", () => {
  test("acts for the user it names, and each call may name another", async () => {
    const key = await newKey(dashboardClient(latchkey), "conversations:*", "users:impersonate");
    const anna = secretKeyClient(latchkey, key, { onBehalfOf: "anna" });
    expect((await anna.auth.verify({})).userId).toBe("anna");
    expect((await anna.auth.verify({}, { headers: { "x-on-behalf-of": "ben" } })).userId).toBe("ben");
    expect((await secretKeyClient(latchkey, key).auth.verify({})).userId).toBe("");
    const user = "jörg 日本語 😀";
    expect((await secretKeyClient(latchkey, key, { onBehalfOf: user }).auth.verify({})).userId).toBe(user);
  });

  test("that may not act for users is denied, never served as itself", async () => {
    const key = await newKey(dashboardClient(latchkey), "conversations:*");
    const call = secretKeyClient(latchkey, key, { onBehalfOf: "anna" }).gateway.listThreads({});
    await expect(call).rejects.toSatisfy((err) => isDenial(err, "insufficient_scope"));
  });
});

test.each([
  ["nothing", {}],
  ["an empty key", { apiKey: "" }],
  ["a user to act for beside a user's token", { getUserToken: () => "t", onBehalfOf: "anna" }],
])("credentials that cannot work are refused before any call: %s", (_what, credentials) => {
  const options = { baseUrl: latchkey.url, ...credentials } as Parameters<typeof createLatchkeyClient>[0];
  expect(() => createLatchkeyClient(options)).toThrow(TypeError);
});

test("a token that cannot be had fails the call with its cause, and nothing is sent", async () => {
  const cause = new Error("signed out");
  const getUserToken = () => Promise.reject(cause);
  const before = latchkey.logLines.length;
  const call = createLatchkeyClient({ baseUrl: latchkey.url, getUserToken }).apiKeys.listApiKeys({});
  await expect(call).rejects.toMatchObject({ cause });
  expect(latchkey.logLines).toHaveLength(before);
});
