// promise: conversations.owner, conversations.stored, conversations.order
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateSigningKey, type IdentityProvider, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { expectFault } from "../harness/error-answers.ts";
import { backendOf, gatewayCaller } from "../harness/gateway.ts";
import type { JsonObject } from "../harness/http.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";

let users: IdentityProvider;
let latchkey: Latchkey;

beforeAll(async () => {
  users = await startIdentityProvider(await generateSigningKey(), "https://users.example.com");
  latchkey = await startLatchkey({ config: { jwksAllowedHosts: [new URL(users.jwksUrl).host] } });
});
afterAll(async () => {
  await latchkey.close();
  await users.close();
});

/** A tenant with an app, whose users have tokens of their own, and a backend. */
async function newCustomer() {
  const tenant = newTenant();
  const dashboard = await latchkey.dashboard(tenant);
  const { issuer, jwksUrl, audience } = users;
  const { key } = await latchkey.createKey(dashboard, {
    keyType: "KEY_TYPE_PUBLISHABLE",
    publishableConfig: { oidc: { issuer, jwksUrl, audience } },
  });
  const headersOf = async (user: string) => ({
    "x-api-key": key,
    authorization: `Bearer ${await users.sign({ sub: user }, latchkey.clock.now())}`,
  });
  return {
    dashboard: gatewayCaller(latchkey, dashboard),
    ...(await backendOf(latchkey, dashboard)),
    headersOf,
    app: async (user: string) => gatewayCaller(latchkey, await headersOf(user)),
  };
}

const keysOf = ({ threads }: JsonObject) => threads.map((thread: JsonObject) => thread.conversation_key).toSorted();

describe("a backend acting for a user", () => {
  test("sees and continues the conversation that the user began in the app, and the user sees it", async () => {
    const customer = await newCustomer();
    const anna = await customer.app("anna");
    await anna.send("plan", "from the app");
    expect(await customer.as("anna").texts("plan")).toEqual(["from the app", "You said: from the app"]);
    await customer.as("anna").send("plan", "from the backend");
    expect(await anna.texts("plan")).toEqual([
      "from the app",
      "You said: from the app",
      "from the backend",
      "You said: from the backend",
    ]);
    const both = [await anna.threads(), await customer.as("anna").threads()];
    for (const { threads } of both) {
      expect(threads).toMatchObject([{ conversation_key: "plan", user_id: "anna", message_count: 4 }]);
    }
    expect(both[0]?.threads).toEqual(both[1]?.threads);
  });

  // threat: X8
  test("sees nothing of another user's, by key or by thread", async () => {
    const customer = await newCustomer();
    const anna = await customer.app("anna");
    await anna.send("plan", "mine");
    const thread_id = (await anna.threads()).threads[0].thread_id;
    for (const other of [customer.as("bob"), await customer.app("bob"), customer.as("Anna")]) {
      expectFault(await other.state("plan"), 404, "not_found");
      expectFault(await other.state("plan", { thread_id }), 404, "not_found");
      expect((await other.threads()).pagination.total).toBe(0);
    }
    expect((await anna.state("plan", { thread_id })).status).toBe(200);
    // The conversation is the caller's own, but has another conversation_key.
    const { json } = await anna.state("other", { thread_id });
    expect(json.message).toBe("thread_id: no such conversation of this conversation_key; take both from list-threads");
  });

  // threat: X13
  test("acts within its own tenant, also for a user with the same name as one of another tenant", async () => {
    const [first, second] = [await newCustomer(), await newCustomer()];
    await (await first.app("anna")).send("plan", "of the first");
    await second.as("anna").send("plan", "of the second");
    expect(await second.as("anna").texts("plan")).toEqual(["of the second", "You said: of the second"]);
    expect(await (await first.app("anna")).texts("plan")).toEqual(["of the first", "You said: of the first"]);
    const { thread_id } = (await first.dashboard.threads()).threads[0];
    expectFault(await second.bare.state("plan", { thread_id }), 404, "not_found");
    expectFault(await second.dashboard.state("plan", { thread_id }), 404, "not_found");
  });
});

describe("an app's user", () => {
  // threat: X11
  test("cannot act for another one, and nothing is stored", async () => {
    const customer = await newCustomer();
    const headers = { ...(await customer.headersOf("anna")), "x-on-behalf-of": "bob" };
    const answer = await gatewayCaller(latchkey, headers).send("plan", "hello");
    expect([answer.status, answer.json.denial_reason]).toEqual([403, "insufficient_scope"]);
    expect((await customer.dashboard.threads()).pagination.total).toBe(0);
  });
});

describe("a backend that acts for no user, and a dashboard user", () => {
  test("see all conversations of the tenant, and read each of one conversation_key by its thread", async () => {
    const customer = await newCustomer();
    for (const user of ["anna", "bob"]) await (await customer.app(user)).send("plan", `of ${user}`);
    await customer.bare.send("own", "of no user");
    for (const all of [customer.bare, customer.dashboard]) {
      const list = await all.threads();
      expect(keysOf(list)).toEqual(["own", "plan", "plan"]);
      for (const { thread_id, user_id, conversation_key } of list.threads) {
        const [question] = await all.texts(conversation_key, { thread_id });
        expect(question).toBe(`of ${user_id || "no user"}`);
      }
    }
  });

  test("write a conversation of no user, which no user sees and both continue", async () => {
    const customer = await newCustomer();
    await customer.bare.send("plan", "from the backend");
    await customer.bare.texts("plan");
    await customer.dashboard.send("plan", "from the dashboard");
    expect((await customer.dashboard.texts("plan")).filter((text) => !text.startsWith("You said"))).toEqual([
      "from the backend",
      "from the dashboard",
    ]);
    expectFault(await (await customer.app("anna")).state("plan"), 404, "not_found");
    expectFault(await customer.as("anna").state("plan"), 404, "not_found");
  });
});
