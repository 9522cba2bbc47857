import { type DescField, getOption, isFieldSet } from "@bufbuild/protobuf";
import {
  field as rulesOption,
  type StringRules,
  StringRulesSchema,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { invalid, type RequestFault } from "../domain/vocabulary/request-fault.ts";

/** Protovalidate checks texts up to this many UTF-16 units; it counts their characters one by one. */
const COUNTED_MAX = 4_096;
const bounds = new Map<DescField, number>();

/**
 * The fault of a text with more characters than its field's `max_len`, in protovalidate's words. It covers texts that are so
 * long that counting their characters would block the event loop. A character has at most two UTF-16 units.
 */
export function lengthFault(field: DescField, text: string, path: string): RequestFault | undefined {
  if (text.length <= COUNTED_MAX) return undefined;
  const max = charsMax(field);
  return text.length > 2 * max ? invalid(path, `must be at most ${max} characters`) : undefined;
}

/** The `max_len` of a text, or of each text in a list. Infinite if the schema has none. */
function charsMax(field: DescField): number {
  const known = bounds.get(field);
  if (known !== undefined) return known;
  const rules = stringRules(field);
  const max =
    rules !== undefined && isFieldSet(rules, StringRulesSchema.field.maxLen)
      ? Number(rules.maxLen)
      : Number.POSITIVE_INFINITY;
  bounds.set(field, max);
  return max;
}

function stringRules(field: DescField): StringRules | undefined {
  const { type } = getOption(field, rulesOption);
  const ofText = type.case === "repeated" ? type.value.items?.type : type;
  return ofText?.case === "string" ? ofText.value : undefined;
}
