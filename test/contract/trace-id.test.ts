import { expect, test } from "vitest";
import { postHttp2 } from "../harness/http2-client.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const LIST = "/api/v1/llm/gateway/list-threads";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

const latchkey = await sharedLatchkey();
const post = {
  "HTTP/1.1": async (headers: Record<string, string>) =>
    (await latchkey.call(LIST, {}, headers)).headers.get("x-request-id"),
  "HTTP/2": async (headers: Record<string, string>) =>
    (await postHttp2(latchkey.url, LIST, {}, headers)).headers["x-request-id"],
};

/** What the log has as the trace of a request. */
async function loggedTrace(over: keyof typeof post, headers: Record<string, string>): Promise<unknown> {
  const id = await post[over](headers);
  const lines = latchkey.logLines.map((line) => JSON.parse(line)).filter((line) => line.request_id === id);
  expect(lines).toHaveLength(1);
  return lines[0].trace_id;
}

test.each(["HTTP/1.1", "HTTP/2"] as const)("a request's log line has its trace id, over %s", async (over) => {
  expect(await loggedTrace(over, { traceparent: TRACEPARENT })).toBe(TRACE);
  expect(await loggedTrace(over, {})).toBeUndefined();
  expect(await loggedTrace(over, { traceparent: TRACEPARENT.replace("00-", "ff-") })).toBeUndefined();
  expect(await loggedTrace(over, { traceparent: `${TRACEPARENT}, ${TRACEPARENT}` })).toBeUndefined();
});
