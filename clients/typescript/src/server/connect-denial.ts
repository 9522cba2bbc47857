import { Code, ConnectError } from "@connectrpc/connect";
import { errorFromJson } from "@connectrpc/connect/protocol-connect";
import { DenialReason, DenialSchema } from "../gen/latchkey/v1/denial_pb.ts";
import type { Caller } from "../gen/latchkey/v1/policy_pb.ts";
import { type Kind, lackedMessage, wrongKindMessage } from "./policy-rule.ts";
import type { Refusal } from "./refusal.ts";

/** Latchkey's refusal as the error that its own RPCs would give: code, message, details and headers. */
export function refusalError({ headers, body }: Refusal): ConnectError {
  const metadata = new Headers(headers);
  // Of Latchkey's own body.
  metadata.delete("Content-Type");
  const read = errorFromJson(JSON.parse(body), undefined, new ConnectError("no error of Latchkey's", Code.Internal));
  // A copy: Connect does not pass on the headers of an error that came over the wire.
  const error = new ConnectError(read.rawMessage, read.code, metadata);
  error.details.push(...read.details);
  return error;
}

/** The denial of a caller whose kind the RPC does not admit. */
export function wrongKind(kind: Kind, callers: readonly Caller[], headers: Headers): ConnectError {
  return insufficientScope(wrongKindMessage(kind, callers), headers);
}

export function lackedScope(scope: string, headers: Headers): ConnectError {
  return insufficientScope(lackedMessage(scope), headers, scope);
}

function insufficientScope(message: string, headers: Headers, scope?: string): ConnectError {
  // As Latchkey's own denials have it (RFC 6750, 3).
  const lacking = scope === undefined ? "" : `, scope="${scope}"`;
  headers.set("WWW-Authenticate", `Bearer error="insufficient_scope"${lacking}`);
  const value = { reason: DenialReason.INSUFFICIENT_SCOPE };
  // As Latchkey's own messages do; the page is Latchkey's.
  return new ConnectError(`${message} See /docs/errors#insufficient_scope`, Code.PermissionDenied, headers, [
    { desc: DenialSchema, value },
  ]);
}
