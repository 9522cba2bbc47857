import { type DescField, type DescMessage, type DescOneof, getOption, ScalarType } from "@bufbuild/protobuf";
import { isFieldError, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { ListValueSchema, StructSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { Narrowing, narrowing as narrowingOption } from "./gen/latchkey/v1/narrowing_pb.ts";
import { isObject, kindOf } from "./plain-object.ts";
import { memberPath, unknownMember, unknownName } from "./unknown-member.ts";

/** The members of a message beside those of its schema. */
const OWN_MEMBERS: readonly string[] = ["$typeName", "$unknown"];

/**
 * Throws a `ConnectError` with code `invalid_argument` for what plain JavaScript may give in place of a message: a member that
 * the schema does not know, or a value of another type.
 *
 * Protobuf drops most of these without an error. A key would be created without the limit that stands under `rate_limit`, or
 * in a `Map`, or that is `NaN`. Absent is `undefined`, and, for a member that the schema knows, `null`; but a member that narrows
 * the request must not be `null`, or empty: Protobuf would send nothing, and the request would do more.
 */
export function checkInput(schema: DescMessage, input: unknown, path = ""): void {
  if (!isObject(input)) throw invalid(path, `must be ${nameOf(schema)}, not ${kindOf(input)}`);
  const probe = reflect(schema);
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || OWN_MEMBERS.includes(name)) continue;
    const at = memberPath(path, name);
    const member = schema.members.find(({ localName }) => localName === name);
    if (member === undefined) throw invalid(at, unknownMember(schema, name, path));
    if (member.kind === "field") refuseEmpty(member, value, at);
    if (value === null) continue;
    if (member.kind === "oneof") checkOneof(probe, member, value, at);
    else checkField(probe, member, value, at);
  }
}

/** The service refuses an empty text itself. Lists and `null` do not reach it. */
function refuseEmpty(field: DescField, value: unknown, path: string): void {
  const isEmptyList = Array.isArray(value) && value.length === 0;
  if (value !== null && !isEmptyList && value !== "") return;
  const narrowing = getOption(field, narrowingOption);
  if (narrowing === Narrowing.UNSPECIFIED || (narrowing === Narrowing.BY_VALUE && value !== null)) return;
  throw invalid(path, `must not be ${value === null ? "null" : "empty"}; leave it out if nothing is to be narrowed`);
}

/** One of several members, as `{ case, value }`. */
function checkOneof(probe: ReflectMessage, oneof: DescOneof, given: unknown, path: string): void {
  if (!isObject(given)) throw invalid(path, `must be an object with case and value, not ${kindOf(given)}`);
  for (const name of Object.keys(given)) {
    const names = ["case", "value"];
    if (!names.includes(name)) throw invalid(memberPath(path, name), unknownName(name, names, "this object"));
  }
  if (given.case === undefined || given.case === null) return;
  const field = oneof.fields.find(({ localName }) => localName === given.case);
  if (field === undefined) {
    const names = oneof.fields.map(({ localName }) => localName);
    throw invalid(`${path}.case`, unknownName(String(given.case), names, "it"));
  }
  checkField(probe, field, given.value, `${path}.value`);
}

function checkField(probe: ReflectMessage, field: DescField, value: unknown, path: string): void {
  switch (field.fieldKind) {
    case "message":
      if (field.message.typeName !== StructSchema.typeName) checkInput(field.message, value, path);
      else if (isObject(value)) checkJson(value, path);
      else throw invalid(path, `must be an object, not ${kindOf(value)}`);
      break;
    case "list":
      if (!Array.isArray(value)) throw invalid(path, `must be an array, not ${kindOf(value)}`);
      for (const [index, item] of value.entries()) {
        const at = `${path}[${index}]`;
        if (field.listKind === "message") checkInput(field.message, item, at);
        else checkValue(field, item, at, () => probe.get(field).add(item));
      }
      break;
    case "map":
      if (!isObject(value)) throw invalid(path, `must be an object, not ${kindOf(value)}`);
      for (const [key, item] of Object.entries(value)) {
        const at = memberPath(path, key);
        if (field.mapKind === "message") checkInput(field.message, item, at);
        else checkValue(field, item, at, () => probe.get(field).set(key, item));
      }
      break;
    default:
      checkValue(field, value, path, () => probe.set(field, value));
  }
}

/** Free JSON, which is sent as it is. */
function checkJson(value: unknown, path: string): void {
  if (value === null || typeof value === "boolean" || typeof value === "string" || Number.isFinite(value)) return;
  if (Array.isArray(value)) for (const [index, item] of value.entries()) checkJson(item, `${path}[${index}]`);
  else if (isObject(value)) for (const [name, item] of Object.entries(value)) checkJson(item, memberPath(path, name));
  else throw invalid(path, `must be JSON, not ${kindOf(value)}`);
}

/** Protobuf's own check of a scalar or an enum, in other words: its own repeat the value, whatever that is. */
function checkValue(field: DescField, value: unknown, path: string, put: () => void): void {
  try {
    put();
  } catch (err) {
    if (!isFieldError(err)) throw err;
    const isText = field.scalar === ScalarType.STRING && typeof value === "string";
    const problem = isText ? "must not hold half of a surrogate pair, as a text that was cut does" : undefined;
    throw invalid(path, problem ?? `must be ${typeOf(field)}, not ${kindOf(value)}`);
  }
}

function typeOf({ enum: desc, scalar = ScalarType.STRING }: DescField): string {
  if (desc === undefined) return `of type ${ScalarType[scalar].toLowerCase()}`;
  const example = desc.values.find(({ number }) => number !== 0)?.localName;
  return `a value of ${desc.name}, such as ${desc.name}.${example}`;
}

function nameOf(schema: DescMessage): string {
  if (schema.typeName === TimestampSchema.typeName)
    return `a time: a Date, a text such as "2030-01-31T12:00:00Z", or a Timestamp`;
  if (schema.typeName === ListValueSchema.typeName) return "a ListValue, which jsonList makes of an array";
  return "an object";
}

function invalid(path: string, problem: string): ConnectError {
  return new ConnectError(`${path === "" ? "the request" : path}: ${problem}`, Code.InvalidArgument);
}
