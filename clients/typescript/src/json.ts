import { type DescMessage, type JsonValue, type MessageShape, toJson as protoToJson } from "@bufbuild/protobuf";

/**
 * A message as it is over HTTP: `key_id`, `"KEY_STATUS_ACTIVE"`, `"2030-01-31T12:00:00Z"`. `JSON.stringify` does the same with
 * answers; with a message of another origin, a copy of an answer for one, it throws at the bigint in a `Timestamp`.
 */
export function toJson<T extends DescMessage>(schema: T, message: MessageShape<T>): JsonValue {
  return protoToJson(schema, message, { alwaysEmitImplicit: true });
}
