import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  KeyPolicy as KeyPolicyMessage,
  KeyPolicySchema,
  KeyPolicyService,
} from "../../gen/latchkey/v1/key_policy_service_pb.ts";
import { type KeyPolicy, NO_RULES } from "../domain/keys/key-policy.ts";
import { getPolicy, type SetPolicyContext, setPolicy } from "../domain/keys/set-policy.ts";
import { UNLIMITED } from "../domain/limits/caps.ts";
import type { UnaryImpl } from "../interceptors/call.ts";
import { fromRateLimit } from "./api-key-converter.ts";
import { actOf, setLogTarget, tenantOf } from "./callers.ts";

export function createKeyPolicyService(ctx: SetPolicyContext): UnaryImpl<typeof KeyPolicyService> {
  return {
    async getKeyPolicy(_req, context) {
      return { result: toPolicy(await getPolicy(ctx, tenantOf(context))) };
    },
    async setKeyPolicy({ policy }, context) {
      const tenantId = tenantOf(context);
      const set = await setPolicy(ctx, tenantId, fromPolicy(policy), actOf(context));
      setLogTarget(context, tenantId);
      return { result: toPolicy(set) };
    },
  };
}

function fromPolicy(policy: KeyPolicyMessage | undefined): KeyPolicy {
  if (policy === undefined) return NO_RULES;
  return {
    lifetimeHoursMax: policy.maxLifetimeHours,
    isExpiryRequired: policy.expiryRequired,
    rateLimitMax: fromRateLimit(policy.maxRateLimit, "policy.max_rate_limit") ?? UNLIMITED,
    permissions: policy.permissions,
    areIpsRequired: policy.allowedIpsRequired,
    keysMax: policy.maxKeys,
  };
}

/** A tenant's rules as answers show them. */
export function toPolicy(policy: KeyPolicy): MessageInitShape<typeof KeyPolicySchema> {
  const { perUser } = policy.rateLimitMax;
  return {
    maxLifetimeHours: policy.lifetimeHoursMax,
    expiryRequired: policy.isExpiryRequired,
    maxRateLimit: { ...policy.rateLimitMax, ...(perUser && { perUser: { ...perUser } }) },
    permissions: [...policy.permissions],
    allowedIpsRequired: policy.areIpsRequired,
    maxKeys: policy.keysMax,
  };
}
