import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { toJson } from "./json.ts";

/**
 * Lets `JSON.stringify` make of an answer, or of any message in it, what the HTTP API answers. Without it, it throws at the
 * seconds of a `Timestamp`, which are a bigint.
 *
 * Each message gets a `toJSON` that neither `Object.keys` nor `console.log` nor a comparison shows.
 */
export function makeStringifiable(schema: DescMessage, message: Message): void {
  addToJson(reflect(schema, message, false));
}

function addToJson(reflected: ReflectMessage): void {
  const { desc, message } = reflected;
  Object.defineProperty(message, "toJSON", { value: () => toJson(desc, message), configurable: true, writable: true });
  for (const field of desc.fields) {
    if (field.message === undefined) continue;
    for (const part of partsOf(reflected, field)) if (isReflectMessage(part)) addToJson(part);
  }
}

function partsOf(reflected: ReflectMessage, field: DescField): Iterable<unknown> {
  if (field.fieldKind === "list" || field.fieldKind === "map") return reflected.get(field).values();
  return reflected.isSet(field) ? [reflected.get(field)] : [];
}
