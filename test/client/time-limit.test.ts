import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Code, ConnectError, createLatchkeyClient, type LatchkeyClient } from "../../clients/typescript/src/index.ts";

const baseUrl = "https://latchkey.test";
const never = <T>(): Promise<T> => new Promise(() => {});

/** Clients whose calls stay pending whatever their signals say; each reports when that has begun. */
const HANGING: [what: string, client: (begun: () => void, timeoutMs?: number) => LatchkeyClient][] = [
  [
    "getUserToken answers nothing",
    (begun, timeoutMs) => {
      const getUserToken = (): Promise<string> => {
        begun();
        return never();
      };
      return createLatchkeyClient({ baseUrl, getUserToken, timeoutMs });
    },
  ],
  [
    "fetch overlooks its signal",
    (begun, timeoutMs) => {
      const fetch = (): Promise<Response> => {
        begun();
        return never();
      };
      return createLatchkeyClient({ baseUrl, apiKey: "sk_x", fetch, timeoutMs });
    },
  ],
  [
    "the body of an answer does not end",
    (begun, timeoutMs) => {
      const fetch = async (): Promise<Response> => new Response(new ReadableStream({ pull: begun }));
      return createLatchkeyClient({ baseUrl, apiKey: "sk_x", fetch, timeoutMs });
    },
  ],
];

describe.each(HANGING)("a call that would stay pending because %s", (_why, client) => {
  test("ends with its timeout", async () => {
    const call = client(() => {}, 50).gateway.listThreads({});
    await expect(call).rejects.toMatchObject({ name: "ConnectError", code: Code.DeadlineExceeded });
  });

  test("ends with its signal", async () => {
    const giveUp = new AbortController();
    const call = client(() => giveUp.abort()).gateway.listThreads({}, { signal: giveUp.signal });
    await expect(call).rejects.toMatchObject({ name: "ConnectError", code: Code.Canceled });
  });

  test("ends with the signal of a message that waits for its reply", async () => {
    const giveUp = new AbortController();
    const options = { signal: giveUp.signal };
    const call = client(() => giveUp.abort()).sendAndWait({ conversationKey: "c", text: "Hi" }, options);
    await expect(call).rejects.toMatchObject({ name: "ConnectError", code: Code.Canceled });
  });
});

describe("a token that comes after its call has ended", () => {
  let sent: string[];
  let unhandled: unknown[];
  const onUnhandled = (reason: unknown): void => void unhandled.push(reason);

  beforeEach(() => {
    sent = [];
    unhandled = [];
    process.on("unhandledRejection", onUnhandled);
  });

  afterEach(() => void process.off("unhandledRejection", onUnhandled));

  /** A client whose calls all wait for one token, and send nothing. */
  function clientOf(getUserToken: () => Promise<string>): LatchkeyClient {
    const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
      sent.push(new Headers(init?.headers).get("Authorization") ?? "");
      return Response.json({});
    };
    return createLatchkeyClient({ baseUrl, getUserToken, fetch });
  }

  test("is not sent, not even by a fetch that ignores its signal", async () => {
    const token = Promise.withResolvers<string>();
    const giveUp = new AbortController();
    const call = clientOf(() => token.promise).apiKeys.createApiKey({}, { signal: giveUp.signal });
    giveUp.abort();
    await expect(call).rejects.toMatchObject({ code: Code.Canceled });
    token.resolve("late");
    await setImmediate();
    expect(sent).toEqual([]);
  });

  test("does not cause an unhandled rejection if it fails", async () => {
    const token = Promise.withResolvers<string>();
    const giveUp = new AbortController();
    const call = clientOf(() => token.promise).apiKeys.listApiKeys({}, { signal: giveUp.signal });
    giveUp.abort();
    await expect(call).rejects.toMatchObject({ code: Code.Canceled });
    token.reject(new Error("signed out"));
    await setImmediate();
    expect(unhandled).toEqual([]);
  });

  test("is still used by other calls that share it", async () => {
    const token = Promise.withResolvers<string>();
    const client = clientOf(() => token.promise);
    const giveUp = new AbortController();
    const impatient = client.apiKeys.listApiKeys({}, { signal: giveUp.signal });
    const patient = client.apiKeys.listApiKeys({});
    giveUp.abort();
    await expect(impatient).rejects.toMatchObject({ code: Code.Canceled });
    token.resolve("shared");
    await patient;
    expect(sent).toEqual(["Bearer shared"]);
  });

  test("is not requested if the signal was aborted before", async () => {
    let requested = 0;
    const getUserToken = async (): Promise<string> => `token-${++requested}`;
    const reason = new ConnectError("the caller's own", Code.Aborted);
    const call = clientOf(getUserToken).apiKeys.listApiKeys({}, { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
    expect(requested).toBe(0);
  });
});

test("an attempt leaves no listener on the call's signal", async () => {
  const counts: number[] = [];
  const sleep = async (_ms: number, signal: AbortSignal): Promise<void> => {
    counts.push(getEventListeners(signal, "abort").length);
  };
  const before: number[] = [];
  const getUserToken = ({ signal }: { signal: AbortSignal }): string => {
    before.push(getEventListeners(signal, "abort").length);
    return "t";
  };
  const fetch = async (): Promise<Response> => new Response(null, { status: 503 });
  const client = createLatchkeyClient({ baseUrl, getUserToken, fetch, retry: { attemptsMax: 4, sleep } });
  await expect(client.apiKeys.listApiKeys({})).rejects.toMatchObject({ code: Code.Unavailable });
  // While an attempt lasts there is one more than between two attempts, in the last one as in the first.
  const [lasting = 0] = before;
  expect(before).toEqual([lasting, lasting, lasting, lasting]);
  expect(counts).toEqual([lasting - 1, lasting - 1, lasting - 1]);
});
