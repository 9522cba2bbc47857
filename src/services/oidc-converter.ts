import { fromJson, type JsonValue, type MessageInitShape } from "@bufbuild/protobuf";
import { type ListValue, ListValueSchema, type Value } from "@bufbuild/protobuf/wkt";
import type { OidcConfig as OidcConfigMessage, OidcConfigSchema } from "../../gen/latchkey/v1/api_key_pb.ts";
import type { OidcConfig } from "../domain/credentials/key.ts";
import type { OidcInput } from "../domain/keys/oidc.ts";

/** Null: no configuration. */
export function fromOidc(oidc: OidcConfigMessage | undefined): OidcInput | null {
  if (oidc === undefined) return null;
  const { issuer, jwksUrl, audience, userIdClaim, requiredClaims } = oidc;
  const { audienceClaim, authorizedParties, tokenType, claimRules, userIdPrefix } = oidc;
  return {
    issuer,
    jwksUrl,
    audience,
    userIdClaim,
    requiredClaims,
    audienceClaim,
    authorizedParties: authorizedParties && jsonOf(authorizedParties),
    tokenType,
    claimRules: claimRules && jsonOf(claimRules),
    userIdPrefix,
  };
}

/** The optional members are absent where they are not set. */
export function toOidc({
  authorizedParties,
  claimRules,
  requiredClaims,
  ...oidc
}: OidcConfig): MessageInitShape<typeof OidcConfigSchema> {
  return {
    ...oidc,
    requiredClaims: { ...requiredClaims },
    ...(authorizedParties && { authorizedParties: listOf(authorizedParties) }),
    ...(claimRules && { claimRules: listOf(claimRules.map((rule) => ({ ...rule }))) }),
  };
}

/** `toJson` would throw for NaN, which is a fault of the caller. */
export function jsonOf({ values }: ListValue): unknown[] {
  return values.map(jsonValueOf);
}

function jsonValueOf({ kind }: Value): unknown {
  switch (kind.case) {
    case "structValue":
      return Object.fromEntries(Object.entries(kind.value.fields).map(([name, value]) => [name, jsonValueOf(value)]));
    case "listValue":
      return jsonOf(kind.value);
    case "nullValue":
    case undefined:
      return null;
    default:
      return kind.value;
  }
}

export function listOf(values: readonly JsonValue[]): ListValue {
  return fromJson(ListValueSchema, [...values]);
}
