import { type DescField, type DescMessage, type DescOneof, ScalarType } from "@bufbuild/protobuf";
import type { Random } from "../random.ts";

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type JsonMembers = { readonly [name: string]: Json };

/** Values that a member of a name may have, where its type alone says too little, such as ids of existing keys. */
export type Names = (member: string) => readonly string[] | undefined;

const DEPTH_MAX = 4;
const ENUM_VALUE = /^[A-Z]+(?:_[A-Z]+)+$/;
const TEXTS = ["", "a", "Acme", "jo@example.com", "name,rate_limit", "day", "\u00e9\u{1f600}", " ", "x".repeat(300)];
const INSTANTS = [
  "2026-01-31T12:00:00Z",
  "2030-01-31T12:00:00.123456789Z",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
];
const NUMBERS = [0, 1, 2, 5, 20, 60, 100, 1_000, 1_000_000, 2_147_483_647, -1, -2_147_483_648];
const LARGE_NUMBERS = ["0", "1", "2", "1767225600000", "9007199254740993", "9223372036854775807"];
const FREE: readonly Json[] = [
  null,
  true,
  1.5,
  "text",
  [],
  {},
  [1, "a", { b: null }],
  { team: "a", deep: { er: [0] } },
];

/** A message in JSON: each member has a value of its type, and none that a parser would refuse. Rules are broken now and then. */
export function messageFor(schema: DescMessage, names: Names, random: Random, depth = 0): JsonMembers {
  const members: Record<string, Json> = {};
  const share = random.pick([0, 0.3, 0.3, 0.6, 1]);
  const chosen = new Set<DescOneof>();
  for (const field of schema.fields) {
    if (depth >= DEPTH_MAX || !random.chance(share)) continue;
    // Of a `oneof` one alone, or there would be no such message.
    if (field.oneof !== undefined && chosen.has(field.oneof)) continue;
    if (field.oneof !== undefined) chosen.add(field.oneof);
    members[field.jsonName] = valueFor(field, names, random, depth);
  }
  return members;
}

/** The same message with ids and URLs of this run in place of an example's. */
export function withNames(value: Json, names: Names, random: Random, member = ""): Json {
  if (typeof value === "string") {
    const known = names(member);
    return known === undefined || ENUM_VALUE.test(value) ? value : random.pick(known);
  }
  if (Array.isArray(value)) return value.map((item: Json) => withNames(item, names, random, member));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withNames(item, names, random, name)]));
}

function valueFor(field: DescField, names: Names, random: Random, depth: number): Json {
  switch (field.fieldKind) {
    case "list":
      return Array.from({ length: random.pick([0, 1, 1, 2, 5]) }, () => itemFor(field, names, random, depth));
    case "map":
      return Object.fromEntries(
        Array.from({ length: random.below(3) }, (_, n) => [`name${n}`, itemFor(field, names, random, depth)]),
      );
    default:
      return itemFor(field, names, random, depth);
  }
}

/** A value of the field, or of one item of its list or map. */
function itemFor(field: DescField, names: Names, random: Random, depth: number): Json {
  if (field.message !== undefined) return ofMessage(field.message, names, random, depth);
  if (field.enum !== undefined) return random.pick(field.enum.values).name;
  switch (field.scalar) {
    case ScalarType.STRING:
      return random.pick(names(field.jsonName) ?? TEXTS);
    case ScalarType.BOOL:
      return random.chance(0.5);
    case ScalarType.INT32:
      // A wait that is allowed only costs time.
      return field.name === "wait_ms" ? random.pick([0, 0, 20, -1, 2_147_483_647]) : random.pick(NUMBERS);
    case ScalarType.UINT32:
      return random.pick([0, 1, 443, 65_536, 4_294_967_295]);
    case ScalarType.INT64:
      return random.pick(LARGE_NUMBERS);
    case ScalarType.BYTES:
      return Buffer.from(random.pick(TEXTS)).toString("base64");
    case ScalarType.DOUBLE:
      return random.pick(NUMBERS);
    default:
      throw new Error(`requests have no ${ScalarType[field.scalar ?? ScalarType.STRING]}: add it here`);
  }
}

function ofMessage(message: DescMessage, names: Names, random: Random, depth: number): Json {
  switch (message.typeName) {
    case "google.protobuf.Timestamp":
      return random.pick(INSTANTS);
    case "google.protobuf.Struct":
      return { value: random.pick(FREE) };
    case "google.protobuf.ListValue":
      return [random.pick(FREE)];
    case "google.protobuf.Value":
      return random.pick(FREE);
    case "google.protobuf.Any":
      return {};
    default:
      return messageFor(message, names, random, depth + 1);
  }
}
