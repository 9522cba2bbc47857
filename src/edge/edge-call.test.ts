import { expect, test } from "vitest";
import { EdgeCall } from "./edge-call.ts";

test("the id of a call is made once, and only for what reads it", () => {
  let made = 0;
  const call = new EdgeCall(
    {
      credentials: { apiKey: [], authorization: [], onBehalfOf: [], dpop: [] },
      ...{ origin: null, isFromBrowser: false, address: null, procedure: undefined, costReader: undefined },
    },
    () => `req_${++made}`,
  );
  expect(made).toBe(0);
  expect([call.requestId, call.requestId]).toEqual(["req_1", "req_1"]);
  expect(made).toBe(1);
});
