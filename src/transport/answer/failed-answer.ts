import type { ConnectError } from "@connectrpc/connect";
import { codeToHttpStatus, errorToJson } from "@connectrpc/connect/protocol-connect";
import type { Call } from "../../interceptors/call.ts";
import { errorBody } from "./envelope.ts";
import type { PlainAnswer } from "./plain-answer.ts";
import { PlainHeaders } from "./plain-headers.ts";

const JSON_OPTIONS = { alwaysEmitImplicit: true } as const;

/** An error as the answer to a plain call, its metadata as headers. */
export function failedAnswer(err: ConnectError, call: Call): PlainAnswer & { readonly body: string } {
  const { text, ...outcome } = errorBody(codeToHttpStatus(err.code), errorToJson(err, JSON_OPTIONS), call);
  const headers = new PlainHeaders();
  headers.set("content-type", "application/json");
  for (const [name, value] of err.metadata) headers.set(name, value);
  return { ...outcome, headers, body: text };
}
