import { expect, test } from "vitest";
import { StoreUnavailable } from "./store-unavailable.ts";

test("an outage of the storage says to retry, and keeps its cause and the time to wait for the log and the answer", () => {
  const cause = new Error("refused");
  const message = "The storage is unavailable; retry.";
  expect(new StoreUnavailable(cause, 5)).toMatchObject({ name: "StoreUnavailable", message, cause, retryAfterMs: 5 });
  expect(new StoreUnavailable(cause).retryAfterMs).toBe(0);
});
