import {
  type DescMessage,
  fromJson,
  type JsonValue,
  type MessageShape,
  toJson as protoToJson,
} from "@bufbuild/protobuf";
import { type ListValue, ListValueSchema } from "@bufbuild/protobuf/wkt";

/**
 * A message as it is over HTTP: `key_id`, `"KEY_STATUS_ACTIVE"`, `"2030-01-31T12:00:00Z"`. `JSON.stringify` does the same with
 * answers; with a message of another origin, a copy of an answer for one, it throws at the bigint in a `Timestamp`.
 */
export function toJson<T extends DescMessage>(schema: T, message: MessageShape<T>): JsonValue {
  return protoToJson(schema, message, { alwaysEmitImplicit: true });
}

/** A list for `authorizedParties` or `claimRules`: `jsonList(["web", "ios"])`, `jsonList([{ claim: "a", equals: true }])`. */
export function jsonList(values: readonly JsonValue[]): ListValue {
  return fromJson(ListValueSchema, [...values]);
}
