import { isUtf8 } from "node:buffer";
import { type DescEnum, type DescField, type DescMessage, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { INT32_MAX, INT32_MIN } from "@bufbuild/protobuf/wire";
import { ListValueSchema, StructSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { METADATA_DEPTH_MAX } from "../../../domain/credentials/metadata.ts";
import { duplicateMember, type MemberPath } from "../../../domain/vocabulary/duplicate-member.ts";
import { isKeptNumber, MUST_BE_KEPT, parseForeignJson } from "../../../domain/vocabulary/foreign-json.ts";
import { kindOf } from "../../../domain/vocabulary/json-kind.ts";
import { isJsonObject } from "../../../domain/vocabulary/json-object.ts";
import { faultOf, invalid, quotable, RequestFault } from "../../../domain/vocabulary/request-fault.ts";
import { mustBeAllowedInteger, mustBeAllowedValue, mustBeOfType } from "../../../interceptors/allowed-values.ts";
import { emptyFault } from "../../../interceptors/narrowing.ts";
import { textFault, yearFault } from "../../../interceptors/storable-values.ts";
import { lengthFault } from "../../../interceptors/text-length.ts";
import { fieldOf, unknownMember } from "../../../interceptors/unknown-member.ts";
import { limitJson } from "../body-structure.ts";
import { syntaxFaultAt, syntaxHint } from "./syntax-fault.ts";
import { timestampProblem } from "./timestamp-problem.ts";

/** Objects and arrays within each other in a free value. */
const FREE_DEPTH_MAX = METADATA_DEPTH_MAX;
const LINE_FEED = 0x0a;
const DECIMAL = /^-?(0|[1-9][0-9]*)$/;
const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.\d{1,9})?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

type Json = unknown;

/**
 * Checks a JSON body against its request message more strictly than protojson does, and names the invalid member. Returns
 * the parsed JSON, which protojson then converts to a message. Throws `RequestFault`.
 *
 * protojson reads `2026-02-30` as 2 March and `"0x10"` as 16, replaces invalid UTF-8, and does not explain what is wrong
 * with a timestamp.
 */
export function checkJson(schema: DescMessage, body: Uint8Array, ignoreUnknownMembers: boolean): JsonValue {
  limitJson(schema, body);
  const value = parse(schema, decode(body));
  checkMessage(schema, value, "", ignoreUnknownMembers);
  return value;
}

function decode(body: Uint8Array): string {
  if (!isUtf8(body)) throw malformed("must be valid UTF-8");
  // `toString` keeps a byte order mark, which a TextDecoder would drop.
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
}

function parse(schema: DescMessage, text: string): JsonValue {
  const value = parseText(text);
  const duplicate = duplicateMember(text);
  if (duplicate !== undefined) {
    throw faultOf(
      "duplicate_member",
      memberName(pathText(schema, duplicate)),
      "is given twice in one object; send it once",
    );
  }
  return value;
}

function parseText(text: string): JsonValue {
  try {
    // Values of JSON, and NaN, which the checks below refuse.
    return parseForeignJson(text) as JsonValue;
  } catch {
    throw malformed(text.trim() === "" ? "is empty; send a JSON object, {} at least" : syntaxProblem(text));
  }
}

/** The fault of the whole body, which is in no member. */
function malformed(problem: string): RequestFault {
  return new RequestFault("malformed_body", `body: ${problem}`);
}

/** Describes a syntax error without quoting the text, which may hold a secret. */
function syntaxProblem(text: string): string {
  const at = syntaxFaultAt(text) ?? text.length;
  if (at === text.length) return "must be valid JSON; it ends too early";
  // Counted without an array of the lines: a body may have a million of them.
  let line = 1;
  for (let index = 0; index < at; index++) if (text.charCodeAt(index) === LINE_FEED) line++;
  const column = at === 0 ? 1 : at - text.lastIndexOf("\n", at - 1);
  return `must be valid JSON; what stands at line ${line}, column ${column} is not${syntaxHint(text, at)}`;
}

/** A path in the form that the checks below use: `a.b[0]`, and `a["b"]` for an entry of a map. */
function pathText(schema: DescMessage, path: MemberPath): string {
  let text = "";
  let message: DescMessage | undefined = schema;
  let field: DescField | undefined;
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (field?.fieldKind === "map") text += `[${JSON.stringify(step)}]`;
    else {
      text += text === "" ? step : `.${step}`;
      field = message && fieldOf(message, step);
      message = field?.message;
    }
  }
  return text;
}

/** A member's name in a form that a message can show, also if it is empty. */
function memberName(name: string): string {
  return name === "" ? '""' : quotable(name);
}

function checkMessage(schema: DescMessage, value: Json, path: string, ignoreUnknown: boolean): void {
  if (schema.typeName === TimestampSchema.typeName) {
    checkTimestamp(value, path);
    return;
  }
  if (!isJsonObject(value)) throw path === "" ? malformed(notAnObject(value)) : invalid(path, notAnObject(value));
  const seen = new Set<DescField>();
  for (const [member, memberValue] of Object.entries(value)) {
    const at = path === "" ? member : `${path}.${member}`;
    const field = fieldOf(schema, member);
    if (field === undefined) {
      if (ignoreUnknown) continue;
      throw faultOf("unknown_member", memberName(at), unknownMember(schema, member, path));
    }
    if (seen.has(field))
      throw faultOf("duplicate_member", memberName(at), "is given twice, in two spellings; send it once");
    seen.add(field);
    if (member !== field.jsonName && member !== field.name) rename(value, member, field);
    const empty = emptyFault(field, memberValue, at);
    if (empty !== undefined) throw empty;
    if (memberValue !== null) checkField(field, memberValue, at, ignoreUnknown);
  }
}

/** Spells a member in camelCase as protojson knows it. `__proto__` is not a field. */
function rename(value: Record<string, unknown>, member: string, { jsonName }: DescField): void {
  value[jsonName] = value[member];
  delete value[member];
}

/** A string that holds an object was encoded as JSON twice. */
function notAnObject(value: Json): string {
  const isEncodedTwice = typeof value === "string" && value.trimStart().startsWith("{");
  return `must be a JSON object, not ${kindOf(value)}${isEncodedTwice ? "; it was encoded as JSON twice, encode it once" : ""}`;
}

function checkField(field: DescField, value: Json, path: string, ignoreUnknown: boolean): void {
  switch (field.fieldKind) {
    case "list":
      if (!Array.isArray(value)) throw invalid(path, mustBeOfType("an array", value, field));
      for (const [index, item] of value.entries()) {
        const at = `${path}[${index}]`;
        if (field.listKind === "message") checkMessage(field.message, item, at, ignoreUnknown);
        else if (field.listKind === "enum") checkEnum(field, item, at);
        else checkScalar(field, item, at);
      }
      return;
    case "map":
      checkMap(field, value, path);
      return;
    case "message":
      if (field.message.typeName === ListValueSchema.typeName) {
        if (!Array.isArray(value)) throw invalid(path, mustBeOfType("an array", value, field));
        checkFreeJson(value, path, 0);
        return;
      }
      if (field.message.typeName !== TimestampSchema.typeName && !isJsonObject(value)) {
        throw invalid(path, mustBeOfType("an object", value, field));
      }
      if (field.message.typeName === StructSchema.typeName) {
        checkFreeJson(value, path, 0);
        return;
      }
      checkMessage(field.message, value, path, ignoreUnknown);
      return;
    case "enum":
      checkEnum(field, value, path);
      return;
    case "scalar":
      checkScalar(field, value, path);
      return;
    default:
      field satisfies never;
  }
}

/** A value whose form the schema leaves to the domain. Deeper ones could overflow the stack. */
function checkFreeJson(value: Json, path: string, depth: number): void {
  if (typeof value === "string") checkString(value, path);
  if (typeof value === "number" && !isKeptNumber(value)) throw invalid(path, MUST_BE_KEPT);
  if (typeof value !== "object" || value === null) return;
  if (depth >= FREE_DEPTH_MAX) throw invalid(path, `must be nested at most ${FREE_DEPTH_MAX} levels deep`);
  for (const [name, item] of Object.entries(value)) {
    checkString(name, path);
    checkFreeJson(item, path, depth + 1);
  }
}

function checkMap(field: DescField & { fieldKind: "map" }, value: Json, path: string): void {
  if (!isJsonObject(value)) throw invalid(path, `must be a JSON object, not ${kindOf(value)}`);
  for (const [key, item] of Object.entries(value)) {
    checkString(key, path);
    if (field.mapKind === "scalar") checkScalar(field, item, quotable(`${path}[${JSON.stringify(key)}]`));
  }
}

function checkScalar(field: DescField & { readonly scalar: ScalarType }, value: Json, path: string): void {
  switch (field.scalar) {
    case ScalarType.STRING:
      if (typeof value !== "string") throw invalid(path, mustBeOfType("a string", value, field));
      checkString(value, path, field);
      return;
    case ScalarType.BOOL:
      if (typeof value !== "boolean") throw invalid(path, `must be true or false, not ${kindOf(value)}`);
      return;
    default:
      checkInteger(field, value, path);
  }
}

/** `field` is undefined for the key of a map. */
function checkString(value: string, path: string, field?: DescField): void {
  const fault = (field && lengthFault(field, value, path)) ?? textFault(value, path);
  if (fault !== undefined) throw fault;
}

/** Also accepts an integer as a string, as protojson does, but only in plain decimal digits. */
function checkInteger(field: DescField, value: Json, path: string): void {
  const number = typeof value === "string" && DECIMAL.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= INT32_MIN && number <= INT32_MAX) return;
  const isOtherText = typeof value === "string" && number === value;
  throw invalid(
    path,
    mustBeAllowedInteger(field) +
      (isOtherText ? "; a string must hold plain decimal digits" : `, not ${numberOrKind(number)}`),
  );
}

/** A number that a double does not hold is NaN, which the caller did not send. */
function numberOrKind(value: Json): string {
  if (typeof value !== "number") return kindOf(value);
  return isKeptNumber(value) ? String(value) : "a number far beyond these";
}

function checkEnum(field: DescField & { readonly enum: DescEnum }, value: Json, path: string): void {
  const known = field.enum.values.some(({ name, number }) => value === name || value === number);
  if (!known) throw invalid(path, mustBeAllowedValue(field, value));
}

function checkTimestamp(value: Json, path: string): void {
  const parts = typeof value === "string" ? RFC_3339.exec(value) : null;
  if (parts === null) {
    throw invalid(path, timestampProblem(value));
  }
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number);
  const local = new Date(0);
  local.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day ?? 0);
  if (local.getUTCMonth() + 1 !== month || local.getUTCDate() !== day) {
    throw invalid(path, "is a date that does not exist in the calendar");
  }
  const sign = parts[7] === "-" ? -1 : 1;
  local.setUTCHours(
    (hour ?? 0) - sign * Number(parts[8] ?? 0),
    (minute ?? 0) - sign * Number(parts[9] ?? 0),
    second ?? 0,
  );
  // The calendar has no year 0000, even if the instant is in the year 0001 in UTC.
  const fault = yearFault(year === 0 ? year : local.getUTCFullYear(), path);
  if (fault !== undefined) throw fault;
}
