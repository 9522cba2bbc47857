import { ApiKeyService } from "../../../gen/latchkey/v1/api_key_service_pb.ts";
import { KeyPolicyService } from "../../../gen/latchkey/v1/key_policy_service_pb.ts";
import { ScopeService } from "../../../gen/latchkey/v1/scope_service_pb.ts";
import type { Config } from "../../config/config.ts";
import { removeEndedKeys } from "../../domain/keys/retention.ts";
import { createApiKeyService } from "../../services/api-key-service.ts";
import { createKeyPolicyService } from "../../services/key-policy-service.ts";
import { createScopeService } from "../../services/scope-service.ts";
import type { SqlDatabase } from "../../store/sql/driver/database.ts";
import { createKeyPolicies } from "../../store/sql/keys/key-policies.ts";
import { createKeyRetention } from "../../store/sql/keys/key-retention.ts";
import type { Removal } from "../../workers/purge-loop.ts";
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
    removals: [() => calls.removeOld(), ...keyRemovals(ctx.config, database)],
  };
}

/** Removes keys that ended long ago; nothing if they are kept for ever. */
function keyRemovals(
  { endedKeyDays }: Pick<Config, "endedKeyDays">,
  database: Pick<SqlDatabase, "internal">,
): readonly Removal[] {
  if (endedKeyDays === null) return [];
  const retention = createKeyRetention(database);
  return [(now) => removeEndedKeys(retention, endedKeyDays, now)];
}
