import { invalid, type RequestFault } from "../domain/vocabulary/request-fault.ts";

const YEAR_MIN = 1;
const YEAR_MAX = 9_998;

/** Why a text cannot be stored: PostgreSQL rejects NUL, and UTF-8 cannot encode a lone surrogate. */
export function textFault(text: string, path: string): RequestFault | undefined {
  if (text.includes("\0")) return invalid(path, "must not contain the NUL character");
  return text.isWellFormed() ? undefined : invalid(path, "must not contain a lone surrogate");
}

/** Why an instant in this year (UTC) cannot be stored. */
export function yearFault(year: number, path: string): RequestFault | undefined {
  return year >= YEAR_MIN && year <= YEAR_MAX ? undefined : invalid(path, "must be within the years 0001 to 9998");
}
