import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { ApiKeySchema } from "../../gen/latchkey/v1/api_key_pb.ts";
import { UpdateApiKeyRequestSchema } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import { UpdateTenantKeyRequestSchema } from "../../gen/latchkey/v1/operator_service_pb.ts";
import { fixedField, MASKABLE_NAMES } from "../domain/keys/update.ts";
import { likely } from "../domain/vocabulary/nearest.ts";

/** Names of other APIs for our members, where the spelling is too different to be recognised. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["scope", "permissions"],
  ["scopes", "permissions"],
  ["roles", "permissions"],
  ["type", "keyType"],
  ["limit", "per_page"],
  ["size", "per_page"],
  ["page_size", "per_page"],
  ["pageSize", "per_page"],
  ["ttl", "expires_at"],
  ["rpm", "requests_per_minute"],
  ["rph", "requests_per_hour"],
]);

/** Names that an update may try to change, beside the members of a record. */
const NEVER_UPDATED: ReadonlySet<string> = new Set(["key", "tenant_id", "tenantId"]);

/** The field with this name: the one in answers, `snake_case` or camelCase. */
export function fieldOf(schema: DescMessage, member: string): DescField | undefined {
  return (
    schema.fields.find(({ jsonName, name }) => jsonName === member || name === member) ??
    schema.fields.find(({ localName }) => localName === member)
  );
}

/** The remedy for an unknown member. `path` is the path of the object that contains it, "" for the body. */
export function unknownMember(schema: DescMessage, member: string, path: string): string {
  const isFixed = NEVER_UPDATED.has(member) || fieldOf(ApiKeySchema, member) !== undefined;
  // The operator names the tenant, which may be misspelled.
  const isOfKey =
    schema === UpdateApiKeyRequestSchema || (schema === UpdateTenantKeyRequestSchema && member !== "tenantId");
  if (isOfKey && isFixed) {
    return `${fixedField(member)}; update changes ${MASKABLE_NAMES.join(", ")}`;
  }
  const names = schema.fields.map(({ jsonName }) => jsonName);
  const other = OTHER_NAMES.get(member);
  const meant = names.find((name) => name === other);
  const place = meant === undefined ? placeOf(schema, member) : undefined;
  if (place !== undefined) return `is unknown here; it belongs into ${path === "" ? "" : `${path}.`}${place}`;
  const offered = meant ?? likely(member, names);
  if (offered !== undefined) return `is unknown; did you mean "${offered}"?`;
  return `is unknown; ${path === "" ? "this request" : "this object"} takes ${names.join(", ")}`;
}

/** The path of the nested object that has a member of this name: `publishableConfig.oidc` for `issuer`. */
function placeOf(schema: DescMessage, member: string): string | undefined {
  for (const { fieldKind, message, jsonName } of schema.fields) {
    if (fieldKind !== "message" || message.typeName.startsWith("google.protobuf.")) continue;
    if (fieldOf(message, member) !== undefined) return jsonName;
    const place = placeOf(message, member);
    if (place !== undefined) return `${jsonName}.${place}`;
  }
  return undefined;
}
