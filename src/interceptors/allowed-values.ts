import { create, type DescEnum, type DescField, getOption } from "@bufbuild/protobuf";
import { INT32_MAX, INT32_MIN } from "@bufbuild/protobuf/wire";
import { Int32RulesSchema, field as rulesOption } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { kindOf } from "../domain/json-kind.ts";
import { PERMISSIONS_REQUIRED } from "../domain/keys/rules.ts";
import { NAME_REQUIRED } from "../domain/name.ts";
import { likely } from "../domain/nearest.ts";

const NO_BOUNDS = create(Int32RulesSchema);

/** What to send where a rule's bounds do not tell. Of a name that is there but blank, the domain says the same. */
const REQUIRED = new Map([
  ["name", NAME_REQUIRED],
  ["permissions", PERMISSIONS_REQUIRED],
  ["key_id", "is required: the identifier of a key, key_..."],
  ["user_message", "is required: the message, with its role and content"],
]);

/** What a field looks like that is often sent as something else, by its kind and name. */
const EXAMPLES = new Map([
  ["scalar update_mask", 'send the names in one string, such as "name,rate_limit"'],
  ["list permissions", 'send an array of scopes, such as ["conversations:read"]'],
  ["list scopes", 'send an array of scopes, such as ["conversations:read"]'],
  ["message rate_limit", 'send an object, such as {"requests_per_minute": 60}'],
  ["message user_message", 'send an object, such as {"role": "ROLE_USER", "content": [...]}'],
  ["list content", 'send an array of parts, such as [{"type": "CONTENT_PART_TYPE_TEXT", "content": "Hello"}]'],
]);

/** What type a field of JSON must be, and of some with an example. */
export function mustBeOfType(type: "a string" | "an array" | "an object", value: unknown, field: DescField): string {
  // An example of an array is none of its items.
  const isWhole = (field.fieldKind === "list") === (type === "an array");
  const example = isWhole ? EXAMPLES.get(`${field.fieldKind} ${field.name}`) : undefined;
  return `must be ${type}, not ${kindOf(value)}${example === undefined ? "" : `; ${example}`}`;
}

/**
 * What an enum's field must be, by the names of the values that the proto allows in it: a caller who is offered a value
 * that the field's rule then refuses has been told nothing.
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

/** What an integer's field must be, with both bounds: those of the field's rule, else those of its type. */
export function mustBeAllowedInteger(field: DescField): string {
  const { type } = getOption(field, rulesOption);
  const { greaterThan, lessThan } = type.case === "int32" ? type.value : NO_BOUNDS;
  const min = greaterThan.case === "gte" ? greaterThan.value : INT32_MIN;
  const max = lessThan.case === "lte" ? lessThan.value : INT32_MAX;
  return `must be an integer from ${min} to ${max}`;
}

/** What to send in a field that is required and empty. */
export function mustBePresent(field: DescField): string {
  const { type } = getOption(field, rulesOption);
  const known = REQUIRED.get(field.name);
  if (known !== undefined) return known;
  if (type.case === "string") return `is required: 1 to ${type.value.maxLen} characters`;
  return type.case === "repeated" ? `is required: 1 to ${type.value.maxItems} items` : "is required";
}
