import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import { DenialReason, DenialSchema } from "./gen/latchkey/v1/denial_pb.ts";
import { retryAfterMs } from "./retry-after.ts";

/** Why a call was refused, as `denial_reason` says it in JSON: `api_key_expired`, `rate_limited`, ... */
export type DenialReasonName = Exclude<Lowercase<keyof typeof DenialReason>, "unspecified">;

/** The constraint of a key that a call ran into. */
export interface RateLimit {
  /** Most requests the constraint admits. */
  readonly limit: number;
  /** Requests it still admits. */
  readonly remaining: number;
  /** When it resets, to the second. */
  readonly resetAt: Date;
  /** `user`: it is that of the request's user under the key. Absent: it is the key's own. */
  readonly scope?: "user";
}

/** What the service said about a refused call. */
export interface Denial {
  /** `unknown`: a reason that is younger than this client. */
  readonly reason: DenialReasonName | "unknown";
  /** What to do, for people. Do not parse it. */
  readonly message: string;
  /** With `rate_limited` only. */
  readonly rateLimit?: RateLimit;
  /**
   * Whole seconds until a retry is admitted (`rate_limited`) or can succeed (`verifier_error`). Only where the header is sent and
   * can be read: `rate_limited` without it is never admitted.
   */
  readonly retryAfterSeconds?: number;
}

/** The denial that a call failed with; undefined for every other error, also for errors from elsewhere. */
export function denialOf(err: unknown): Denial | undefined {
  if (!(err instanceof ConnectError)) return undefined;
  const [detail] = err.findDetails(DenialSchema);
  if (detail === undefined) return undefined;
  const { reason, rateLimit } = detail;
  const afterMs = retryAfterMs(err.metadata.get("Retry-After"), Date.now);
  return {
    reason: nameOf(reason),
    message: err.rawMessage,
    ...(rateLimit?.resetAt && {
      rateLimit: {
        limit: rateLimit.limit,
        remaining: rateLimit.remaining,
        resetAt: timestampDate(rateLimit.resetAt),
        ...(rateLimit.scope === "user" && { scope: "user" }),
      },
    }),
    ...(afterMs !== undefined && { retryAfterSeconds: Math.ceil(afterMs / 1_000) }),
  };
}

/** Whether a call was refused for one of these reasons; for any reason, if none is given. */
export function isDenial(err: unknown, ...reasons: readonly DenialReasonName[]): err is ConnectError {
  const denial = denialOf(err);
  if (denial === undefined) return false;
  return reasons.length === 0 || reasons.some((reason) => reason === denial.reason);
}

function nameOf(reason: DenialReason): DenialReasonName | "unknown" {
  const [name = ""] = Object.entries(DenialReason).find(([, value]) => value === reason) ?? [];
  const lower = name.toLowerCase();
  return isReasonName(lower) ? lower : "unknown";
}

function isReasonName(name: string): name is DenialReasonName {
  return name !== "unspecified" && Object.hasOwn(DenialReason, name.toUpperCase());
}
