import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Caller, Code, createLatchkeyClient, isDenial, KeyType } from "../../clients/typescript/src/index.ts";
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

  test("cannot be created without a source of its user's tokens", async () => {
    const apiKey = `${await publishableKey()}\n`;
    const make = () => createLatchkeyClient({ baseUrl: latchkey.url, apiKey });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(/^a publishable key \(pk_\.\.\.\) needs its user's token .* getUserToken/);
    expect(make).not.toThrow(apiKey.trim());
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

  test("without users:impersonate is denied, and never served as itself", async () => {
    const key = await newKey(dashboardClient(latchkey), "conversations:*");
    const call = secretKeyClient(latchkey, key, { onBehalfOf: "anna" }).gateway.listThreads({});
    await expect(call).rejects.toSatisfy((err) => isDenial(err, "insufficient_scope"));
  });
});

test.each([
  ["nothing", {}],
  ["an empty key", { apiKey: "" }],
  ["a user to act for beside a user's token", { getUserToken: () => "t", onBehalfOf: "anna" }],
])("invalid credentials are rejected before any call: %s", (_what, credentials) => {
  const options = { baseUrl: latchkey.url, ...credentials } as Parameters<typeof createLatchkeyClient>[0];
  expect(() => createLatchkeyClient(options)).toThrow(TypeError);
});

const SECRET = "sk_hunter2";

describe("a value that no header can carry", () => {
  test.each([
    ["apiKey", { apiKey: `${SECRET}\nB` }],
    ["apiKey", { apiKey: `${SECRET} B` }],
    ["apiKey", { apiKey: `${SECRET}\u2026` }],
    ["onBehalfOf", { apiKey: SECRET, onBehalfOf: "anna hunter2\r\nX-Other: 1" }],
    ["onBehalfOf", { apiKey: SECRET, onBehalfOf: " " }],
  ])("is rejected before any call, with the option's name but without the value: %s of %j", (name, credentials) => {
    const make = () => createLatchkeyClient({ baseUrl: latchkey.url, ...credentials });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(new RegExp(`^${name} `));
    expect(make).not.toThrow("hunter2");
  });

  test.each<unknown>([`${SECRET}\nB`, `Bearer ${SECRET}`, "", " ", undefined, null, {}])(
    "is rejected if getUserToken returns it, and nothing is sent: %j",
    async (token) => {
      // What plain JavaScript may answer.
      const getUserToken = () => token as string;
      const before = latchkey.logLines.length;
      const err = await createLatchkeyClient({ baseUrl: latchkey.url, getUserToken })
        .apiKeys.listApiKeys({})
        .catch((err: unknown) => err);
      expect(err).toMatchObject({ name: "ConnectError", code: Code.Unauthenticated });
      expect(err).toHaveProperty("message", expect.stringContaining("getUserToken"));
      expect(inspect(err)).not.toContain("hunter2");
      expect(latchkey.logLines).toHaveLength(before);
    },
  );
});

test("spaces and line ends around credentials, as files leave them, are not sent", async () => {
  const key = await newKey(dashboardClient(latchkey), "conversations:*", "users:impersonate");
  const client = createLatchkeyClient({ baseUrl: latchkey.url, apiKey: ` ${key}\n`, onBehalfOf: "anna\n" });
  expect((await client.auth.verify({})).userId).toBe("anna");
  const getUserToken = async () => `${await latchkey.dashboardToken()}\n`;
  const dashboard = createLatchkeyClient({ baseUrl: `${latchkey.url}/ `, getUserToken });
  expect((await dashboard.auth.verify({})).caller).toBe(Caller.DASHBOARD_USER);
});

test("if the token cannot be got, the call fails with the cause, and nothing is sent", async () => {
  const cause = new Error("signed out");
  const getUserToken = () => Promise.reject(cause);
  const before = latchkey.logLines.length;
  const call = createLatchkeyClient({ baseUrl: latchkey.url, getUserToken }).apiKeys.listApiKeys({});
  await expect(call).rejects.toMatchObject({ cause });
  expect(latchkey.logLines).toHaveLength(before);
});

test("a call with its own token does not call getUserToken", async () => {
  const getUserToken = () => Promise.reject(new Error("no user has signed in"));
  const client = createLatchkeyClient({ baseUrl: latchkey.url, getUserToken });
  const headers = { authorization: `Bearer ${await latchkey.dashboardToken()}` };
  expect((await client.auth.verify({}, { headers })).caller).toBe(Caller.DASHBOARD_USER);
});
