import { type DescEnum, type DescField, getOption } from "@bufbuild/protobuf";
import { field as rulesOption } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

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
