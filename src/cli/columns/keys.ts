import {
  type ApiKey,
  type CheckOidcStep,
  type IssuedKey,
  KeyStatus,
  KeyType,
} from "../../../clients/typescript/src/index.ts";
import type { Column } from "../output/column.ts";
import { instant, limits, toneOf, word, yesOrNo } from "../output/values.ts";
import { actorName } from "./audit.ts";

const status = (key: ApiKey): string => word(KeyStatus, key.status);

export const KEY: readonly Column<ApiKey>[] = [
  { name: "key_id", text: ({ keyId }) => keyId },
  { name: "name", text: ({ name }) => name, shrinks: true },
  { name: "key_prefix", text: ({ keyPrefix }) => keyPrefix },
  { name: "status", text: status, tone: (key) => toneOf(status(key)) },
  { name: "permissions", text: ({ permissions }) => permissions.join(","), shrinks: true },
  { name: "expires_at", text: ({ expiresAt }) => instant(expiresAt) },
  { name: "last_used_at", text: ({ lastUsedAt }) => instant(lastUsedAt) },
  { name: "type", text: ({ keyType }) => word(KeyType, keyType), onlyInRecord: true },
  { name: "description", text: ({ description }) => description, onlyInRecord: true },
  { name: "rate_limit", text: ({ rateLimit }) => limits(rateLimit), onlyInRecord: true },
  { name: "unknown_permissions", text: (key) => key.unknownPermissions?.names.join(",") ?? "", onlyInRecord: true },
  { name: "issuer", text: (key) => key.publishableConfig?.oidc?.issuer ?? "", onlyInRecord: true },
  { name: "jwks_url", text: (key) => key.publishableConfig?.oidc?.jwksUrl ?? "", onlyInRecord: true },
  { name: "audience", text: (key) => key.publishableConfig?.oidc?.audience ?? "", onlyInRecord: true },
  { name: "external_id", text: ({ externalId = "" }) => externalId, onlyInRecord: true },
  { name: "metadata", text: ({ metadata }) => (metadata ? JSON.stringify(metadata) : ""), onlyInRecord: true },
  { name: "allowed_ips", text: ({ allowedIps }) => allowedIps.join(","), onlyInRecord: true },
  { name: "allowed_origins", text: ({ allowedOrigins }) => allowedOrigins.join(","), onlyInRecord: true },
  { name: "allow_browser", text: ({ allowBrowser }) => (allowBrowser ? yesOrNo(true) : ""), onlyInRecord: true },
  { name: "created_at", text: ({ createdAt }) => instant(createdAt), onlyInRecord: true },
  { name: "created_by", text: ({ createdBy }) => actorName(createdBy), onlyInRecord: true },
  { name: "updated_at", text: ({ updatedAt }) => instant(updatedAt), onlyInRecord: true },
  { name: "revoked_at", text: ({ revokedAt }) => instant(revokedAt), onlyInRecord: true },
  { name: "revoked_by", text: ({ revokedBy }) => actorName(revokedBy), onlyInRecord: true },
  { name: "rotated_to", text: ({ rotatedTo = "" }) => rotatedTo, onlyInRecord: true },
  { name: "rotated_from", text: ({ rotatedFrom = "" }) => rotatedFrom, onlyInRecord: true },
];

/** A key as the operator sees it. */
export const TENANT_KEY: readonly Column<ApiKey>[] = [
  { name: "tenant_id", text: ({ tenantId = "" }) => tenantId },
  ...KEY,
  {
    name: "tenant_suspended",
    text: ({ tenantSuspended }) => (tenantSuspended === undefined ? "" : yesOrNo(tenantSuspended)),
    tone: ({ tenantSuspended }) => (tenantSuspended ? "bad" : undefined),
    onlyInRecord: true,
  },
];

/** A key just made, without its value. */
export const ISSUED_KEY: readonly Column<IssuedKey>[] = [
  { name: "key_id", text: ({ keyId }) => keyId },
  { name: "key_prefix", text: ({ keyPrefix }) => keyPrefix },
];

/** One check of a decision that is explained, or of an identity provider's configuration. */
export const CHECK: readonly Column<Pick<CheckOidcStep, "name" | "passed" | "detail">>[] = [
  { name: "check", text: ({ name }) => name },
  { name: "passed", text: ({ passed }) => yesOrNo(passed), tone: ({ passed }) => (passed ? "good" : "bad") },
  { name: "detail", text: ({ detail }) => detail, shrinks: true },
];
