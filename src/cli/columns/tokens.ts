import { toJson } from "@bufbuild/protobuf";
import { ListValueSchema } from "@bufbuild/protobuf/wkt";
import {
  type AccessToken,
  type DerivedToken,
  type FederationRule,
  FederationRuleStatus,
} from "../../../clients/typescript/src/index.ts";
import type { Column } from "../output/column.ts";
import { instant, toneOf, word } from "../output/values.ts";

export const ACCESS_TOKEN: readonly Column<AccessToken>[] = [
  { name: "token_id", text: ({ tokenId }) => tokenId },
  { name: "key_id", text: ({ keyId }) => keyId },
  { name: "scopes", text: ({ scopes }) => scopes.join(","), shrinks: true },
  { name: "user_id", text: ({ userId = "" }) => userId, shrinks: true },
  { name: "expires_at", text: ({ expiresAt }) => instant(expiresAt) },
  { name: "revoked_at", text: ({ revokedAt }) => instant(revokedAt) },
  { name: "rule_id", text: ({ ruleId = "" }) => ruleId },
  { name: "audience", text: ({ audience }) => audience, onlyInRecord: true },
  { name: "confirmation_jkt", text: ({ confirmationJkt = "" }) => confirmationJkt, onlyInRecord: true },
  { name: "created_at", text: ({ createdAt }) => instant(createdAt), onlyInRecord: true },
];

export const DERIVED_TOKEN: readonly Column<DerivedToken>[] = [
  { name: "token_id", text: ({ tokenId }) => tokenId },
  { name: "expires_at", text: ({ expiresAt }) => instant(expiresAt) },
];

const statusOf = ({ status }: FederationRule): string => word(FederationRuleStatus, status);

export const RULE: readonly Column<FederationRule>[] = [
  { name: "rule_id", text: ({ ruleId }) => ruleId },
  { name: "name", text: ({ name }) => name, shrinks: true },
  { name: "issuer", text: ({ issuer }) => issuer, shrinks: true },
  { name: "key_id", text: ({ keyId }) => keyId },
  { name: "scopes", text: ({ scopes }) => scopes.join(","), shrinks: true },
  { name: "status", text: statusOf, tone: (rule) => toneOf(statusOf(rule)) },
  { name: "audience", text: ({ audience }) => audience, onlyInRecord: true },
  {
    name: "claim_rules",
    text: ({ claimRules }) => JSON.stringify(claimRules === undefined ? [] : toJson(ListValueSchema, claimRules)),
    onlyInRecord: true,
  },
  { name: "jwks_url", text: ({ jwksUrl = "" }) => jwksUrl, onlyInRecord: true },
  { name: "jwks", text: ({ jwks }) => (jwks === undefined ? "" : JSON.stringify(jwks)), onlyInRecord: true },
  { name: "ttl_seconds", text: ({ ttlSeconds }) => String(ttlSeconds), onlyInRecord: true },
  { name: "updated_at", text: ({ updatedAt }) => instant(updatedAt), onlyInRecord: true },
];
