import type { CheckName } from "../access/checks.ts";
import type { CallerKind } from "../access/principal.ts";
import type { UseFailure } from "../usage/uses.ts";

/** One request as the checks of its caller decided it. Never a key, a token, or what was sent or read. */
export interface RecentRequest {
  readonly requestId: string;
  readonly at: Date;
  /** Null: not known. */
  readonly tenantId: string | null;
  /** Null: no known key was sent. */
  readonly keyId: string | null;
  /** The service's own token that was sent in place of the key. Null: none. */
  readonly tokenId: string | null;
  /** Null: not known before the denial. */
  readonly caller: CallerKind | null;
  /** Null: absent, or not known before the denial. */
  readonly userId: string | null;
  /** The client's. Null: not known. */
  readonly address: string | null;
  /** Such as `latchkey.v1.AuthService/Verify`. Empty: not an RPC's path. */
  readonly rpc: string;
  /** The scope that the caller lacked, or else the one that the RPC asks for. Empty: none. */
  readonly scope: string;
  /** Null: the request was admitted. */
  readonly reason: UseFailure | null;
  /** The check that denied it. Null: it was admitted or failed, or a former release stored it. */
  readonly failedCheck: CheckName | null;
  /** What the response said of it. Empty: the request was admitted. */
  readonly message: string;
}

export type Verdict = "admitted" | "denied" | "failed";

/** `failed`: nothing was decided about the caller, because there was no such RPC, or because it could not be checked. */
export function verdictOf({ reason }: Pick<RecentRequest, "reason">): Verdict {
  if (reason === null) return "admitted";
  return isFailure(reason) ? "failed" : "denied";
}

/** The reasons of failed requests. */
export const FAILURES = ["not_found", "internal"] as const satisfies readonly UseFailure[];

export type Failure = (typeof FAILURES)[number];

export function isFailure(reason: UseFailure): reason is Failure {
  return reason === "not_found" || reason === "internal";
}
