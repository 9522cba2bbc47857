// promise: conversations.one-reply, conversations.deadline, conversations.finish, conversations.history
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FAILURES } from "../../src/domain/conversations/assistant-failure.ts";
import type { JsonObject } from "../harness/http.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { fails, json, MODEL_KEY, type Model, type ModelAnswer, replies, startModel } from "../harness/model.ts";

const GATEWAY = "/api/v1/llm/gateway";
/** Longer than any pause before a run is retried, and than a lease. */
const PAUSE_MS = 61_000;
/** Longer than all pauses before retries together. */
const DEADLINE_MS = 300_000;
/** A run whose pause ends because the clock was moved is found by the next poll only. */
const POLL_MS = 50;

const breaksOff: ModelAnswer = (res) => {
  res.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" }).write("{");
  setImmediate(() => res.destroy());
};
const noJson: ModelAnswer = (res) => void res.writeHead(200, { "Content-Type": "text/html" }).end("<p>");

let model: Model;
let latchkey: Latchkey;

/** A service whose runs have so much time. */
const serviceOf = (timeoutMs: number): Promise<Latchkey> =>
  startLatchkey({ config: { assistant: model.config({ timeoutMs }) }, runPollMs: POLL_MS });

beforeAll(async () => {
  model = await startModel();
  latchkey = await serviceOf(DEADLINE_MS);
});
afterAll(async () => {
  await latchkey.close();
  await model.close();
});
beforeEach(() => model.answer());

/** A conversation of a new tenant. */
async function conversation(service = latchkey) {
  const { key } = await service.createKey(await service.dashboard());
  const call = async (method: string, body: object): Promise<JsonObject> =>
    (await service.call(`${GATEWAY}/${method}`, { conversation_key: "c", ...body }, { "x-api-key": key })).json;
  const content = (text: string) => [{ type: "CONTENT_PART_TYPE_TEXT", content: text }];
  return {
    send: (text: string) => call("send-message", { user_message: { role: "ROLE_USER", content: content(text) } }),
    state: (waitMs = 10_000) => call("get-conversation-state", { wait_ms: waitMs }),
  };
}

type Conversation = Awaited<ReturnType<typeof conversation>>;

/** Moves the clock over the pauses between attempts until the run has ended. `before`: the requests to the model so far. */
async function endOf({ state }: Conversation, before: number): Promise<JsonObject> {
  let moved = before;
  for (;;) {
    const requests = model.requests.length;
    const { run } = await state(0);
    if (run.status === "RUN_STATUS_COMPLETED" || run.status === "RUN_STATUS_FAILED") return run;
    // Once for each attempt, and after it: the lease of a run under way would run out, too.
    if (run.status === "RUN_STATUS_QUEUED" && requests > moved) {
      latchkey.clock.advance(PAUSE_MS);
      moved = requests;
    }
    await state(100);
  }
}

async function outcomeOf(...answers: ModelAnswer[]) {
  const before = model.requests.length;
  model.answer(...answers);
  const talk = await conversation();
  await talk.send("a confidential text");
  const { status, error } = await endOf(talk, before);
  return { status, error, requests: model.requests.length - before };
}

describe("a run", () => {
  test("is answered by the model, which gets the conversation, and reports its tokens", async () => {
    const talk = await conversation();
    await talk.send("one");
    await talk.state();
    await talk.send("two");
    const { messages, run } = await talk.state();
    expect(messages.map((message: JsonObject) => message.content[0].content)).toEqual([
      "one",
      "reply to one",
      "two",
      "reply to two",
    ]);
    expect(run).toEqual({
      runId: expect.stringMatching(/^run_/),
      status: "RUN_STATUS_COMPLETED",
      error: "",
      token_usage: { prompt_tokens: 12, completion_tokens: 3 },
      finish_reason: "FINISH_REASON_STOP",
    });
    expect(model.requests.at(-1)?.body.messages).toHaveLength(3);
  });

  test.each([
    [400, "The assistant refused the message; change it before you send it again."],
    [401, "The assistant is not set up correctly; tell the operator of this service."],
  ])("whose model answers %i fails at once, with our message", async (status, error) => {
    expect(await outcomeOf(fails(status))).toEqual({ status: "RUN_STATUS_FAILED", error, requests: 1 });
  });

  test.each([
    ["a full model", fails(429, {}, { "Retry-After": "30" })],
    ["a broken model", fails(500)],
    ["a model that breaks off", breaksOff],
  ])("survives %s", async (_, answer) => {
    expect(await outcomeOf(answer, answer, replies())).toEqual({
      status: "RUN_STATUS_COMPLETED",
      error: "",
      requests: 3,
    });
  });

  test.each([
    ["length", "FINISH_REASON_LENGTH"],
    ["content_filter", "FINISH_REASON_CONTENT_FILTER"],
    ["tool_calls", "FINISH_REASON_OTHER"],
  ])("whose reply ends by %s is completed, and says so", async (reason, finish_reason) => {
    model.answer(replies("only the beginn", reason));
    const talk = await conversation();
    await talk.send("one");
    expect((await talk.state()).run).toMatchObject({ status: "RUN_STATUS_COMPLETED", finish_reason });
  });

  test.each([
    ["calls a tool", json({ choices: [{ message: { tool_calls: [{}] } }] }), FAILURES.tool_call.sentence],
    ["is empty", replies(""), FAILURES.empty.sentence],
    ["has no choices", json({ choices: [] }), FAILURES.unreadable.sentence],
    ["is of another shape", json({ choices: "none" }), FAILURES.unreadable.sentence],
    ["is no JSON", noJson, FAILURES.unreadable.sentence],
  ])("whose model's answer %s is asked and paid once, and fails with a reason of its own", async (_, answer, error) => {
    expect(await outcomeOf(answer)).toEqual({ status: "RUN_STATUS_FAILED", error, requests: 1 });
  });

  test("whose model keeps failing ends as failed, and the next message is answered", async () => {
    model.answer(fails(503));
    const before = model.requests.length;
    const talk = await conversation();
    await talk.send("one");
    expect(await endOf(talk, before)).toMatchObject({
      status: "RUN_STATUS_FAILED",
      error: "The assistant is unavailable just now; send the message again later.",
    });
    expect(model.requests.length - before).toBe(5);
    model.answer();
    await talk.send("two");
    expect((await talk.state()).messages.at(-1).content[0].content).toBe("reply to two");
    expect(model.requests.at(-1)?.body.messages).toEqual([{ role: "user", content: "two" }]);
  });

  test.each([
    ["that the model refused", {}, "The assistant refused the message; change it before you send it again."],
    [
      "that was too long",
      { code: "context_length_exceeded" },
      "The conversation is too long for the assistant; start a new one.",
    ],
  ])("%s is not sent to it again, and the changed message is answered", async (_, fields, error) => {
    const talk = await conversation();
    await talk.send("one");
    await talk.state();
    model.answer(fails(400, fields));
    await talk.send("failed");
    expect((await talk.state()).run.error).toBe(error);
    model.answer();
    await talk.send("changed");
    const { messages } = await talk.state();
    expect(messages.map((message: { content: { content: string }[] }) => message.content[0]?.content)).toEqual([
      "one",
      "reply to one",
      "failed",
      "changed",
      "reply to changed",
    ]);
    expect(model.requests.at(-1)?.body.messages.map(({ content }: { content: string }) => content)).toEqual([
      "one",
      "reply to one",
      "changed",
    ]);
  });

  test("whose model is unavailable is retried after 1, 2, 4 and 8 s, and fails within the longest wait_ms", async () => {
    // No attempt is made before the clock is moved, however long this waits for it.
    latchkey.clock.stand();
    model.answer(fails(503));
    const before = model.requests.length;
    const talk = await conversation();
    await talk.send("one");
    for (const [failures, seconds] of [1, 2, 4, 8].entries()) {
      await expect.poll(() => model.requests.length - before).toBe(failures + 1);
      await expect.poll(async () => (await talk.state(0)).run.status).toBe("RUN_STATUS_QUEUED");
      latchkey.clock.advance(seconds * 1_000);
    }
    expect((await talk.state()).run.status).toBe("RUN_STATUS_FAILED");
  });

  test("is not retried before its pause is over", async () => {
    latchkey.clock.stand();
    model.answer(fails(429, {}, { "Retry-After": "50" }), replies());
    const before = model.requests.length;
    const talk = await conversation();
    await talk.send("one");
    await expect.poll(() => model.requests.length - before).toBe(1);
    await expect.poll(async () => (await talk.state(0)).run.status).toBe("RUN_STATUS_QUEUED");
    const another = await conversation();
    model.answer(replies());
    latchkey.clock.advance(45_000);
    await another.send("two");
    await another.state();
    expect(model.requests.length - before).toBe(2);
    latchkey.clock.advance(6_000);
    expect((await talk.state()).run.status).toBe("RUN_STATUS_COMPLETED");
  });

  // threat: Q15
  test("whose model hangs is ended once at its deadline, the request is cut off, and the next message is answered", async () => {
    const hasty = await serviceOf(300);
    const before = model.requests.length;
    let cutOff = false;
    model.answer((res) => void res.on("close", () => (cutOff = true)), replies());
    const talk = await conversation(hasty);
    await talk.send("one");
    const { run } = await talk.state();
    expect([run.status, run.error]).toEqual(["RUN_STATUS_FAILED", FAILURES.timed_out.sentence]);
    expect(model.requests.length - before).toBe(1);
    await expect.poll(() => cutOff).toBe(true);
    await talk.send("two");
    expect((await talk.state()).messages.at(-1).content[0].content).toBe("reply to two");
    await hasty.close();
  });

  test("that could be retried only after its deadline fails at once", async () => {
    const hasty = await serviceOf(20_000);
    const before = model.requests.length;
    model.answer(fails(429, {}, { "Retry-After": "30" }));
    const talk = await conversation(hasty);
    await talk.send("one");
    expect((await talk.state()).run.error).toBe(FAILURES.overloaded.sentence);
    expect(model.requests.length - before).toBe(1);
    await hasty.close();
  });

  test("whose deadline passes while it waits for its retry fails without another request", async () => {
    const hasty = await serviceOf(20_000);
    hasty.clock.stand();
    const before = model.requests.length;
    model.answer(fails(503));
    const talk = await conversation(hasty);
    await talk.send("one");
    await expect.poll(async () => (await talk.state(0)).run.status).toBe("RUN_STATUS_QUEUED");
    await expect.poll(() => model.requests.length - before).toBe(1);
    await expect.poll(async () => (await talk.state(0)).run.status).toBe("RUN_STATUS_QUEUED");
    hasty.clock.advance(20_000);
    expect((await talk.state()).run.error).toBe(FAILURES.timed_out.sentence);
    expect(model.requests.length - before).toBe(1);
    await hasty.close();
  });

  test("is counted in the metrics by the outcome of its attempts, with its tokens", async () => {
    const counted = async () => {
      const text = await (await fetch(`${latchkey.url}/metrics`)).text();
      const value = (line: string) =>
        Number(
          text
            .split("\n")
            .find((each) => each.startsWith(`${line} `))
            ?.split(" ")[1],
        );
      return {
        completed: value('latchkey_run_attempts_total{outcome="completed",reason=""}'),
        overloaded: value('latchkey_run_attempts_total{outcome="retried",reason="overloaded"}'),
        tokens: value('latchkey_run_tokens_total{kind="completion"}'),
      };
    };
    await outcomeOf(fails(429), replies());
    const before = await counted();
    await outcomeOf(fails(429), replies());
    const { completed, overloaded, tokens } = before;
    expect(await counted()).toEqual({ completed: completed + 1, overloaded: overloaded + 1, tokens: tokens + 3 });
  });

  test("writes neither the model's key nor message text to the log", () => {
    const log = latchkey.logLines.join("");
    expect(log).toContain("the assistant gave no reply");
    expect(log).not.toContain(MODEL_KEY);
    expect(log).not.toContain("a confidential text");
  });
});
