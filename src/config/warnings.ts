import { reservedRoles } from "./access.ts";
import type { Config } from "./config.ts";

/** Warnings about a valid configuration, a sentence each: the start logs them, `latchkey doctor` prints them. */
export function* configWarnings(config: Config): Generator<string> {
  const { dashboard, access, storage, redis, assistant } = config;
  if (dashboard === null)
    yield "no identity provider is configured: dashboard calls are answered oidc_not_configured until OIDC_ISSUER, OIDC_JWKS_URL and OIDC_AUDIENCE are set";
  if (access.operatorTenant === null)
    yield "no OPERATOR_TENANT: a key with * has system:* and tenants:*, too, whatever its tenant";
  else if (access.rolesClaim === null && !config.rolesFromMembership)
    yield "OPERATOR_TENANT without OIDC_ROLES_CLAIM: every dashboard user of that tenant is an operator";
  const reserved = reservedRoles(access);
  if (access.operatorTenant === null && reserved.length > 0)
    yield `no OPERATOR_TENANT: no user has the scopes of system and tenants that ROLES_FILE gives to the roles ${reserved.join(", ")}`;
  if (storage.kind === "postgres" && redis === null)
    yield "no REDIS_URL: rate limits are per replica; with several replicas a key is admitted its limit by each of them";
  if (assistant === null) yield "no model is configured: replies are the built-in echo until OPENAI_MODEL is set";
  if (storage.kind === "postgres" && config.accessTokens === null)
    yield "no TOKEN_SECRET and TOKEN_ISSUER: the secrets of webhooks are stored as they are, so who reads a copy of the database can forge events";
  if (storage.kind === "embedded")
    yield "embedded storage: one process only, and not safe against power loss; set DATABASE_URL for production";
}
