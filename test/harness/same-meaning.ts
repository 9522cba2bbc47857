import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import type { JsonObject } from "./http.ts";
import { emptinessOf, operatorsOf, qualifiedName } from "./narrowing-members.ts";
import { HOUR } from "./test-clock.ts";
import { TOKEN_ISSUER } from "./token-settings.ts";

/** Values of a member that mean the same as none, where that is not its zero value. None: each value says something. */
const OWN_DEFAULTS: Readonly<Record<string, readonly unknown[]>> = {
  "CreateApiKeyRequest.allow_browser": [false],
  "CreateApiKeyRequest.expires_at": [],
  "CreateApiKeyRequest.key_prefix": [],
  "CreateApiKeyRequest.metadata": [],
  "CreateApiKeyRequest.publishable_config": [],
  "CreateApiKeyRequest.rate_limit": [{}, { unlimited: true }, { requests_per_minute: 0, burst_size: 0 }],
  "CreateInvitationRequest.role": ["viewer"],
  "DeriveTokenRequest.audience": [TOKEN_ISSUER],
  "DeriveTokenRequest.ttl_seconds": [900],
  "OidcConfig.audience_claim": ["aud"],
  "OidcConfig.token_type": ["any"],
  "OidcConfig.user_id_claim": ["sub"],
  "OidcConfig.user_id_prefix": [],
  "PublishableConfig.oidc": [],
  "RateLimit.per_user": [{}],
  "RateLimit.unlimited": [],
  "RateLimit.warning": [],
  "RotateApiKeyRequest.grace_period_hours": [24],
};
/** The same, with the members of the operator's requests. */
export const DEFAULTS: Readonly<Record<string, readonly unknown[]>> = Object.fromEntries(
  Object.entries(OWN_DEFAULTS).flatMap(([name, values]) => [name, ...operatorsOf(name)].map((each) => [each, values])),
);
/** Whose zero value is refused, or is that of another kind of key. */
const NO_ZERO = ["keyType"];

/** An empty value of one that narrows the request is refused. */
export function mayBeEmpty(field: DescField): boolean {
  return ["other", "narrows by its value"].includes(emptinessOf(field));
}

/** The value that a member without presence has if it is absent; undefined: it has presence. */
export function zeroOf(field: DescField): unknown {
  if (field.fieldKind === "map") return {};
  if (field.fieldKind === "list") return [];
  if (field.presence !== FeatureSet_FieldPresence.IMPLICIT || field.fieldKind === "message") return undefined;
  return field.fieldKind === "enum" ? field.enum.values[0]?.name : field.scalar === ScalarType.STRING ? "" : 0;
}

/** The same request with each absent member as one that says nothing. */
export function* withDefaults(message: DescMessage, body: JsonObject): Generator<JsonObject> {
  for (const field of message.fields) {
    const { jsonName: name } = field;
    const isInside = field.message?.typeName.startsWith("latchkey.") === true && field.fieldKind === "message";
    if (isInside && body[name] !== undefined) {
      for (const inner of withDefaults(field.message, body[name])) yield { ...body, [name]: inner };
      continue;
    }
    if (body[name] !== undefined || name === "client_request_id") continue;
    const zero = mayBeEmpty(field) && !NO_ZERO.includes(name) ? zeroOf(field) : undefined;
    for (const value of [...(zero === undefined ? [] : [zero]), ...(DEFAULTS[qualifiedName(field)] ?? [])])
      yield { ...body, [name]: value };
  }
}

/** The same request in other words: members and lists in another order, lists with duplicates, instants of another zone. */
export function turned({ fields }: DescMessage, body: JsonObject): JsonObject {
  const members = fields.flatMap((field): [string, unknown][] => {
    const value = body[field.jsonName];
    if (value === undefined) return [];
    if (field.fieldKind === "list") return [[field.jsonName, [...value, value[0]].toReversed()]];
    if (field.message === undefined) return [[field.jsonName, value]];
    if (field.message.typeName === "google.protobuf.Timestamp") return [[field.jsonName, elsewhere(value)]];
    if (field.message.typeName === "google.protobuf.ListValue")
      return [[field.jsonName, [...value, value[0]].toReversed().map(turnedJson)]];
    const isOurs = field.fieldKind === "message" && field.message.typeName.startsWith("latchkey.");
    return [[field.jsonName, isOurs ? turned(field.message, value) : turnedJson(value)]];
  });
  return Object.fromEntries(members.toReversed());
}

/** JSON with the members of its objects in another order. */
function turnedJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, turnedJson(member)] as const);
  return Object.fromEntries(members.toReversed());
}

/** The instant as clocks two hours ahead of UTC write it. */
function elsewhere(text: string): string {
  return new Date(Date.parse(text) + 2 * HOUR).toISOString().replace("Z", "+02:00");
}
