import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { repeated } from "./repeated-call.ts";

const unavailable = (headers: Record<string, string>) => new ConnectError("away", Code.Unavailable, headers);
const { signal } = new AbortController();

/** A call that fails with these errors, one after the other, and then succeeds. */
function failing(...errors: readonly Error[]) {
  const left = [...errors];
  let calls = 0;
  const call = async () => {
    calls += 1;
    const err = left.shift();
    if (err !== undefined) throw err;
    return calls;
  };
  return { call, calls: () => calls };
}

test("a call is made again after the pause that the service asks for", async () => {
  const { call } = failing(
    unavailable({ "Retry-After": "0" }),
    new ConnectError("late", Code.DeadlineExceeded, { "Retry-After": "0" }),
  );
  expect(await repeated(call, signal)).toBe(3);
});

test.each([
  ["that is refused", new ConnectError("no", Code.PermissionDenied), signal],
  ["whose pause would be too long", unavailable({ "Retry-After": "301" }), signal],
  ["after an interruption", unavailable({ "Retry-After": "0" }), AbortSignal.abort()],
])("a call %s is not made again", async (_, err, ended) => {
  const { call, calls } = failing(err);
  await expect(repeated(call, ended)).rejects.toBe(err);
  expect(calls()).toBe(1);
});
