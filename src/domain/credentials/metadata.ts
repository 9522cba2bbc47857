import { isKeptNumber, MUST_BE_KEPT } from "../vocabulary/foreign-json.ts";
import type { Json } from "../vocabulary/json.ts";
import { isJsonObject } from "../vocabulary/json-object.ts";
import { invalid } from "../vocabulary/request-fault.ts";

/** What a tenant keeps with a key. It changes no decision. */
export type Metadata = Readonly<Record<string, Json>>;

/** Of its JSON without spaces, in UTF-8. Cached records have it, and so does each key of a page of a list. */
export const METADATA_BYTES_MAX = 4_096;
/** Objects and arrays within each other, itself included. */
export const METADATA_DEPTH_MAX = 32;

/** Validates the metadata of a request, `null` if it has none. Throws `RequestFault`. */
export function checkedMetadata(metadata: Metadata | null): Metadata | null {
  if (metadata === null) return null;
  const problem = valueProblem(metadata, 0) ?? sizeProblem(metadata);
  if (problem !== undefined) throw invalid("metadata", problem);
  return metadata;
}

function valueProblem(value: Json, depth: number): string | undefined {
  if (typeof value === "number" && !isKeptNumber(value)) return MUST_BE_KEPT;
  if (!Array.isArray(value) && !isJsonObject(value)) return undefined;
  if (depth >= METADATA_DEPTH_MAX) return `must be nested at most ${METADATA_DEPTH_MAX} levels deep`;
  for (const item of Object.values<Json>(value)) {
    const problem = valueProblem(item, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function sizeProblem(metadata: Metadata): string | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  return bytes > METADATA_BYTES_MAX ? `must be at most ${METADATA_BYTES_MAX} bytes as JSON, not ${bytes}` : undefined;
}
