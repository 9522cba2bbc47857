import { CHECKS } from "../access/checks.ts";
import type { ImpersonatedCalls } from "../audit/audit-trail.ts";
import { FAILURES, type RecentRequest } from "../requests/recent-request.ts";
import type { UseFailure } from "../usage/uses.ts";
import { DENIALS } from "../vocabulary/denial.ts";
import { isJsonObject } from "../vocabulary/json-object.ts";
import { type Check, isText, isTextOrNull, readAs } from "./members.ts";

const isInstant: Check = (value) => value instanceof Date && !Number.isNaN(value.getTime());
const isCaller: Check = (value) => value === null || value === "secret_key" || value === "publishable_key";

const REQUEST: Readonly<Record<keyof RecentRequest, Check>> = {
  requestId: isText,
  at: isInstant,
  tenantId: isTextOrNull,
  keyId: isTextOrNull,
  tokenId: isTextOrNull,
  caller: isCaller,
  userId: isTextOrNull,
  address: isTextOrNull,
  rpc: isText,
  scope: isText,
  reason: (value) => value === null || (typeof value === "string" && isUseFailure(value)),
  // An edge of a former release names none.
  failedCheck: (value) => value == null || CHECKS.some(({ name }) => name === value),
  message: isText,
};
const IMPERSONATION: Readonly<Record<keyof ImpersonatedCalls, Check>> = {
  hour: isInstant,
  tenantId: isText,
  keyId: isText,
  userId: (value) => isText(value) && value !== "",
  calls: (value) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= CALLS_MAX,
  origin: (value) =>
    isJsonObject(value) && isText(value.requestId) && isTextOrNull(value.address) && isTextOrNull(value.traceId),
};
/** No edge makes more calls with a key between two reports, however long the service was away. */
const CALLS_MAX = 1_000_000_000;

/** Whether a use can fail so. */
export function isUseFailure(text: string): text is UseFailure {
  return Object.hasOwn(DENIALS, text) || FAILURES.some((failure) => failure === text);
}

/** A recent request that an edge reports. Throws `RequestFault`: one that cannot be stored would hold up those of others. */
export function readRequest(text: string, field: string): RecentRequest {
  return readAs<RecentRequest>(text, field, REQUEST);
}

/** Calls for a user within an hour that an edge reports. Throws `RequestFault`. */
export function readImpersonations(text: string, field: string): ImpersonatedCalls {
  return readAs<ImpersonatedCalls>(text, field, IMPERSONATION);
}
