import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { isMessage } from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { TimestampSchema, timestampDate } from "@bufbuild/protobuf/wkt";
import { toJson } from "./json.ts";

/** What Node, Deno and Bun call to print an object, in `console.log` and in `util.inspect`. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");
const REDACTED = "[redacted]";

/**
 * Lets `JSON.stringify` make of a response, or of any message in it, the JSON of the HTTP API, secrets included: without it, it
 * throws at the seconds of a `Timestamp`, which are a bigint. `console.log` prints the message as it is, without its secrets, and
 * a time as a `Date`.
 *
 * Each message gets members for these that neither `Object.keys` nor a comparison shows, and no copy has.
 */
export function makePrintable(schema: DescMessage, message: Message): void {
  addPrinters(reflect(schema, message, false));
}

function addPrinters(reflected: ReflectMessage): void {
  const { desc, message } = reflected;
  define(message, "toJSON", () => toJson(desc, message));
  if (isMessage(message, TimestampSchema)) define(message, INSPECT, () => timestampDate(message));
  const secrets = desc.fields.filter(({ proto }) => proto.options?.debugRedact === true);
  if (secrets.length > 0) {
    const redacted = Object.fromEntries(secrets.map(({ localName }) => [localName, REDACTED]));
    define(message, INSPECT, () => ({ ...message, ...redacted }));
  }
  for (const field of desc.fields) {
    if (field.message === undefined) continue;
    for (const part of partsOf(reflected, field)) if (isReflectMessage(part)) addPrinters(part);
  }
}

function define(message: Message, name: string | symbol, value: () => unknown): void {
  Object.defineProperty(message, name, { value, configurable: true, writable: true });
}

function partsOf(reflected: ReflectMessage, field: DescField): Iterable<unknown> {
  if (field.fieldKind === "list" || field.fieldKind === "map") return reflected.get(field).values();
  return reflected.isSet(field) ? [reflected.get(field)] : [];
}
