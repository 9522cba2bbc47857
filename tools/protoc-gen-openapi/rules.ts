import { type DescField, getOption, isFieldSet } from "@bufbuild/protobuf";
import {
  type DoubleRules,
  type EnumRules,
  EnumRulesSchema,
  type FieldRules,
  field as fieldRules,
  type Int32Rules,
  type MapRules,
  MapRulesSchema,
  type RepeatedRules,
  RepeatedRulesSchema,
  type StringRules,
  StringRulesSchema,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { Narrowing, narrowing } from "../../gen/latchkey/v1/narrowing_pb.ts";
import type { JsonObject } from "./json.ts";

/** What a field's validation rules say in the words of JSON Schema. A rule without such a word, as CEL, is left out. */
export interface RuleKeywords {
  /** For the member itself. */
  readonly own: JsonObject;
  /** For each item of a list. */
  readonly items: JsonObject;
  /** For an enum: the only numbers allowed, if they are named one by one. */
  readonly enumNumbers: readonly number[] | undefined;
  /** Whether the rules refuse a message without the member: absent is zero, and zero is too short. */
  readonly required: boolean;
}

const NONE: RuleKeywords = { own: {}, items: {}, enumNumbers: undefined, required: false };

export function ruleKeywords(field: DescField): RuleKeywords {
  const rules = getOption(field, fieldRules);
  const keywords = typeKeywords(rules);
  const own = { ...narrowingKeywords(field), ...keywords.own };
  return { ...keywords, own, required: rules.required || keywords.required };
}

/** A member that narrows is left out, and never empty. */
function narrowingKeywords(field: DescField): JsonObject {
  if (getOption(field, narrowing) !== Narrowing.BY_ABSENCE) return {};
  const isList = field.fieldKind === "list" || field.message?.typeName === "google.protobuf.ListValue";
  if (isList) return { minItems: 1 };
  return field.fieldKind === "scalar" ? { minLength: 1 } : {};
}

function typeKeywords({ type }: FieldRules): RuleKeywords {
  switch (type.case) {
    case "string":
      return stringKeywords(type.value);
    case "int32":
    case "double":
      return { ...NONE, own: rangeKeywords(type.value) };
    case "enum":
      return enumKeywords(type.value);
    case "repeated":
      return listKeywords(type.value);
    case "map":
      return { ...NONE, own: mapKeywords(type.value) };
    default:
      return NONE;
  }
}

/** Both count characters as Unicode code points. */
function stringKeywords(rules: StringRules): RuleKeywords {
  const has = (name: "minLen" | "maxLen" | "pattern"): boolean => isFieldSet(rules, StringRulesSchema.field[name]);
  return {
    ...NONE,
    own: {
      ...(has("minLen") && { minLength: Number(rules.minLen) }),
      ...(has("maxLen") && { maxLength: Number(rules.maxLen) }),
      ...(has("pattern") && { pattern: rules.pattern }),
      ...(rules.in.length > 0 && { enum: rules.in }),
    },
    required: rules.minLen > 0n,
  };
}

function rangeKeywords({ greaterThan, lessThan }: Int32Rules | DoubleRules): JsonObject {
  return {
    ...(greaterThan.case === "gte" && { minimum: greaterThan.value }),
    ...(greaterThan.case === "gt" && { exclusiveMinimum: greaterThan.value }),
    ...(lessThan.case === "lte" && { maximum: lessThan.value }),
    ...(lessThan.case === "lt" && { exclusiveMaximum: lessThan.value }),
  };
}

function enumKeywords(rules: EnumRules): RuleKeywords {
  if (isFieldSet(rules, EnumRulesSchema.field.const)) {
    return { ...NONE, enumNumbers: [rules.const], required: rules.const !== 0 };
  }
  return rules.in.length === 0 ? NONE : { ...NONE, enumNumbers: rules.in, required: !rules.in.includes(0) };
}

function listKeywords(rules: RepeatedRules): RuleKeywords {
  const has = (name: "minItems" | "maxItems"): boolean => isFieldSet(rules, RepeatedRulesSchema.field[name]);
  return {
    ...NONE,
    own: {
      ...(has("minItems") && { minItems: Number(rules.minItems) }),
      ...(has("maxItems") && { maxItems: Number(rules.maxItems) }),
      ...(rules.unique && { uniqueItems: true }),
    },
    items: rules.items === undefined ? {} : typeKeywords(rules.items).own,
    required: rules.minItems > 0n,
  };
}

function mapKeywords(rules: MapRules): JsonObject {
  const has = (name: "minPairs" | "maxPairs"): boolean => isFieldSet(rules, MapRulesSchema.field[name]);
  return {
    ...(has("minPairs") && { minProperties: Number(rules.minPairs) }),
    ...(has("maxPairs") && { maxProperties: Number(rules.maxPairs) }),
  };
}
