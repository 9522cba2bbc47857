import type { DescMessage } from "@bufbuild/protobuf";
import { likely } from "./nearest.ts";

/** What other APIs call our members, where no spelling leads from the one to the other. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["scope", "permissions"],
  ["scopes", "permissions"],
  ["roles", "permissions"],
  ["type", "keyType"],
  ["limit", "perPage"],
  ["size", "perPage"],
  ["page_size", "perPage"],
  ["pageSize", "perPage"],
  ["ttl", "expiresAt"],
  ["rpm", "requestsPerMinute"],
  ["rph", "requestsPerHour"],
]);
/** A name that is longer is not repeated whole: it may be a value that took the place of its name. */
const SHOWN_CHARS_MAX = 64;

/** The hint for an unknown member of a message, in the terms of the HTTP API. `path` is the place of the message. */
export function unknownMember(schema: DescMessage, member: string, path: string): string {
  const names = schema.members.map(({ localName }) => localName);
  const other = OTHER_NAMES.get(member);
  // Its own member in another spelling, before one of the same name further inside.
  const own = schema.fields.find(({ name, jsonName }) => name === member || jsonName === member)?.localName;
  const meant = names.find((name) => name === own || name === other);
  const place = meant === undefined ? placeOf(schema, member) : undefined;
  if (place !== undefined) return `is unknown here; it belongs into ${memberPath(path, place)}`;
  return unknownName(member, names, path === "" ? "this request" : "this object", meant);
}

/** The hint for a name that is not among `names`. */
export function unknownName(
  name: string,
  names: readonly string[],
  what: string,
  offered = likely(name, names),
): string {
  if (offered !== undefined) return `is unknown; did you mean "${offered}"?`;
  return `is unknown; ${what} takes ${names.join(", ")}`;
}

/** Where a member of a message at `path` stands: `rateLimit.rpm`. */
export function memberPath(path: string, member: string): string {
  const shown = member.length > SHOWN_CHARS_MAX ? `${member.slice(0, SHOWN_CHARS_MAX)}...` : member;
  return path === "" ? shown : `${path}.${shown}`;
}

/** The member that has a member of this name in it, `publishableConfig.oidc` for `issuer`. */
function placeOf(schema: DescMessage, member: string): string | undefined {
  for (const { fieldKind, message, localName } of schema.fields) {
    if (fieldKind !== "message" || message.typeName.startsWith("google.protobuf.")) continue;
    const isIn = message.fields.some((field) => [field.localName, field.name, field.jsonName].includes(member));
    const place = isIn ? "" : placeOf(message, member);
    if (place !== undefined) return place === "" ? localName : `${localName}.${place}`;
  }
  return undefined;
}
