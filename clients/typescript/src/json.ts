import {
  type DescMessage,
  type JsonValue,
  type MessageShape,
  fromJson as protoFromJson,
  toJson as protoToJson,
} from "@bufbuild/protobuf";
import { type ListValue, ListValueSchema } from "@bufbuild/protobuf/wkt";
import { type UsageStep, UsageStepSchema } from "./gen/latchkey/v1/usage_pb.ts";

/**
 * A message as it is over HTTP: `key_id`, `"KEY_STATUS_ACTIVE"`, `"2030-01-31T12:00:00Z"`. `JSON.stringify` does the same with
 * answers; with a message of another origin, a copy of an answer for one, it throws at the bigint in a `Timestamp`.
 */
export function toJson<T extends DescMessage>(schema: T, message: MessageShape<T>): JsonValue {
  return protoToJson(schema, message, { alwaysEmitImplicit: true });
}

/** The message of JSON in the form of the HTTP API, such as a stored response. Members of a later version are left out. */
export function fromJson<T extends DescMessage>(schema: T, json: JsonValue): MessageShape<T> {
  return protoFromJson(schema, json, { ignoreUnknownFields: true });
}

/** A list for `authorizedParties` or `claimRules`: `jsonList(["web", "ios"])`, `jsonList([{ claim: "a", equals: true }])`. */
export function jsonList(values: readonly JsonValue[]): ListValue {
  return protoFromJson(ListValueSchema, [...values]);
}

/** The `series` of `getApiKeyUsage` as messages, like those of `getUsage`; none if it was not asked for. */
export function usageSteps(series: ListValue | undefined): UsageStep[] {
  const steps = series === undefined ? [] : protoToJson(ListValueSchema, series);
  if (!Array.isArray(steps)) throw new TypeError("series must be a list");
  return steps.map((step) => fromJson(UsageStepSchema, step));
}
