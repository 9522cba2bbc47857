import { ConnectError } from "@connectrpc/connect";
import { type DenialReasonName, denialOf } from "./denial.ts";
import { DenialSchema } from "./gen/latchkey/v1/denial_pb.ts";
import { ErrorInfoSchema, ErrorReason } from "./gen/latchkey/v1/error_reason_pb.ts";

/** Why a call failed, as `reason` says it in JSON: `key_not_found`, `rule_exceeded`, ...; of a denial, its reason, or more: `token_not_allowed`. */
export type ErrorReasonName = Exclude<Lowercase<keyof typeof ErrorReason>, "unspecified"> | DenialReasonName;

/**
 * Why a call failed. `unknown`: a reason that is younger than this client; decide by the error's `code` then. Undefined: the
 * error is not the service's, such as one of the network or a proxy.
 */
export function reasonOf(err: unknown): ErrorReasonName | "unknown" | undefined {
  if (!(err instanceof ConnectError)) return undefined;
  const [info] = err.findDetails(ErrorInfoSchema);
  if (info === undefined) return denialOf(err)?.reason;
  const [name = ""] = Object.entries(ErrorReason).find(([, value]) => value === info.reason) ?? [];
  const lower = name.toLowerCase();
  return isReasonName(lower) ? lower : "unknown";
}

/**
 * The member of the request at fault, as JSON spells it: `rate_limit.burst_size`, `permissions[2]`. Undefined: not a
 * single member.
 */
export function fieldOf(err: unknown): string | undefined {
  if (!(err instanceof ConnectError)) return undefined;
  const [{ field } = { field: "" }] = [...err.findDetails(ErrorInfoSchema), ...err.findDetails(DenialSchema)];
  return field === "" ? undefined : field;
}

function isReasonName(name: string): name is Exclude<Lowercase<keyof typeof ErrorReason>, "unspecified"> {
  return name !== "unspecified" && Object.hasOwn(ErrorReason, name.toUpperCase());
}
