import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { type FederationRuleSchema, FederationRuleStatus } from "../../gen/latchkey/v1/federation_pb.ts";
import type {
  CreateFederationRuleRequest,
  UpdateFederationRuleRequest,
} from "../../gen/latchkey/v1/federation_service_pb.ts";
import type { RuleInput } from "../domain/federation/checked-rule.ts";
import type { FederationRule } from "../domain/federation/rule.ts";
import { toTimestamp } from "./dates.ts";
import { jsonOf, listOf } from "./oidc-converter.ts";

const STATUSES: Record<FederationRule["status"], FederationRuleStatus> = {
  enabled: FederationRuleStatus.ENABLED,
  disabled: FederationRuleStatus.DISABLED,
};

/** Null: not given. The proto admits no other value. */
export function fromRuleStatus(status: FederationRuleStatus): FederationRule["status"] | null {
  switch (status) {
    case FederationRuleStatus.ENABLED:
      return "enabled";
    case FederationRuleStatus.DISABLED:
      return "disabled";
    default:
      return null;
  }
}

export function fromRule(req: CreateFederationRuleRequest | UpdateFederationRuleRequest): RuleInput {
  const { name, issuer, jwksUrl, jwks = null, audience, claimRules, keyId, scopes, ttlSeconds } = req;
  return {
    ...{ name, issuer, jwksUrl, jwks, audience, keyId, scopes, ttlSeconds },
    claimRules: claimRules && jsonOf(claimRules),
  };
}

export function toRule(rule: FederationRule): MessageInitShape<typeof FederationRuleSchema> {
  const { ruleId, name, issuer, jwksUrl, jwks, audience, claimRules, keyId, scopes, ttlSeconds, status } = rule;
  const claims = listOf(claimRules.map((each) => ({ ...each })));
  return {
    ...{ ruleId, name, issuer, audience, keyId, ttlSeconds },
    ...(jwksUrl !== null && { jwksUrl, formerJwksUrl: jwksUrl }),
    ...(jwks !== null && { jwks: jwks as JsonObject }),
    ...{ claimRules: claims, formerClaimRules: claims },
    scopes: [...scopes],
    status: STATUSES[status],
    createdAt: toTimestamp(rule.createdAt),
    updatedAt: toTimestamp(rule.updatedAt),
  };
}
