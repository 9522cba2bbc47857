import { create, type DescEnum, type DescField, getOption } from "@bufbuild/protobuf";
import { INT32_MAX, INT32_MIN } from "@bufbuild/protobuf/wire";
import { Int32RulesSchema, field as rulesOption } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { PERMISSIONS_REQUIRED } from "../domain/keys/rules.ts";
import { NAME_REQUIRED } from "../domain/name.ts";

const NO_BOUNDS = create(Int32RulesSchema);

/** What to send where a rule's bounds do not tell. Of a name that is there but blank, the domain says the same. */
const REQUIRED = new Map([
  ["name", NAME_REQUIRED],
  ["permissions", PERMISSIONS_REQUIRED],
  ["key_id", "is required: the identifier of a key, key_..."],
  ["user_message", "is required: the message, with its role and content"],
]);

/**
 * What an enum's field must be, by the names of the values that the proto allows in it: a caller who is offered a value
 * that the field's rule then refuses has been told nothing.
 */
export function mustBeAllowedValue(field: DescField & { readonly enum: DescEnum }): string {
  const { type } = getOption(field, rulesOption);
  const only = type.case === "enum" && type.value.const !== 0 ? type.value.const : undefined;
  const allowed = field.enum.values.filter(({ number }) => (only === undefined ? number !== 0 : number === only));
  const names = allowed.map(({ name }) => name);
  return names.length === 1 ? `must be ${names[0]}` : `must be one of ${names.join(", ")}`;
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
export function mustBeThere(field: DescField): string {
  const { type } = getOption(field, rulesOption);
  const known = REQUIRED.get(field.name);
  if (known !== undefined) return known;
  if (type.case === "string") return `is required: 1 to ${type.value.maxLen} characters`;
  return type.case === "repeated" ? `is required: 1 to ${type.value.maxItems} items` : "is required";
}
