import { type DescMessage, isMessage, type Message } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { TimestampSchema, timestampDate } from "@bufbuild/protobuf/wkt";
import { invalid, type RequestFault } from "../domain/request-fault.ts";

const YEAR_MIN = 1;
const YEAR_MAX = 9_998;

/**
 * Checks of a message that came in binary what `strict-json.ts` checks of one in JSON: text that PostgreSQL cannot hold,
 * and instants that a Date cannot tell apart from nonsense. Throws `RequestFault`.
 */
export function checkValues(schema: DescMessage, message: Message): void {
  const fault = faultOf(reflect(schema, message), "");
  if (fault !== undefined) throw fault;
}

/** The first string with a NUL or a lone surrogate, or timestamp out of range, anywhere in the message. */
function faultOf(message: ReflectMessage, path: string): RequestFault | undefined {
  if (isMessage(message.message, TimestampSchema)) return timestampFault(timestampDate(message.message), path);
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    const at = path === "" ? field.jsonName : `${path}.${field.jsonName}`;
    for (const [suffix, value] of entries(message, field)) {
      const fault =
        typeof value === "string"
          ? stringFault(value, at + suffix)
          : isReflect(value)
            ? faultOf(value, at + suffix)
            : undefined;
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

/** The values of a field with the suffix each adds to the field's path; of a map its keys too. */
function* entries(
  message: ReflectMessage,
  field: ReflectMessage["fields"][number],
): Generator<readonly [suffix: string, value: unknown]> {
  switch (field.fieldKind) {
    case "list":
      for (const [index, item] of [...message.get(field)].entries()) yield [`[${index}]`, item];
      return;
    case "map":
      for (const [key, value] of message.get(field)) {
        yield ["", key];
        yield ["", value];
      }
      return;
    case "scalar":
    case "message":
      yield ["", message.get(field)];
  }
}

function stringFault(value: string, path: string): RequestFault | undefined {
  if (value.includes("\0")) return invalid(path, "must not contain the NUL character");
  return value.isWellFormed() ? undefined : invalid(path, "must not contain a lone surrogate");
}

function timestampFault(instant: Date, path: string): RequestFault | undefined {
  const year = instant.getUTCFullYear();
  return year >= YEAR_MIN && year <= YEAR_MAX
    ? undefined
    : invalid(path, "must be a timestamp within the years 0001 to 9998");
}

function isReflect(value: unknown): value is ReflectMessage {
  return typeof value === "object" && value !== null && "desc" in value && "message" in value;
}
