import type { OriginalCall } from "../audit/origin.ts";
import { FAILURES, type RecentRequest } from "../requests/recent-request.ts";
import type { UseFailure } from "../usage/uses.ts";
import { DENIALS } from "../vocabulary/denial.ts";
import { isJsonObject } from "../vocabulary/json-object.ts";
import { type Check, isText, isTextOrNull, readAs } from "./members.ts";

/** A call that a key made for a user, as an edge reports it. */
export interface ReportedImpersonation {
  readonly at: Date;
  readonly call: OriginalCall;
  readonly tenantId: string;
  readonly keyId: string;
  readonly onBehalfOf: string | null;
}

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
  message: isText,
};
const IMPERSONATION: Readonly<Record<keyof ReportedImpersonation, Check>> = {
  at: isInstant,
  call: (value) => isJsonObject(value) && isText(value.requestId) && isTextOrNull(value.address),
  tenantId: isText,
  keyId: isText,
  onBehalfOf: isTextOrNull,
};

/** Whether a use can fail so. */
export function isUseFailure(text: string): text is UseFailure {
  return Object.hasOwn(DENIALS, text) || FAILURES.some((failure) => failure === text);
}

/** A recent request that an edge reports. Throws `RequestFault`: one that cannot be stored would hold up those of others. */
export function readRequest(text: string, field: string): RecentRequest {
  return readAs<RecentRequest>(text, field, REQUEST);
}

/** A call for a user that an edge reports. Throws `RequestFault`. */
export function readImpersonation(text: string, field: string): ReportedImpersonation {
  return readAs<ReportedImpersonation>(text, field, IMPERSONATION);
}
