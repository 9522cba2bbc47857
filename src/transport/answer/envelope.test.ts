import { expect, test } from "vitest";
import { BODY_TOO_LARGE } from "../request/body.ts";
import { errorBody } from "./envelope.ts";

const CALL = {
  requestId: "req_1",
  credentials: { apiKey: [], authorization: [], onBehalfOf: [] },
  address: null,
  origin: null,
  isFromBrowser: false,
};

test("only a body that was found too large is 413, not whatever else is exhausted", () => {
  const error = { code: "resource_exhausted", message: "Too many conversations." };
  expect(errorBody(429, error, CALL)).toEqual({ status: 429, code: error.code, text: JSON.stringify(error) });
  const tooLarge = JSON.stringify({ code: "resource_exhausted", message: BODY_TOO_LARGE });
  expect(errorBody(429, error, { ...CALL, isBodyTooLarge: true })).toEqual({
    status: 413,
    code: error.code,
    text: tooLarge,
  });
});
