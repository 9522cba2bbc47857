import { type DescField, fromJson, type JsonValue } from "@bufbuild/protobuf";
import type { Option } from "commander";
import { UsageError } from "../exit-status.ts";
import { readOidc } from "../input/oidc-file.ts";
import { secretIn } from "../input/secret-source.ts";
import { hasMask, isJson, isSecret, type MemberOption, VALUES, wordOf } from "./member-options.ts";

/** What a caller writes in place of a value to clear it. */
const NOTHING: readonly unknown[] = ["none", "never"];

/** The members that replace all limits of a key but those of each user, for which no option is there. */
const LIMITS = ["requests_per_minute", "requests_per_hour", "burst_size"].map((cap) => `rate_limit.${cap}`);

/** The members of a request that the options give. A member that was not given is absent: the service rejects an empty filter. */
export function membersOf(options: readonly MemberOption[], given: Readonly<Record<string, unknown>>): object {
  const used = options.filter(({ option }) => option.negate !== true && given[option.attributeName()] !== undefined);
  const members = used
    .map(({ field, option }): [DescField, unknown] => [field, memberOf(field, option, given[option.attributeName()])])
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => [field.localName, value]);
  const changes = options.filter(({ option }) => !option.mandatory);
  const [first] = changes;
  if (first === undefined || !hasMask(first.field.parent)) return Object.fromEntries(members);
  const changed = used.filter((each) => changes.includes(each));
  if (changed.length === 0)
    throw new UsageError(`nothing to change: give at least one option, such as ${first.option.long}`);
  const mask = changed.flatMap(({ field }) => (field.message?.name === "RateLimit" ? LIMITS : field.name));
  return Object.fromEntries([...members, ["updateMask", mask.join(",")]]);
}

function memberOf(field: DescField, option: Option, value: unknown): unknown {
  const clears = field.fieldKind === "list" || field.fieldKind === "message";
  if (clears && NOTHING.includes(value)) return undefined;
  if (isJson(field)) return messageOf(field, option, value);
  if (typeof value !== "string") return value;
  if (field.enum !== undefined) return field.enum.values.find((each) => wordOf(each) === value)?.number;
  if (isSecret(field)) return secretIn(value, option.long ?? "");
  if (field.message?.name === "OidcConfig") return readOidc(value);
  if (field.message?.name === "PublishableConfig") return { oidc: readOidc(value) };
  return VALUES[field.name]?.[value] ?? value;
}

/** A message from its JSON, as the API has it. */
function messageOf({ message }: DescField, { long }: Option, value: unknown): unknown {
  if (message === undefined || message.typeName === "google.protobuf.Struct") return value;
  try {
    return fromJson(message, value as JsonValue);
  } catch (err) {
    throw err instanceof Error ? new UsageError(`${long} is not the JSON of a ${message.name}: ${err.message}`) : err;
  }
}
