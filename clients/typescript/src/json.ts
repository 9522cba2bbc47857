import { type DescMessage, type JsonValue, type MessageShape, toJson as protoToJson } from "@bufbuild/protobuf";

/**
 * An answer, or a part of it, as it is over HTTP: `key_id`, `"KEY_STATUS_ACTIVE"`, `"2030-01-31T12:00:00Z"`. `JSON.stringify`
 * throws at the seconds of a `Timestamp`, which are a bigint.
 */
export function toJson<T extends DescMessage>(schema: T, message: MessageShape<T>): JsonValue {
  return protoToJson(schema, message, { alwaysEmitImplicit: true });
}
