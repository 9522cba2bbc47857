// promise: overload.storage
import { expect, test } from "vitest";
import { answerReadyz, createReadiness } from "./probes.ts";

/** A storage whose answers the test controls, and that records its pings. */
function startStore() {
  const asked: PromiseWithResolvers<void>[] = [];
  const pingStore = (): Promise<void> => {
    const answer = Promise.withResolvers<void>();
    asked.push(answer);
    return answer.promise;
  };
  return { asked, ...createReadiness({ pingStore, draining: new AbortController().signal }) };
}

test("concurrent readiness checks share one ping of the storage, and a later check pings again", async () => {
  const { asked, isReady } = startStore();
  const first = Array.from({ length: 1_000 }, isReady);
  expect(asked).toHaveLength(1);
  asked[0]?.resolve();
  expect(new Set(await Promise.all(first))).toEqual(new Set([true]));
  const second = [isReady(), isReady()];
  expect(asked).toHaveLength(2);
  asked[1]?.reject(new Error("no storage"));
  expect(await Promise.all(second)).toEqual([false, false]);
  const third = isReady();
  asked[2]?.resolve();
  expect(await third).toBe(true);
});

test("a process that is about to stop is not ready, and does not ping the storage", async () => {
  const pingStore = () => expect.unreachable();
  expect(await createReadiness({ pingStore, draining: AbortSignal.abort() }).isReady()).toBe(false);
});

test("a process to which a guard objects is not ready, says why, and is ready as soon as it no longer does", async () => {
  let problem: string | undefined = "two Redis";
  const stopping = new AbortController();
  const readiness = createReadiness({
    pingStore: async () => {},
    problem: () => problem,
    draining: stopping.signal,
  });
  const answer = async () => {
    const { status, body } = await answerReadyz(readiness);
    return [status, JSON.parse(String(body))];
  };
  expect(await answer()).toEqual([503, { status: "unavailable", reason: "two Redis" }]);
  problem = undefined;
  expect(await answer()).toEqual([200, { status: "ready" }]);
  problem = "two Redis";
  stopping.abort();
  expect(await answer()).toEqual([503, { status: "unavailable" }]);
});
