import { type DescField, type DescMessage, type DescMethod, isMessage, type Message } from "@bufbuild/protobuf";
import { type Path, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { ListValueSchema, StructSchema, type Timestamp, TimestampSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { createValidator, type Violation } from "@bufbuild/protovalidate";
import { isKeptNumber, MUST_BE_KEPT } from "../domain/vocabulary/foreign-json.ts";
import { faultOf, invalid, RequestFault } from "../domain/vocabulary/request-fault.ts";
import { mustBeAllowedInteger, mustBeAllowedText, mustBeAllowedValue, mustBePresent } from "./allowed-values.ts";
import { emptyFault } from "./narrowing.ts";
import { textFault, yearFault } from "./storable-values.ts";
import { lengthFault } from "./text-length.ts";

const validator = createValidator();
/** Rules that only an absent or empty value violates. */
const REQUIRED_RULES: ReadonlySet<string> = new Set(["required", "string.min_len", "repeated.min_items"]);
const NANOS_MAX = 999_999_999;
/** Free JSON. A fault of it has the path of the member that it is in, as of a JSON body. */
const FREE_JSON: ReadonlySet<string> = new Set(
  [StructSchema, ListValueSchema, ValueSchema].map((schema) => schema.typeName),
);

/** Compiles the rules of every request message. That takes tens of milliseconds, for which no caller should wait. */
export function warmUpValidation(methods: Iterable<DescMethod>): void {
  for (const method of methods) validator.validate(method.input, reflect(method.input).message);
}

/** Checks the protovalidate rules of the proto. Throws `RequestFault`. */
export function validateMessage(schema: DescMessage, message: Message): void {
  const result = validator.validate(schema, message);
  if (result.kind === "error") throw result.error;
  if (result.kind === "invalid") {
    const [first] = result.violations;
    if (first !== undefined) throw violationFault(first);
  }
}

/**
 * Rejects texts that are far too long or that PostgreSQL cannot store, and instants outside the range that we store. For a
 * JSON body, `transport/request/json/strict-json.ts` has already checked this. Throws `RequestFault`.
 */
export function checkValues(schema: DescMessage, message: Message): void {
  const fault = valueFault(reflect(schema, message), "");
  if (fault !== undefined) throw fault;
}

/**
 * The first fault in the message: a text that is too long, has a NUL or lone surrogate, or is empty where that would widen the
 * request; a number that is not kept; a timestamp out of range.
 */
function valueFault(message: ReflectMessage, path: string): RequestFault | undefined {
  if (isMessage(message.message, TimestampSchema)) return timestampFault(message.message, path);
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    const isFree = FREE_JSON.has(message.desc.typeName);
    const at = isFree ? path : path === "" ? field.jsonName : `${path}.${field.jsonName}`;
    for (const [suffix, value] of entries(message, field)) {
      const fault = faultIn(field, value, isFree ? at : at + suffix);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function faultIn(field: DescField, value: unknown, path: string): RequestFault | undefined {
  if (typeof value === "string")
    return lengthFault(field, value, path) ?? textFault(value, path) ?? emptyFault(field, value, path);
  if (typeof value === "number") return isKeptNumber(value) ? undefined : invalid(path, MUST_BE_KEPT);
  return isReflect(value) ? valueFault(value, path) : undefined;
}

/** The values of a field, each with the suffix that it adds to the field's path. Of a map, also its keys. */
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
      return;
    case "enum":
      return;
    default:
      return field satisfies never;
  }
}

function timestampFault({ seconds, nanos }: Timestamp, path: string): RequestFault | undefined {
  if (nanos < 0 || nanos > NANOS_MAX) return invalid(path, `must have nanos from 0 to ${NANOS_MAX}`);
  return yearFault(new Date(Number(seconds) * 1_000).getUTCFullYear(), path);
}

function isReflect(value: unknown): value is ReflectMessage {
  return typeof value === "object" && value !== null && "desc" in value && "message" in value;
}

/** The path of the violated field, in JSON names. */
function jsonPath(path: Path): string {
  let text = "";
  for (const step of path) {
    switch (step.kind) {
      case "field":
        text += (text === "" ? "" : ".") + step.jsonName;
        break;
      case "list_sub":
        text += `[${step.index}]`;
        break;
      case "map_sub":
        text += `[${JSON.stringify(String(step.key))}]`;
        break;
      case "oneof":
      case "extension":
        // The contract has neither, and JSON has no member for them.
        break;
      default:
        return step satisfies never;
    }
  }
  return text;
}

function violationFault(violation: Violation): RequestFault {
  const path = jsonPath(violation.field);
  const reason = REQUIRED_RULES.has(violation.ruleId) ? "required" : "invalid_value";
  return path === "" ? new RequestFault(reason, problem(violation)) : faultOf(reason, path, problem(violation));
}

function problem(violation: Violation): string {
  const field = violation.field.at(-1);
  if (field?.kind !== "field") return violation.message;
  if (field.fieldKind === "enum") return mustBeAllowedValue(field);
  if (violation.ruleId.startsWith("int32.")) return mustBeAllowedInteger(field);
  if (violation.ruleId === "string.in") return mustBeAllowedText(field);
  return REQUIRED_RULES.has(violation.ruleId) ? mustBePresent(field) : violation.message;
}
