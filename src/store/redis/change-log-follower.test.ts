import { expect, test } from "vitest";
import { StoreUnavailable } from "../../domain/store-unavailable.ts";
import { keepFollowing } from "./change-log-follower.ts";

test("keepFollowing reports once that following fails, and once that it works again", async () => {
  const closing = new AbortController();
  const reported: boolean[] = [];
  const outcomes = [true, false, false, true, true];
  let reads = 0;
  await keepFollowing(
    {
      follow: async () => {
        const isGood = outcomes[reads];
        reads += 1;
        if (reads === outcomes.length) queueMicrotask(() => closing.abort());
        if (isGood === false) throw new StoreUnavailable("away");
      },
    },
    { freshMs: 5, signal: closing.signal, onChange: (isFollowing) => void reported.push(isFollowing) },
  );
  expect(reported).toEqual([false, true]);
});
