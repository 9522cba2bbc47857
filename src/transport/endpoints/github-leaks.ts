import { NOTHING } from "../../domain/audit/origin.ts";
import { keysReported, type ReportLeaksContext, reportLeaks } from "../../domain/leaks/report.ts";
import { type ScannerKeys, ScannerKeysUnavailable } from "../../domain/leaks/scanner-keys.ts";
import { isSignedByScanner, scannerFeedback, scannerMatches } from "../../domain/leaks/scanner-report.ts";
import { type Throttle, throttleCall } from "../../domain/leaks/throttle.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import { parseForeignJson } from "../../domain/vocabulary/foreign-json.ts";
import { RequestFault } from "../../domain/vocabulary/request-fault.ts";
import { traceIdIn } from "../../domain/vocabulary/trace-id.ts";
import type { Call } from "../../interceptors/call.ts";
import { errorOf } from "../../interceptors/error-info.ts";
import type { PlainAnswer } from "../answer/plain-answer.ts";
import { PlainHeaders } from "../answer/plain-headers.ts";
import { limitForeignJson } from "../request/body-structure.ts";
import type { Incoming } from "../request/exchange.ts";

const ACTION = "api_key.leaked";

export interface GithubLeaksContext extends ReportLeaksContext {
  readonly scannerKeys: ScannerKeys;
  /** Of requests that GitHub has signed. How many keys are in one is not bounded. */
  readonly throttleSigned: Throttle;
}

/**
 * `POST /api/v1/api-keys/report-leak/github`: GitHub's secret scanning reports keys that it has found, signed by GitHub, and
 * gets back which of them are keys. It is not an RPC, since GitHub decides what its messages are.
 */
export async function answerGithubLeaks(
  ctx: GithubLeaksContext,
  req: Incoming,
  call: Call,
  body: Uint8Array,
): Promise<PlainAnswer> {
  try {
    // Before the throttle: what others send would be part of what GitHub may. A check costs what that of a user's token does.
    await requireSignature(ctx, req, body);
    throttleCall(ctx.throttleSigned, call, 1);
    const matches = scannerMatches(parseJson(body));
    const secrets = await reportLeaks(ctx, await keysReported(ctx, matches), {
      actor: { ...NOTHING, kind: "github" },
      action: ACTION,
      address: call.address,
      requestId: call.requestId,
      traceId: traceIdIn(call.traceparent) ?? null,
    });
    const headers = new PlainHeaders({ "content-type": "application/json" });
    return { status: 200, code: "ok", headers, body: JSON.stringify(scannerFeedback(matches, secrets)) };
  } catch (err) {
    throw unavailable(err);
  }
}

async function requireSignature({ scannerKeys }: GithubLeaksContext, req: Incoming, body: Uint8Array): Promise<void> {
  const identifier = req.headers["github-public-key-identifier"];
  const signature = req.headers["github-public-key-signature"];
  if (typeof identifier === "string" && typeof signature === "string") {
    const key = await scannerKeys.find(identifier);
    if (key !== undefined && isSignedByScanner(key, signature, body)) return;
  }
  throw new Denial("missing_credentials", {
    message:
      "The request is not signed by GitHub: Github-Public-Key-Signature must be the signature of the body with the key that Github-Public-Key-Identifier names; send it with these headers, or without them to /api/v1/api-keys/report-leak in the form of that path.",
  });
}

/** Not the denial for keys that cannot be fetched, which is a 500: the sender is to try again. */
function unavailable(err: unknown): unknown {
  if (!(err instanceof ScannerKeysUnavailable)) return err;
  return errorOf("scanner_keys_unavailable", err.message, {
    metadata: { "Retry-After": String(err.retryAfterSeconds) },
  });
}

function parseJson(body: Uint8Array): unknown {
  limitForeignJson(body);
  try {
    return parseForeignJson(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new RequestFault("malformed_body", "body: must be JSON in UTF-8");
  }
}
