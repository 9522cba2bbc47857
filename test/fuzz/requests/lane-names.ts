import { EXCHANGE, JWT_BEARER, JWT_TYPE } from "../../harness/federation.ts";
import { TOKEN_ISSUER } from "../../harness/token-settings.ts";

type Values = Readonly<Record<string, () => readonly string[]>>;

/** The members of the form of `POST /oauth/token`. */
export function formNames(ruleId: string, assertions: readonly string[]): Values {
  return {
    grant_type: () => [EXCHANGE, EXCHANGE, JWT_BEARER, "password"],
    client_id: () => [ruleId, ruleId, ruleId, "fed_x"],
    subject_token: () => assertions,
    subject_token_type: () => [JWT_TYPE, JWT_TYPE, "urn:ietf:params:oauth:token-type:saml2"],
    requested_token_type: () => [JWT_TYPE, "urn:ietf:params:oauth:token-type:access_token"],
    scope: () => ["plans:read", " ", "plans:read  plans:write"],
    resource: () => [TOKEN_ISSUER, "https://other.example"],
  };
}

/** The headers and the question of a call that Envoy describes. */
export function envoyNames(keys: readonly string[], tokens: readonly string[]): Values {
  return {
    "x-api-key": () => keys,
    authorization: () => ["", ...tokens.flatMap((token) => [`Bearer ${token}`, `DPoP ${token}`])],
    "x-on-behalf-of": () => ["", "", "user-7"],
    "x-forwarded-for": () => ["203.0.113.7", "203.0.113.7, 127.0.0.1", "x"],
    cost: () => ["1", "2", "0"],
    remove: () => ["x-api-key authorization", "", "cookie"],
  };
}

/** What an edge asks for and reports. Its members are written in camel case, which no other message's are. */
export function edgeNames(tenant: string, keyIds: () => readonly string[], secretHashes: readonly string[]): Values {
  return {
    edgeId: () => ["", "edge"],
    secretHash: () => secretHashes,
    tenantId: () => [tenant],
    keyId: keyIds,
    budgetId: keyIds,
    batchId: () => [crypto.randomUUID(), ""],
    failure: () => ["", "insufficient_scope", "rate_limited"],
    caller: () => ["secret_key", "publishable_key", ""],
    failedCheck: () => ["", "rate_limit"],
  };
}
