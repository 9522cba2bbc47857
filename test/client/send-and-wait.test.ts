import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { DenialReason } from "../../clients/typescript/src/gen/latchkey/v1/denial_pb.ts";
import {
  Code,
  ConnectError,
  createLatchkeyClient,
  isDenial,
  type LatchkeyClient,
  RunFailedError,
  runIdOf,
  type Sleep,
} from "../../clients/typescript/src/index.ts";
import { denied, ok, type ScriptedService, type Step, startScriptedService } from "./scripted-service.ts";

let service: ScriptedService;
let pauses: number[];

beforeAll(async () => {
  service = await startScriptedService();
});

afterAll(() => service.close());

function client(sleep: Sleep = async (ms) => void pauses.push(ms)): LatchkeyClient {
  pauses = [];
  return createLatchkeyClient({ baseUrl: service.url, apiKey: "sk_x", retry: { sleep, random: () => 0 } });
}

const SENT = ok({ runId: "run_1", message_id: "run_1-u", conversation_key: "c" });

interface Page {
  readonly run: { readonly runId: string; readonly status: string; readonly error?: string };
  /** Ids of messages in their order: `run_1-u` is the user's, `run_1-a` the reply to it. */
  readonly messages: readonly string[];
  readonly next?: string;
}

/** An answer of get-conversation-state, as the contract has it. */
function state({ run, messages, next }: Page): Step {
  const part = (content: string) => ({ type: "CONTENT_PART_TYPE_TEXT", content });
  const message = (message_id: string) => {
    const [runId, kind] = message_id.split("-");
    return kind === "u"
      ? { message_id, role: "ROLE_USER", content: [part("Hi")], runId }
      : { message_id, role: "ROLE_ASSISTANT", content: [part(`reply to ${runId}`), part("more")], runId };
  };
  return ok({ conversation_key: "c", messages: messages.map(message), run, next_before_message_id: next });
}

const queued = (runId: string) => ({ runId, status: "RUN_STATUS_QUEUED" });
const running = (runId: string) => ({ runId, status: "RUN_STATUS_RUNNING" });
const completed = (runId: string) => ({ runId, status: "RUN_STATUS_COMPLETED" });

const ANSWERED = state({ run: completed("run_1"), messages: ["run_1-u", "run_1-a"] });

const send = (by = client()) => by.sendAndWait({ conversationKey: "c", text: ["Hi", "there"] });

/** The requests to get-conversation-state, without the conversation_key. */
const stateReads = () => service.received.slice(1).map(({ body: { conversation_key, ...rest } }) => rest);

const HELD = { wait_ms: 30_000 };

/** For tests that would not end if the client continued to poll. */
const neverAgain: Sleep = () => Promise.reject(new Error("polls again"));

describe("a message sent with sendAndWait", () => {
  test("is sent once, and its own reply is returned, whatever came before", async () => {
    service.play(
      SENT,
      state({ run: running("run_1"), messages: ["run_0-u", "run_0-a", "run_1-u"] }),
      state({ run: completed("run_1"), messages: ["run_0-u", "run_0-a", "run_1-u", "run_1-a"] }),
    );
    const reply = await send();
    expect(reply).toMatchObject({ runId: "run_1", messageId: "run_1-u", text: "reply to run_1\nmore" });
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

  test("returns its reply while a later message's run is under way", async () => {
    service.play(SENT, state({ run: running("run_2"), messages: ["run_1-u", "run_1-a", "run_2-u"] }));
    expect((await send()).text).toBe("reply to run_1\nmore");
  });

  test("is waited for while later messages wait and earlier ones are answered", async () => {
    service.play(
      SENT,
      state({ run: queued("run_2"), messages: ["run_0-u", "run_0-a", "run_1-u", "run_2-u"] }),
      state({ run: queued("run_2"), messages: ["run_0-u", "run_0-a", "run_1-u", "run_1-a", "run_2-u"] }),
    );
    expect((await send()).runId).toBe("run_1");
  });

  test("whose run failed is a typed error with the service's reason", async () => {
    const run = { runId: "run_1", status: "RUN_STATUS_FAILED", error: "the model is unavailable" };
    service.play(SENT, state({ run, messages: ["run_1-u"] }));
    const err = await send(client(neverAgain)).catch((err: unknown) => err);
    expect(err).toBeInstanceOf(RunFailedError);
    expect(err).toMatchObject({ runId: "run_1", conversationKey: "c", reason: "the model is unavailable" });
  });

  test.each(["RUNNING", "COMPLETED", "FAILED"])(
    "whose run failed before a later one was %s is not waited for",
    async (status) => {
      const run = { runId: "run_2", status: `RUN_STATUS_${status}`, error: "of another" };
      service.play(SENT, state({ run, messages: ["run_1-u", "run_2-u"] }));
      await expect(send(client(neverAgain))).rejects.toMatchObject({
        name: "RunFailedError",
        runId: "run_1",
        reason: "",
      });
    },
  );

  test("whose run failed is not waited for after a later one is answered", async () => {
    service.play(SENT, state({ run: queued("run_3"), messages: ["run_1-u", "run_2-u", "run_2-a", "run_3-u"] }));
    await expect(send(client(neverAgain))).rejects.toMatchObject({
      name: "RunFailedError",
      runId: "run_1",
      reason: "",
    });
  });

  test("is polled with pauses if the service does not hold the answer", async () => {
    const unheld = state({ run: running("run_1"), messages: ["run_1-u"] });
    service.play(SENT, unheld, unheld, unheld, ANSWERED);
    await send();
    expect(pauses).toEqual([250, 250, 250]);
  });

  test("is no longer waited for when the caller aborts", async () => {
    const giveUp = new AbortController();
    service.play(SENT, state({ run: running("run_1"), messages: ["run_1-u"] }));
    const impatient = client(async () => giveUp.abort());
    const waiting = impatient.sendAndWait({ conversationKey: "c", text: "Hi" }, { signal: giveUp.signal });
    await expect(waiting).rejects.toMatchObject({ code: Code.Canceled });
    expect(service.received).toHaveLength(2);
  });
});

describe("an outage after the message was accepted", () => {
  const STOPPING: Step = { status: 503, body: JSON.stringify({ code: "unavailable", message: "stopping" }) };

  test.each<[string, Step]>([
    ["no answer", "hang up"],
    ["the service says unavailable", STOPPING],
    ["the credentials cannot be checked", denied(500, "internal", DenialReason.VERIFIER_ERROR)],
  ])("is waited out with pauses: %s", async (_how, outage) => {
    service.play(SENT, ...Array<Step>(7).fill(outage), ANSWERED);
    expect((await send()).text).toBe("reply to run_1\nmore");
    expect(pauses).toEqual([125, 250, 2_000, 125, 250, 2_000, 125]);
  });

  test("ends with the caller's timeout, and the error has the run", async () => {
    const giveUp = new AbortController();
    service.play(SENT, "hang up");
    const impatient = client(async (ms) => void (ms === 2_000 && giveUp.abort()));
    const err = await impatient
      .sendAndWait({ conversationKey: "c", text: "Hi" }, { signal: giveUp.signal })
      .catch((err: unknown) => err);
    expect(err).toMatchObject({ code: Code.Canceled, runId: "run_1" });
    expect(runIdOf(err)).toBe("run_1");
  });

  test("is not assumed if the key was revoked, and the error has the run", async () => {
    service.play(SENT, denied(401, "unauthenticated", DenialReason.API_KEY_REVOKED));
    const err = await send(client(neverAgain)).catch((err: unknown) => err);
    expect(isDenial(err, "api_key_revoked")).toBe(true);
    expect(runIdOf(err)).toBe("run_1");
  });

  test("is not assumed if the message was not accepted, and the error has no run", async () => {
    service.play(STOPPING);
    const err = await send().catch((err: unknown) => err);
    expect(err).toMatchObject({ code: Code.Unavailable });
    expect([runIdOf(err), runIdOf(undefined)]).toEqual([undefined, undefined]);
  });
});

test("a message is sent with the id that its sender gives it", async () => {
  service.play(SENT, ANSWERED);
  await client().sendAndWait({ conversationKey: "c", text: "Hi", clientMessageId: "mine" });
  expect(service.received[0]?.body).toMatchObject({ client_message_id: "mine" });
});

test.each<[string, (by: LatchkeyClient) => Promise<unknown>, RegExp]>([
  ["sendAndWait", (by) => by.sendAndWait({ conversationKey: "c", text: ["Hi", "\ud800"] }), /^text must/],
  ["sendMessage", (by) => by.gateway.sendMessage({ conversationKey: "\ud800" }), /^conversationKey: /],
])(
  "a text that is not valid Unicode is an error of this client, which names the member: %s",
  async (_of, call, rawMessage) => {
    service.play(SENT);
    const err = await call(client()).catch((err: unknown) => err);
    expect(err).toBeInstanceOf(ConnectError);
    expect(err).toMatchObject({ code: Code.InvalidArgument, rawMessage: expect.stringMatching(rawMessage) });
    expect(service.received).toHaveLength(0);
  },
);

describe("a message with more messages behind it than fit into a page", () => {
  const LATEST = { messages: ["run_3-u", "run_3-a", "run_4-u"], next: "run_3-u" };

  test.each([queued("run_4"), running("run_4"), completed("run_4")])(
    "is answered with its reply from a page further back, with the latest run $status",
    async (run) => {
      service.play(
        SENT,
        state({ run, ...LATEST }),
        state({ run, messages: ["run_2-u"], next: "run_2-u" }),
        state({ run, messages: ["run_0-a", "run_1-u", "run_1-a"], next: "run_0-a" }),
      );
      expect((await send()).reply.messageId).toBe("run_1-a");
      expect(stateReads()).toEqual([HELD, { before_message_id: "run_3-u" }, { before_message_id: "run_2-u" }]);
    },
  );

  test("has failed if it has no reply and a later one was answered, on whichever page", async () => {
    const run = queued("run_4");
    service.play(SENT, state({ run, ...LATEST }), state({ run, messages: ["run_0-a", "run_1-u", "run_2-u"] }));
    await expect(send(client(neverAgain))).rejects.toMatchObject({
      name: "RunFailedError",
      runId: "run_1",
      reason: "",
    });
    expect(stateReads()).toEqual([HELD, { before_message_id: "run_3-u" }]);
  });

  test("is waited for, from the latest page on, while no later run has begun", async () => {
    const run = queued("run_4");
    service.play(
      SENT,
      state({ run, messages: ["run_3-u", "run_4-u"], next: "run_3-u" }),
      state({ run, messages: ["run_0-u", "run_0-a", "run_1-u", "run_2-u"] }),
      state({ run, messages: ["run_3-u", "run_4-u"], next: "run_3-u" }),
      state({ run, messages: ["run_0-u", "run_0-a", "run_1-u", "run_1-a", "run_2-u"] }),
    );
    expect((await send()).reply.messageId).toBe("run_1-a");
    expect(stateReads()).toEqual([HELD, { before_message_id: "run_3-u" }, HELD, { before_message_id: "run_3-u" }]);
    expect(pauses).toEqual([250]);
  });

  test("that is on no page is neither searched for without end nor reported as failed", async () => {
    const run = completed("run_4");
    service.play(SENT, state({ run, ...LATEST }), state({ run, messages: ["run_2-u"] }));
    await expect(send(client(neverAgain))).rejects.toMatchObject({
      code: Code.NotFound,
      message: expect.stringContaining("run_1-u"),
    });
    expect(stateReads()).toHaveLength(2);
  });
});

describe("an answer that does not come in time", () => {
  /** A held answer may take 30 s, and 15 s more to come. */
  const READ_MS = 45_000;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  const reads = (count: number) => expect.poll(() => service.received.length).toBe(1 + count);

  test("is requested again until it arrives", async () => {
    service.play(SENT, "hold", "hold", ANSWERED);
    const reply = send();
    for (const count of [1, 2]) {
      await reads(count);
      vi.advanceTimersByTime(READ_MS);
    }
    expect((await reply).text).toBe("reply to run_1\nmore");
    expect(stateReads()).toEqual([HELD, HELD, HELD]);
    expect(pauses).toEqual([250, 250]);
  });

  test("is requested again if the replica that held it was killed", async () => {
    service.play(SENT, "hold", "hold", ANSWERED);
    const reply = send();
    await reads(1);
    vi.advanceTimersByTime(20_000);
    service.hangUp();
    await reads(2);
    vi.advanceTimersByTime(READ_MS - 20_000);
    expect((await reply).text).toBe("reply to run_1\nmore");
    expect(pauses).toEqual([125, 250]);
  });

  test("is requested again even if Retry-After took most of the time", async () => {
    const limited = denied(429, "resource_exhausted", DenialReason.RATE_LIMITED, { "Retry-After": "30" });
    service.play(SENT, limited, "hold", ANSWERED);
    const sleep: Sleep = async (ms) => void vi.advanceTimersByTime(ms);
    const reply = send(client(sleep));
    await reads(2);
    vi.advanceTimersByTime(READ_MS - 30_000);
    expect((await reply).text).toBe("reply to run_1\nmore");
  });

  test("is not requested again after the caller's own timeout", async () => {
    const giveUp = new AbortController();
    service.play(SENT, "hold");
    const reply = client(neverAgain).sendAndWait({ conversationKey: "c", text: "Hi" }, { signal: giveUp.signal });
    await reads(1);
    giveUp.abort(new ConnectError("the caller's own", Code.DeadlineExceeded));
    await expect(reply).rejects.toMatchObject({ code: Code.DeadlineExceeded, rawMessage: "the caller's own" });
  });

  test("is not requested if the message was not accepted in time", async () => {
    service.play("hold");
    const reply = send();
    await reads(0);
    vi.advanceTimersByTime(60_000);
    await expect(reply).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    expect(service.received).toHaveLength(1);
  });
});
