import { ConnectError } from "@connectrpc/connect";
import { errorFromJson, errorToJson } from "@connectrpc/connect/protocol-connect";
import { expect, test } from "vitest";
import { ErrorInfoSchema } from "../../../gen/latchkey/v1/error_reason_pb.ts";
import { faultOf } from "../../domain/vocabulary/request-fault.ts";
import { errorOfFault, reasonIn } from "../../interceptors/error-info.ts";
import { BODY_TOO_LARGE } from "../request/body.ts";
import { errorBody, faultAnswer, TRANSPORT_FAULTS } from "./envelope.ts";

const CALL = {
  requestId: "req_1",
  credentials: { apiKey: [], authorization: [], onBehalfOf: [], dpop: [] },
  address: null,
  origin: null,
  isFromBrowser: false,
};

test("only a body that was found too large is 413, not whatever else is exhausted", () => {
  const error = { code: "resource_exhausted", message: "Too many conversations." };
  expect(errorBody(429, error, CALL)).toEqual({ status: 429, code: error.code, text: JSON.stringify(error) });
  const { text, ...outcome } = errorBody(429, { ...error, message: BODY_TOO_LARGE }, { ...CALL, isBodyTooLarge: true });
  expect(outcome).toEqual({ status: 413, code: error.code });
  expect(JSON.parse(text)).toMatchObject({ code: error.code, reason: "body_too_large", message: BODY_TOO_LARGE });
});

test("an error's reason and field are those of its typed detail", () => {
  const error = errorToJson(errorOfFault(faultOf("unknown_scope", "permissions[2]", "is unknown")), undefined);
  const { text } = errorBody(400, error, CALL);
  expect(Object.entries(JSON.parse(text)).slice(0, 4)).toEqual([
    ["code", "invalid_argument"],
    ["reason", "unknown_scope"],
    ["field", "permissions[2]"],
    ["message", "permissions[2]: is unknown"],
  ]);
});

test("an answer that no handler made has its reason in the same two places", () => {
  for (const fault of Object.keys(TRANSPORT_FAULTS) as (keyof typeof TRANSPORT_FAULTS)[]) {
    const { code, body } = faultAnswer(fault);
    const { reason, message, details } = JSON.parse(String(body));
    const err = errorFromJson({ code, message, details }, undefined, new ConnectError(""));
    expect(err.findDetails(ErrorInfoSchema).map(reasonIn)).toEqual([reason]);
    expect(reason).toBe(TRANSPORT_FAULTS[fault].reason);
  }
});
