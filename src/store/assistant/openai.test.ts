// promise: conversations.finish
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  drips,
  fails,
  floods,
  hangs,
  json,
  MODEL_KEY,
  type Model,
  replies,
  startModel,
} from "../../../test/harness/model.ts";
import type { OpenAiConfig } from "../../config/settings.ts";
import { AssistantFailure, FAILURES } from "../../domain/conversations/assistant-failure.ts";
import type { History } from "../../domain/conversations/conversation.ts";
import { createOpenAiAssistant } from "./openai.ts";

const QUESTION = "what is the secret of the user";
const HISTORY: History = [{ role: "user", parts: [QUESTION] }];
/** The environment variables that the client reads, except that of its headers. */
const FOREIGN = ["OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_BASE_URL"];

let model: Model;
beforeAll(async () => {
  model = await startModel();
});
afterAll(() => model.close());
beforeEach(() => model.answer());
afterEach(() => vi.unstubAllEnvs());

function ask(
  history = HISTORY,
  config: Partial<OpenAiConfig> = {},
  signal = new AbortController().signal,
  withinMs = 10_000,
) {
  return createOpenAiAssistant(model.config(config)).reply(history, signal, withinMs);
}

async function failure(config: Partial<OpenAiConfig> = {}, withinMs?: number): Promise<AssistantFailure> {
  const err = await ask(HISTORY, config, undefined, withinMs).catch((reason: unknown) => reason);
  if (!(err instanceof AssistantFailure)) throw new Error(`no failure of the assistant's: ${String(err)}`);
  return err;
}

describe("a model", () => {
  test("gets a chat completion request, with the instructions and then the conversation in order", async () => {
    const history: History = [
      { role: "user", parts: ["one", "two"] },
      { role: "assistant", parts: ["reply"] },
      { role: "user", parts: ["three"] },
    ];
    expect(await ask(history, { systemPrompt: "Be brief." })).toEqual({
      text: "reply to three",
      usage: { promptTokens: 12, completionTokens: 3 },
      finishReason: "stop",
    });
    const { path, headers, body } = model.requests.at(-1) ?? { path: "", headers: {}, body: {} };
    expect(path).toBe("/v1/chat/completions");
    expect(headers.authorization).toBe(`Bearer ${MODEL_KEY}`);
    expect(body).toEqual({
      model: "test-model",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "one\ntwo" },
        { role: "assistant", content: "reply" },
        { role: "user", content: "three" },
      ],
    });
  });

  test("gets a first message of the user, also if the history begins with a reply", async () => {
    await ask([
      { role: "assistant", parts: ["its question is gone"] },
      { role: "user", parts: ["again"] },
    ]);
    expect(model.requests.at(-1)?.body.messages).toEqual([{ role: "user", content: "again" }]);
  });

  test.each([
    ["a key", MODEL_KEY, `Bearer ${MODEL_KEY}`],
    ["no key", null, undefined],
  ])(
    "with %s gets that, and nothing that this machine has set for other programs",
    async (_, apiKey, authorization) => {
      for (const name of FOREIGN) vi.stubEnv(name, "from elsewhere");
      vi.stubEnv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer from elsewhere\nX-Other: from elsewhere");
      await ask(HISTORY, { apiKey });
      expect(process.env.OPENAI_CUSTOM_HEADERS).toContain("X-Other");
      expect(JSON.stringify(model.requests.at(-1)?.headers)).not.toContain("from elsewhere");
      expect(model.requests.at(-1)?.headers.authorization).toBe(authorization);
    },
  );

  test("is called at the same path if its address ends with a slash", async () => {
    await ask(HISTORY, { baseUrl: `${model.url}/` });
    expect(model.requests.at(-1)?.path).toBe("/v1/chat/completions");
  });

  test("that does not count tokens costs none", async () => {
    for (const usage of [undefined, null, {}, { prompt_tokens: "1", completion_tokens: -1 }]) {
      model.answer(json({ choices: [{ message: { content: "hi" } }], usage }));
      expect(await ask()).toEqual({ text: "hi", usage: null, finishReason: null });
    }
  });

  test.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content_filter", "content_filter"],
    ["tool_calls", "other"],
    ["a word of its own", "other"],
    [null, null],
    [5, null],
  ])("that ends its text for the reason %j is read as %j", async (finish_reason, finishReason) => {
    model.answer(json({ choices: [{ finish_reason, message: { content: "hi" } }] }));
    expect((await ask()).finishReason).toBe(finishReason);
  });

  test("that answers slowly, but in time, is not interrupted", async () => {
    model.answer(async (res) => {
      res.writeHead(200, { "Content-Type": "application/json" });
      for (const byte of '{"choices":[{"message":{"content":"slow"}}]}') {
        res.write(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
      res.end();
    });
    expect((await ask()).text).toBe("slow");
  });

  test("that sends its response as text/plain, or without a type, is parsed", async () => {
    for (const headers of [{ "Content-Type": "text/plain; charset=utf-8" }, {}]) {
      model.answer((res) => void res.writeHead(200, headers).end('{"choices":[{"message":{"content":"plain"}}]}'));
      expect((await ask()).text).toBe("plain");
    }
  });

  test("that answers in parts is read as one text", async () => {
    const content = [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "Hello" },
      { type: "text", text: ", Anna" },
    ];
    model.answer(json({ choices: [{ message: { content } }] }));
    expect((await ask()).text).toBe("Hello, Anna");
  });

  test("that answers with characters that cannot be stored as JSON is read, with replacements", async () => {
    model.answer((res) => {
      res.writeHead(200, { "Content-Type": "application/json" });
      res.end('{"choices":[{"message":{"content":"a\\u0000b\\ud800c"}}]}');
    });
    expect((await ask()).text).toBe("a\uFFFDb\uFFFDc");
  });
});

describe("a failing model", () => {
  test.each([
    [400, {}, "refused"],
    [413, {}, "refused"],
    [422, {}, "refused"],
    [400, { code: "context_length_exceeded" }, "too_long"],
    [401, { code: "invalid_api_key" }, "misconfigured"],
    [403, {}, "misconfigured"],
    [404, { code: "model_not_found" }, "misconfigured"],
    [400, { code: "model_not_found" }, "misconfigured"],
    [402, {}, "misconfigured"],
    [405, {}, "misconfigured"],
    [410, {}, "misconfigured"],
    [415, {}, "misconfigured"],
    [425, {}, "unavailable"],
    [451, {}, "refused"],
    [302, {}, "misconfigured"],
    [408, {}, "timed_out"],
    [409, {}, "unavailable"],
    [429, { code: "rate_limit_exceeded" }, "overloaded"],
    [500, {}, "unavailable"],
    [503, {}, "unavailable"],
    [529, {}, "unavailable"],
  ] as const)(
    "of status %i %j is %s, is called once, and none of its text is in the failure",
    async (status, fields, reason) => {
      const before = model.requests.length;
      model.answer(fails(status, fields, status === 302 ? { location: `${model.url}/elsewhere` } : {}));
      const err = await failure();
      expect(err.reason).toBe(reason);
      expect(err.message).toContain(`HTTP ${status}`);
      expect(model.requests.length - before).toBe(1);
      for (const text of [err.message, FAILURES[err.reason].sentence, String(err.cause)]) {
        expect(text).not.toContain(MODEL_KEY);
        expect(text).not.toContain(QUESTION);
      }
    },
  );

  test.each([
    ["7", 7_000],
    ["1000000", 1_000_000_000],
    ["soon", 0],
    ["-1", 0],
    ["Sun, 06 Nov 1994 08:50:07 GMT", 30_000],
    ["Sun, 06 Nov 1994 08:49:36 GMT", 0],
    ["tomorrow GMT", 0],
    [undefined, 0],
  ])("that sends Retry-After %s fails with a pause of %i ms", async (value, ms) => {
    const date = "Sun, 06 Nov 1994 08:49:37 GMT";
    model.answer(fails(429, {}, { date, ...(value !== undefined && { "Retry-After": value }) }));
    expect((await failure()).retryAfterMs).toBe(ms);
  });

  test.each([
    ["hangs", hangs],
    ["drips its answer", drips],
  ])("that %s times out", async (_, answer) => {
    model.answer(answer);
    expect((await failure({}, 200)).reason).toBe("timed_out");
  });

  test("that cannot be reached is unavailable", async () => {
    const gone = await startModel();
    await gone.close();
    const err = await failure({ baseUrl: gone.url });
    expect(err.reason).toBe("unavailable");
    expect(err.message).toContain("ECONNREFUSED");
  });

  test("that breaks off is unavailable", async () => {
    model.answer((res) => {
      res.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" }).write("{");
      setImmediate(() => res.destroy());
    });
    expect((await failure()).reason).toBe("unavailable");
  });

  test.each([
    [
      "no JSON",
      (res: Parameters<typeof hangs>[0]) => void res.writeHead(200, { "Content-Type": "application/json" }).end("{,"),
    ],
    [
      "a web page",
      (res: Parameters<typeof hangs>[0]) => void res.writeHead(200, { "Content-Type": "text/html" }).end("<p>"),
    ],
    ["nothing", (res: Parameters<typeof hangs>[0]) => void res.writeHead(204).end()],
    ["null", json(null)],
    ["no choices", json({ choices: [] })],
    ["choices of another shape", json({ choices: { 0: "x" } })],
    ["a choice without a message", json({ choices: [null] })],
    ["content that is no text", json({ choices: [{ message: { content: [{ type: "audio", text: "x" }, null] } }] })],
  ])("that answers %s is unreadable", async (_, answer) => {
    model.answer(answer);
    expect((await failure()).reason).toBe("unreadable");
  });

  test.each([
    ["white space", replies(" \n")],
    ["null", json({ choices: [{ finish_reason: "stop", message: { content: null } }] })],
    ["reasoning up to its limit", json({ choices: [{ finish_reason: "length", message: { reasoning: "hm" } }] })],
  ])("that answers %s gave an empty reply", async (_, answer) => {
    model.answer(answer);
    expect((await failure()).reason).toBe("empty");
  });

  test.each([
    { finish_reason: "tool_calls", message: { content: null, tool_calls: [{ type: "function" }] } },
    { finish_reason: "stop", message: { content: "", tool_calls: [{ type: "function" }] } },
    { finish_reason: "function_call", message: { content: null, function_call: { name: "x" } } },
  ])("that calls a tool, as in %j, is a failure of its own", async (choice) => {
    model.answer(json({ choices: [choice] }));
    expect((await failure()).reason).toBe("tool_call");
  });

  test("that answers with a refusal is a refusal", async () => {
    model.answer(json({ choices: [{ finish_reason: "stop", message: { content: null, refusal: "I cannot." } }] }));
    expect((await failure()).reason).toBe("refused");
  });

  test("whose content filter blocks the reply is a refusal", async () => {
    model.answer(json({ choices: [{ finish_reason: "content_filter", message: { content: "" } }] }));
    expect((await failure()).reason).toBe("refused");
  });

  test("that answers more than the limit is cut off", async () => {
    model.answer(floods(1_000_000));
    expect((await ask()).text).toHaveLength(1_000_000);
    model.answer(floods(1_100_000));
    expect((await failure()).reason).toBe("reply_too_large");
  });

  test("is abandoned at once when its caller aborts", async () => {
    model.answer(hangs);
    const leave = new AbortController();
    const asked = ask(HISTORY, {}, leave.signal);
    await expect.poll(() => model.requests.length).toBeGreaterThan(0);
    leave.abort();
    await expect(asked).rejects.toBeInstanceOf(AssistantFailure);
  });
});
