// promise: callers.acted-for
import { expect, test } from "vitest";
import { postHttp2 } from "../harness/http2-client.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { USER_MESSAGE } from "../harness/rpcs.ts";

const GATEWAY = "/api/v1/llm/gateway";

const latchkey = await sharedLatchkey();

type Headers = Record<string, string>;

const send = (headers: Headers) =>
  latchkey.call(`${GATEWAY}/send-message`, { conversation_key: "c", user_message: USER_MESSAGE }, headers);

const threads = async (headers: Headers) => (await latchkey.call(`${GATEWAY}/list-threads`, {}, headers)).json.threads;

/** The headers of a call by a new tenant's key for this user. */
async function actingFor(user: string): Promise<Headers> {
  const permissions = ["conversations:*", "users:impersonate"];
  const { key } = await latchkey.createKey(await latchkey.dashboard(), { permissions });
  return { "x-api-key": key, "x-on-behalf-of": user };
}

// threat: X14
test.each(["", "a, b", "a".repeat(257), "a\tb", "\u00e9"])("X-On-Behalf-Of with the value %j is 400", async (user) => {
  const answer = await latchkey.call(`${GATEWAY}/list-threads`, {}, await actingFor(user));
  expect(answer.status).toBe(400);
  expect(answer.json.message).toContain("X-On-Behalf-Of");
});

// threat: X10
test("a key without users:impersonate acts for no user, and not for itself either: nothing is stored", async () => {
  const { key } = await latchkey.createKey(await latchkey.dashboard(), { permissions: ["conversations:*"] });
  const { status, json } = await send({ "x-api-key": key, "x-on-behalf-of": "u" });
  expect([status, json.denial_reason]).toEqual([403, "insufficient_scope"]);
  expect(await threads({ "x-api-key": key })).toEqual([]);
});

test.each(["u", "auth0|5f7c", "mail+tag@example.com", "../", "x".repeat(256)])("the user may be %j", async (user) => {
  const headers = await actingFor(user);
  expect((await send(headers)).status).toBe(200);
  expect((await threads(headers))[0].user_id).toBe(user);
});

test.each(["日本語", "jörg 😀"])("the user may be %j in UTF-8, over HTTP/1.1 and HTTP/2", async (user) => {
  const line = latchkey.logLines.length;
  const headers = await actingFor(Buffer.from(user).toString("latin1"));
  expect((await send(headers)).status).toBe(200);
  expect((await threads(headers))[0].user_id).toBe(user);
  const { status, json } = await postHttp2(latchkey.url, "/api/v1/auth/verify", {}, headers);
  expect({ status, userId: json.user_id, actingFor: json.acting_for }).toEqual({
    status: 200,
    userId: user,
    actingFor: user,
  });
  for (const text of latchkey.logLines.slice(line)) {
    if (text.includes('"caller":"secret_key"')) expect(JSON.parse(text).user_id).toBe(user);
  }
  const checked = await fetch(`${latchkey.url}/auth/check`, { headers });
  expect(decodeURIComponent(checked.headers.get("x-auth-user-id") ?? "")).toBe(user);
});
