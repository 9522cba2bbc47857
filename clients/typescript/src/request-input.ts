import { type DescField, type DescMessage, fromJson, type Message, type MessageShape } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { isObject } from "./plain-object.ts";
import type { CompletedLists, CompletedTexts, MaskMembers, Other } from "./vocabulary.ts";

/** A moment: a `Date`, a text such as `2030-01-31T12:00:00Z`, or a `Timestamp`. */
export type Moment = Date | string | Timestamp;

/** What a call takes for a message: the message, or an object with some of its members. */
export type RequestInput<Desc extends DescMessage> = Input<MessageShape<Desc>>;

/** A message itself is such an object. In a union with it, its plain texts would leave editors nothing to complete. */
type Input<T> = {
  [Name in keyof T]?: Name extends `$${string}` ? T[Name] : Name extends "updateMask" ? Mask<T> : Member<Name, T[Name]>;
};

type Mask<T> = string | readonly (MaskMember<T> | Other)[];

type MaskMember<T> = T extends { readonly $typeName: infer Type extends keyof MaskMembers } ? MaskMembers[Type] : never;

type Member<Name, Value> = Value extends string
  ? Name extends keyof CompletedTexts
    ? CompletedTexts[Name]
    : Value
  : Value extends readonly string[]
    ? readonly (Name extends keyof CompletedLists ? CompletedLists[Name] : string)[]
    : Value extends Timestamp
      ? Moment
      : Value extends readonly (infer Item)[]
        ? readonly Member<unknown, Item>[]
        : Value extends Message
          ? Input<Value>
          : Value;

const MASK = "update_mask";

/**
 * The input of a call with times as `Timestamp`s and masks as texts. Protobuf values stay as they are; so do texts that are not
 * times, for `checkInput` to refuse.
 */
export function withMessages(schema: DescMessage, input: unknown): unknown {
  if (schema.typeName === TimestampSchema.typeName) return toTimestamp(input);
  if (!isObject(input)) return input;
  let changed: Record<string, unknown> | undefined;
  for (const field of schema.fields) {
    const given = input[field.localName];
    const value = given === undefined || given === null ? given : memberWith(field, given);
    if (value !== given) changed = { ...(changed ?? input), [field.localName]: value };
  }
  return changed ?? input;
}

function memberWith(field: DescField, given: unknown): unknown {
  if (field.name === MASK && Array.isArray(given) && given.every((one) => typeof one === "string")) return given.join();
  if (field.message === undefined) return given;
  const { message } = field;
  if (field.fieldKind === "message") return withMessages(message, given);
  if (field.fieldKind !== "list" || !Array.isArray(given)) return given;
  const items = given.map((item) => withMessages(message, item));
  return items.some((item, index) => item !== given[index]) ? items : given;
}

function toTimestamp(given: unknown): unknown {
  try {
    if (given instanceof Date) return Number.isNaN(given.getTime()) ? given : timestampFromDate(given);
    return typeof given === "string" ? fromJson(TimestampSchema, given) : given;
  } catch {
    return given;
  }
}
