import { ApiKeyService } from "../../../gen/latchkey/v1/api_key_service_pb.ts";
import { KeyPolicyService } from "../../../gen/latchkey/v1/key_policy_service_pb.ts";
import { ScopeService } from "../../../gen/latchkey/v1/scope_service_pb.ts";
import { createApiKeyService } from "../../services/api-key-service.ts";
import { createKeyPolicyService } from "../../services/key-policy-service.ts";
import { createScopeService } from "../../services/scope-service.ts";
import { createKeyPolicies } from "../../store/sql/keys/key-policies.ts";
import type { Part, PartContext } from "../part.ts";
import { mounted } from "../rpcs.ts";
import { keyManagement } from "./key-management.ts";

/** Keys, the rules that a tenant has for them, and the scopes that they can hold. */
export function openKeys(ctx: PartContext): Part {
  const { database, calls } = ctx.storage;
  const management = keyManagement(ctx);
  return {
    services: [
      mounted(ApiKeyService, createApiKeyService(management)),
      mounted(KeyPolicyService, createKeyPolicyService({ policies: createKeyPolicies(database), ...management })),
      mounted(ScopeService, createScopeService(management.catalogue)),
    ],
    removals: [() => calls.removeOld()],
  };
}
