import type { Caps, RateLimit } from "../limits/caps.ts";
import type { Spending } from "../limits/limiter.ts";
import { isJsonObject } from "../vocabulary/json-object.ts";
import { invalid } from "../vocabulary/request-fault.ts";
import { decode } from "./wire.ts";

const CAP_MAX = 2_147_483_647;
const COST_MAX = 1_000;

/** The limit that an edge names in a question. Throws `RequestFault`: the limiter would fail, as if Redis did. */
export function readLimit(text: string): RateLimit {
  const limit = parsed(text, "limit");
  const { perUser } = limit;
  if (!isCaps(limit) || (perUser !== undefined && !isCaps(perUser))) throw invalid("limit", "must be a key's limit");
  return { ...limit, ...(perUser && { perUser }) };
}

/** What a request spends, as an edge names it. Throws `RequestFault`. */
export function readSpending(text: string): Spending {
  const spending = parsed(text, "spending");
  const { cost, user, tenant, isShared } = spending;
  const isCost = cost === undefined || (isCount(cost) && cost > 0 && cost <= COST_MAX);
  const isFlag = isShared === undefined || typeof isShared === "boolean";
  if (isCost && isFlag && [user, tenant].every(isTextOrAbsent)) return spending;
  throw invalid("spending", "must be what a request spends");
}

function parsed(text: string, field: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = decode(text);
  } catch {
    throw invalid(field, "must be JSON");
  }
  if (!isJsonObject(value)) throw invalid(field, "must be a JSON object");
  return value;
}

function isCaps(value: unknown): value is Caps {
  return isJsonObject(value) && [value.requestsPerMinute, value.requestsPerHour, value.burstSize].every(isCount);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= CAP_MAX;
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}
