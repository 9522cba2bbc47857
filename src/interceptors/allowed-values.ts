import { create, type DescEnum, type DescField, getOption } from "@bufbuild/protobuf";
import { INT32_MAX, INT32_MIN } from "@bufbuild/protobuf/wire";
import { Int32RulesSchema, field as rulesOption } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { PERMISSIONS_REQUIRED } from "../domain/keys/rules.ts";
import { kindOf } from "../domain/vocabulary/json-kind.ts";
import { NAME_REQUIRED } from "../domain/vocabulary/name.ts";
import { likely } from "../domain/vocabulary/nearest.ts";

const NO_BOUNDS = create(Int32RulesSchema);

/** Messages for required fields whose rule does not say what to send. The domain uses the same message for a blank name. */
const REQUIRED = new Map([
  ["name", NAME_REQUIRED],
  ["permissions", PERMISSIONS_REQUIRED],
  ["key_id", "is required: the identifier of a key, key_..."],
  ["user_message", "is required: the message, with its role and content"],
]);

/** Examples of fields that clients often send with a wrong type, by kind and name. */
const EXAMPLES = new Map([
  ["scalar update_mask", 'send the names in one string, such as "name,rate_limit"'],
  ["list permissions", 'send an array of scopes, such as ["conversations:read"]'],
  ["list scopes", 'send an array of scopes, such as ["conversations:read"]'],
  ["message rate_limit", 'send an object, such as {"requests_per_minute": 60}'],
  ["message user_message", 'send an object, such as {"role": "ROLE_USER", "content": [...]}'],
  ["list content", 'send an array of parts, such as [{"type": "CONTENT_PART_TYPE_TEXT", "content": "Hello"}]'],
]);

/** Says what JSON type a field must have; for some fields, with an example. */
export function mustBeOfType(type: "a string" | "an array" | "an object", value: unknown, field: DescField): string {
  // The example of a list shows the whole array, so it does not fit a single item.
  const isWhole = (field.fieldKind === "list") === (type === "an array");
  const example = isWhole ? EXAMPLES.get(`${field.fieldKind} ${field.name}`) : undefined;
  return `must be ${type}, not ${kindOf(value)}${example === undefined ? "" : `; ${example}`}`;
}

/**
 * Says which values an enum field may have. Names only values that the field's rule accepts: a suggestion that is then
 * rejected would not help the caller.
 */
export function mustBeAllowedValue(field: DescField & { readonly enum: DescEnum }, sent?: unknown): string {
  const { type } = getOption(field, rulesOption);
  const only = type.case === "enum" && type.value.const !== 0 ? type.value.const : undefined;
  const allowed = field.enum.values.filter(({ number }) => (only === undefined ? number !== 0 : number === only));
  const names = allowed.map(({ name }) => name);
  if (names.length === 1) return `must be ${names[0]}`;
  const meant = typeof sent === "string" && sent !== "" ? likely(sent, names) : undefined;
  return `must be one of ${names.join(", ")}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

/** Says which texts a field may have. */
export function mustBeAllowedText(field: DescField): string {
  const { type } = getOption(field, rulesOption);
  return `must be one of ${type.case === "string" ? type.value.in.join(", ") : ""}`;
}

/** Says the range of an integer field: the bounds of its rule, else those of its type. */
export function mustBeAllowedInteger(field: DescField): string {
  const { type } = getOption(field, rulesOption);
  const { greaterThan, lessThan } = type.case === "int32" ? type.value : NO_BOUNDS;
  const min = greaterThan.case === "gte" ? greaterThan.value : INT32_MIN;
  const max = lessThan.case === "lte" ? lessThan.value : INT32_MAX;
  return `must be an integer from ${min} to ${max}`;
}

/** Says what to send in a required field that is absent or empty. */
export function mustBePresent(field: DescField): string {
  const { type } = getOption(field, rulesOption);
  const known = REQUIRED.get(field.name);
  if (known !== undefined) return known;
  if (type.case === "string") return `is required: 1 to ${type.value.maxLen} characters`;
  return type.case === "repeated" ? `is required: 1 to ${type.value.maxItems} items` : "is required";
}
