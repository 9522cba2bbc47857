import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Code, createLatchkeyClient, type LatchkeyClient, RunFailedError } from "../../clients/typescript/src/index.ts";
import { ok, type ScriptedService, type Step, startScriptedService } from "./scripted-service.ts";

let service: ScriptedService;
let pauses: number[];

beforeAll(async () => {
  service = await startScriptedService();
});

afterAll(() => service.close());

function client(): LatchkeyClient {
  pauses = [];
  const sleep = async (ms: number): Promise<void> => void pauses.push(ms);
  return createLatchkeyClient({ baseUrl: service.url, apiKey: "sk_x", retry: { sleep } });
}

const SENT = ok({ runId: "run_1", message_id: "msg_1", conversation_key: "c" });

/** An answer of get-conversation-state, as the contract has it. */
function state(run: { runId: string; status: string; error?: string }, replies: readonly string[] = []): Step {
  const part = (content: string) => ({ type: "CONTENT_PART_TYPE_TEXT", content });
  const messages = replies.flatMap((runId) => [
    { message_id: `${runId}-u`, role: "ROLE_USER", content: [part("Hi")], runId },
    { message_id: `${runId}-a`, role: "ROLE_ASSISTANT", content: [part(`reply to ${runId}`), part("more")], runId },
  ]);
  return ok({ conversation_key: "c", messages, run });
}

const send = (signal?: AbortSignal) =>
  client().sendAndWait({ conversationKey: "c", text: ["Hi", "there"] }, { signal });

describe("a message that is waited for", () => {
  test("is sent once, and its own reply is answered, whatever came before", async () => {
    service.play(
      SENT,
      state({ runId: "run_1", status: "RUN_STATUS_RUNNING" }, ["run_0"]),
      state({ runId: "run_1", status: "RUN_STATUS_COMPLETED" }, ["run_0", "run_1"]),
    );
    const reply = await send();
    expect(reply).toMatchObject({ runId: "run_1", messageId: "msg_1", text: "reply to run_1\nmore" });
    expect(reply.reply.messageId).toBe("run_1-a");
    expect(service.received.map(({ path }) => path.split("/").at(-1))).toEqual([
      "SendMessage",
      "GetConversationState",
      "GetConversationState",
    ]);
    const part = (content: string) => ({ type: "CONTENT_PART_TYPE_TEXT", content });
    const user_message = { role: "ROLE_USER", content: [part("Hi"), part("there")] };
    expect(service.received[0]?.body).toMatchObject({ conversation_key: "c", user_message });
    expect(service.received[1]?.body).toMatchObject({ conversation_key: "c", wait_ms: 30_000 });
  });

  test("has its reply though a later message is being worked on", async () => {
    service.play(SENT, state({ runId: "run_2", status: "RUN_STATUS_RUNNING" }, ["run_1"]));
    expect((await send()).text).toBe("reply to run_1\nmore");
  });

  test("is waited for while a later message waits behind it", async () => {
    service.play(
      SENT,
      state({ runId: "run_2", status: "RUN_STATUS_QUEUED" }),
      state({ runId: "run_2", status: "RUN_STATUS_QUEUED" }, ["run_1"]),
    );
    expect((await send()).runId).toBe("run_1");
  });

  test("whose run failed is a typed error with the service's reason", async () => {
    service.play(SENT, state({ runId: "run_1", status: "RUN_STATUS_FAILED", error: "the model is away" }));
    const err = await send().catch((err: unknown) => err);
    expect(err).toBeInstanceOf(RunFailedError);
    expect(err).toMatchObject({ runId: "run_1", conversationKey: "c", reason: "the model is away" });
  });

  test.each(["RUNNING", "COMPLETED", "FAILED"])(
    "whose run failed before a later one was %s is not waited for",
    async (status) => {
      service.play(SENT, state({ runId: "run_2", status: `RUN_STATUS_${status}`, error: "of another" }));
      await expect(send()).rejects.toMatchObject({ name: "RunFailedError", runId: "run_1", reason: "" });
    },
  );

  test("is asked for again without haste where the service does not hold the answer", async () => {
    const running = state({ runId: "run_1", status: "RUN_STATUS_RUNNING" });
    service.play(SENT, running, running, running, state({ runId: "run_1", status: "RUN_STATUS_COMPLETED" }, ["run_1"]));
    await send();
    expect(pauses).toEqual([250, 250, 250]);
  });

  test("is no longer waited for when the caller gives up", async () => {
    const giveUp = new AbortController();
    const sleep = async (): Promise<void> => giveUp.abort();
    const impatient = createLatchkeyClient({ baseUrl: service.url, apiKey: "sk_x", retry: { sleep } });
    service.play(SENT, state({ runId: "run_1", status: "RUN_STATUS_RUNNING" }));
    const waiting = impatient.sendAndWait({ conversationKey: "c", text: "Hi" }, { signal: giveUp.signal });
    await expect(waiting).rejects.toMatchObject({ code: Code.Canceled });
    expect(service.received).toHaveLength(2);
  });
});
