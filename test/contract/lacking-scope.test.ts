// promise: roles.denied
import { expect, test } from "vitest";
import { newTenant } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";
import { sharedWithRoles } from "../harness/roles.ts";

const VERIFY = "/api/v1/auth/verify";
const KEYS = "/api/v1/api-keys/";

const latchkey = await sharedWithRoles();

type Headers = Record<string, string>;

async function userOf(role: string, tenant?: string): Promise<Headers> {
  return latchkey.user(role, tenant);
}

async function keyWith(...permissions: string[]): Promise<Headers> {
  return { "x-api-key": (await latchkey.createKey(await userOf("owner"), { permissions })).key };
}

/** The log's line of a request that is denied. */
async function deniedLine(path: string, body: unknown, headers: Headers): Promise<Record<string, unknown>> {
  const answer = await latchkey.call(path, body, headers);
  return lineOf(answer.status, answer.headers.get("x-request-id"));
}

async function lineOf(status: number, requestId: string | null): Promise<Record<string, unknown>> {
  expect(status).toBe(403);
  const line = () =>
    latchkey.logLines
      .map((text) => JSON.parse(text))
      .find(({ request_id, msg }) => request_id === requestId && msg === "request");
  await expect.poll(line).toMatchObject({ denial_reason: "insufficient_scope" });
  return line();
}

const NEW_KEY = { name: "new", permissions: ["plans:read", "billing:write"] };

test.each<[string, string, () => Promise<[string, unknown, Headers]>]>([
  [
    "a key's call of an RPC",
    "conversations:write",
    async () => ["/api/v1/llm/gateway/send-message", { message: "hello" }, await keyWith("plans:read")],
  ],
  [
    "a key that is verified for another scope",
    "plans:read",
    async () => [VERIFY, { scope: "plans:read" }, await keyWith("users:read")],
  ],
  [
    "a user that is verified for several scopes",
    "billing:write",
    async () => [VERIFY, { scopes: ["plans:read", "billing:write"] }, await userOf("viewer")],
  ],
  ["a user's change of keys", "api_keys:write", async () => [`${KEYS}create`, NEW_KEY, await userOf("viewer")]],
  [
    "a user who grants more than they have",
    "billing:write",
    async () => [`${KEYS}create`, NEW_KEY, await userOf("developer")],
  ],
  [
    "a grant of a reserved scope",
    "system:read",
    async () => [`${KEYS}create`, { name: "new", permissions: ["system:read"] }, await userOf("owner")],
  ],
  [
    "a key that acts for a user",
    "users:impersonate",
    async () => [VERIFY, { tenant_optional: true }, { ...(await keyWith("plans:read")), "x-on-behalf-of": "user-1" }],
  ],
])("the log's line of %s that is denied has the scope %s", async (_, scope, prepare) => {
  expect(await deniedLine(...(await prepare()))).toMatchObject({ scope });
});

test("the log's line has the scope of /auth/check, and of a change of a key that has more scopes than its user", async () => {
  const headers = await userOf("viewer");
  const { status, headers: answered } = await fetch(`${latchkey.url}/auth/check?scope=plans:write`, { headers });
  expect(await lineOf(status, answered.get("x-request-id"))).toMatchObject({ scope: "plans:write" });
  const tenant = newTenant();
  const { key_id } = await latchkey.createKey(await userOf("owner", tenant), { permissions: ["billing:read"] });
  for (const verb of ["rotate", "update"]) {
    const body = { key_id, ...(verb === "update" && { description: "x", update_mask: "description" }) };
    expect(await deniedLine(`${KEYS}${verb}`, body, await userOf("keymaker", tenant))).toMatchObject({
      scope: "billing:read",
    });
  }
});

test.each<[string, () => Promise<[string, unknown, Headers]>]>([
  ["the operator's token elsewhere", async () => [VERIFY, {}, OPERATOR]],
  ["a key that manages keys", async () => [`${KEYS}list`, {}, await keyWith("*")]],
  ["explain for a key", async () => [VERIFY, { explain: true, key_id: "key_x" }, await keyWith("*")]],
])("the log's line has no scope where none would help: %s", async (_, prepare) => {
  expect(await deniedLine(...(await prepare()))).not.toHaveProperty("scope");
});
