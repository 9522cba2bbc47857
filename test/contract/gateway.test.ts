import { describe, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import type { Answer } from "../harness/http.ts";
import { postHttp2 } from "../harness/http2-client.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { USER_MESSAGE } from "../harness/rpcs.ts";

const GATEWAY = "/api/v1/llm/gateway";

const latchkey = await sharedLatchkey();

type Headers = Record<string, string>;

function textMessage(...texts: string[]) {
  const content = texts.map((text) => ({ type: "CONTENT_PART_TYPE_TEXT", content: text }));
  return { role: "ROLE_USER", content };
}

const send = (headers: Headers, key: string, message: object = USER_MESSAGE): Promise<Answer> =>
  latchkey.call(`${GATEWAY}/send-message`, { conversation_key: key, user_message: message }, headers);

const state = (headers: Headers, key: string, waitMs = 10_000): Promise<Answer> =>
  latchkey.call(`${GATEWAY}/get-conversation-state`, { conversation_key: key, wait_ms: waitMs }, headers);

const threads = async (headers: Headers, page: object = {}) =>
  (await latchkey.call(`${GATEWAY}/list-threads`, page, headers)).json;

/** A secret key of a new tenant that may act for users, and its dashboard user. */
async function backend() {
  const dashboard = await latchkey.dashboard();
  const { key } = await latchkey.createKey(dashboard, { permissions: ["conversations:*", "users:impersonate"] });
  return {
    dashboard,
    bare: { "x-api-key": key },
    as: (user: string) => ({ "x-api-key": key, "x-on-behalf-of": user }),
  };
}

describe("a message", () => {
  test("is acknowledged at once and answered in the background", async () => {
    const { bare } = await backend();
    const sent = await send(bare, "c", textMessage("one", "two"));
    expect(sent.json).toEqual({
      runId: expect.stringMatching(/^run_/),
      message_id: expect.stringMatching(/^msg_/),
      conversation_key: "c",
    });
    const { json } = await state(bare, "c");
    const { runId } = sent.json;
    const part = (content: string) => ({ type: "CONTENT_PART_TYPE_TEXT", content });
    const created_at = expect.stringMatching(/^\d{4}-.*Z$/);
    const message_id = expect.stringMatching(/^msg_/);
    expect(json).toEqual({
      conversation_key: "c",
      status: "CONVERSATION_STATUS_IDLE",
      messages: [
        { message_id, role: "ROLE_USER", content: [part("one"), part("two")], created_at, runId },
        { message_id, role: "ROLE_ASSISTANT", content: [part("You said: one\ntwo")], created_at, runId },
      ],
      run: { runId, status: "RUN_STATUS_COMPLETED", error: "" },
    });
  });

  test("keeps its place among thirty sent at the same time", async () => {
    const { bare } = await backend();
    await Promise.all(Array.from({ length: 30 }, (_, n) => send(bare, "many", textMessage(`m${n}`))));
    await expect
      .poll(async () => (await state(bare, "many", 1_000)).json.messages.length, { timeout: 20_000 })
      .toBe(60);
    const { messages } = (await state(bare, "many")).json;
    for (let n = 0; n < 60; n += 2) {
      expect(messages[n + 1].runId).toBe(messages[n].runId);
      expect(messages[n + 1].content[0].content).toBe(`You said: ${messages[n].content[0].content}`);
    }
  });

  test.each([
    ["no parts", textMessage(), "user_message.content"],
    ["33 parts", textMessage(...Array.from({ length: 33 }, () => "x")), "user_message.content"],
    ["an empty part", textMessage("x", ""), "user_message.content[1].content"],
    ["more than 32 KiB", textMessage("é".repeat(16_385)), "user_message.content"],
    ["the assistant's role", { ...USER_MESSAGE, role: "ROLE_ASSISTANT" }, "user_message.role"],
    ["no role", { content: USER_MESSAGE.content }, "user_message.role"],
    ["a part of no type", { role: "ROLE_USER", content: [{ content: "x" }] }, "user_message.content[0].type"],
  ])("with %s is refused by the name of the field, and nothing is stored", async (_what, message, field) => {
    const { bare } = await backend();
    const answer = await send(bare, "c", message);
    expect({ status: answer.status, code: answer.json.code }).toEqual({ status: 400, code: "invalid_argument" });
    expect(answer.json.message).toContain(`${field}:`);
    expect((await threads(bare)).pagination.total).toBe(0);
  });

  test.each(["ROLE_ASSISTANT", "ROLE_SYSTEM", "ROLE_UNSPECIFIED", "user", 2, 7, null, undefined])(
    "with the role %j is told the one role that is taken",
    async (role) => {
      const answer = await send((await backend()).bare, "c", { ...USER_MESSAGE, role });
      expectInvalid(answer, "user_message.role", "must be ROLE_USER");
      expect(answer.json.message).not.toContain("ROLE_ASSISTANT");
    },
  );

  test.each(["CONTENT_PART_TYPE_UNSPECIFIED", "text", 0, 7, null, undefined])(
    "with a part of the type %j is told the one type that is taken",
    async (type) => {
      const content = [...USER_MESSAGE.content, { type, content: "x" }];
      const answer = await send((await backend()).bare, "c", { ...USER_MESSAGE, content });
      expectInvalid(answer, "user_message.content[1].type");
      expect(answer.json.message).toBe("user_message.content[1].type: must be CONTENT_PART_TYPE_TEXT");
    },
  );

  test.each(["", "k".repeat(257)])("to a conversation_key of %j is refused", async (key) => {
    const answer = await send((await backend()).bare, key);
    expect(answer.status).toBe(400);
    expect(answer.json.message).toContain("conversation_key");
  });

  test("of exactly 32 KiB in 32 parts is taken", async () => {
    const { bare } = await backend();
    const message = textMessage(...Array.from({ length: 32 }, () => "x".repeat(1_024)));
    expect((await send(bare, "k".repeat(256), message)).status).toBe(200);
  });
});

describe("a conversation", () => {
  test("of one key is another one for each tenant and each user", async () => {
    const [first, second] = [await backend(), await backend()];
    for (const headers of [first.bare, second.bare, first.as("u1"), first.as("u2")]) await send(headers, "same");
    for (const headers of [second.bare, first.as("u1"), first.as("u2")]) {
      expect((await state(headers, "same")).json.messages).toHaveLength(2);
      expect((await threads(headers)).pagination.total).toBe(1);
    }
    expect((await threads(first.bare)).pagination.total).toBe(3);
    expect((await threads(first.dashboard)).pagination.total).toBe(3);
  });

  test("of another user, another tenant or nobody is 404, byte for byte", async () => {
    const { as, bare } = await backend();
    await send(as("u1"), "mine");
    const others = [as("u2"), (await backend()).bare];
    const answers = await Promise.all(others.map((headers) => state(headers, "mine", 0)));
    const unknown = await state(bare, "never", 0);
    for (const answer of [...answers, unknown]) {
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 404, text: unknown.text });
    }
    expect((await state(bare, "mine", 0)).status).toBe(200);
  });

  test("continued by the backend for its user is the user's own", async () => {
    const { as } = await backend();
    await send(as("u1"), "c");
    await send(as("u1"), "c");
    expect((await threads(as("u1"))).threads).toMatchObject([{ conversation_key: "c", user_id: "u1" }]);
  });
});

describe("list-threads", () => {
  test("lists the latest first, in pages", async () => {
    const { bare } = await backend();
    for (const key of ["a", "b", "c"]) {
      await send(bare, key);
      await state(bare, key);
    }
    await send(bare, "a");
    await state(bare, "a");
    const first = await threads(bare, { per_page: 2 });
    expect(first.threads.map((thread: { conversation_key: string }) => thread.conversation_key)).toEqual(["a", "c"]);
    expect(first.threads[0]).toEqual({
      thread_id: expect.stringMatching(/^thr_/),
      conversation_key: "a",
      user_id: "",
      message_count: 4,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(first.pagination).toEqual({ total: 3, page: 1, per_page: 2, total_pages: 2 });
    expect((await threads(bare, { page: 2, per_page: 2 })).threads).toHaveLength(1);
    expect((await threads(bare, { page: 9 })).threads).toEqual([]);
  });

  test("answers an empty page past the end, with the right total, and 100 a page at most", async () => {
    const { bare } = await backend();
    await send(bare, "a");
    for (const page of [2, 2_147_483_647]) {
      const past = await threads(bare, { page, per_page: 101 });
      expect(past).toEqual({ threads: [], pagination: { total: 1, page, per_page: 100, total_pages: 1 } });
    }
    expect((await threads(bare)).pagination).toEqual({ total: 1, page: 1, per_page: 20, total_pages: 1 });
  });

  test("takes any JSON object and nothing else", async () => {
    const { bare } = await backend();
    const call = (body: unknown) => latchkey.call(`${GATEWAY}/list-threads`, body, bare);
    for (const body of [{}, { anything: [{ deep: null }] }]) expect((await call(body)).status).toBe(200);
    for (const body of ["[]", "null", '"x"', "1", ""]) expect((await call(body)).status).toBe(400);
    expect((await call({ page: -1 })).json.message).toContain("page");
  });
});

describe("X-On-Behalf-Of", () => {
  test.each(["", "a, b", "a".repeat(257), "a\tb", "\u00e9"])("with the value %j is 400", async (user) => {
    const { as } = await backend();
    const answer = await latchkey.call(`${GATEWAY}/list-threads`, {}, as(user));
    expect(answer.status).toBe(400);
    expect(answer.json.message).toContain("X-On-Behalf-Of");
  });

  test.each(["u", "auth0|5f7c", "mail+tag@example.com", "../", "x".repeat(256)])("takes the user %j", async (user) => {
    const { as } = await backend();
    expect((await send(as(user), "c")).status).toBe(200);
    expect((await threads(as(user))).threads[0].user_id).toBe(user);
  });

  test.each(["日本語", "jörg 😀"])("takes the user %j in UTF-8, over either version of HTTP", async (user) => {
    const { as } = await backend();
    const line = latchkey.logLines.length;
    const headers = as(Buffer.from(user).toString("latin1"));
    expect((await send(headers, "c")).status).toBe(200);
    expect((await threads(headers)).threads[0].user_id).toBe(user);
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
});
