import { Code, ConnectError } from "@connectrpc/connect";
import { errorFromJson } from "@connectrpc/connect/protocol-connect";
import { DenialReason, DenialSchema } from "../gen/latchkey/v1/denial_pb.ts";
import type { Caller } from "../gen/latchkey/v1/policy_pb.ts";
import { lackedMessage, type Presented, tokenNotAllowedMessage, wrongKindMessage } from "./policy-rule.ts";
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
export function wrongKind(kind: Presented, callers: readonly Caller[], headers: Headers): ConnectError {
  return insufficientScope(wrongKindMessage(kind, callers), headers);
}

/** `ErrorInfo` with the reason `TOKEN_NOT_ALLOWED`, in binary: its descriptor would add 2.6 kB to each guard. */
const TOKEN_NOT_ALLOWED = { type: "latchkey.v1.ErrorInfo", value: Uint8Array.of(8, 106) };

/** The denial of an access token, where the RPC does not admit tokens. */
export function tokenNotAllowed(callers: readonly Caller[], headers: Headers): ConnectError {
  const error = insufficientScope(tokenNotAllowedMessage(callers), headers);
  error.details.push(TOKEN_NOT_ALLOWED);
  return error;
}

export function lackedScope(scope: string, headers: Headers): ConnectError {
  return insufficientScope(lackedMessage(scope), headers, scope);
}

function insufficientScope(message: string, headers: Headers, scope?: string): ConnectError {
  // As Latchkey's own denials have it (RFC 6750, 3).
  const lacking = scope === undefined ? "" : `, scope="${scope}"`;
  headers.set("WWW-Authenticate", `Bearer error="insufficient_scope"${lacking}`);
  const value = { reason: DenialReason.INSUFFICIENT_SCOPE };
  return new ConnectError(message, Code.PermissionDenied, headers, [{ desc: DenialSchema, value }]);
}
