/**
 * Contract tests whose promises are kept before the storage is called, by code that is the same on each. They run on PostgreSQL
 * alone. A file whose promise depends on what a storage returns does not belong here.
 */
export const ONE_STORAGE: Readonly<Record<string, string>> = {
  authorization: "the gate decides from a caller's rights before it calls a service",
  "body-size.error": "the transport counts a body's bytes",
  "body-structure.error": "the transport counts a body's nesting and members",
  "dashboard-claims": "the gate reads the claims of a token",
  documentation: "the documents are files",
  "error-reasons": "the interceptors and Connect write an error; other files read each error on each storage",
  "guard-connect.differential": "the guard is a client: what it compares comes from one storage, whichever it is",
  "hostile-http.security": "Node's parser and the transport refuse them",
  "http2-fields.security": "the transport checks a request's header fields",
  "http2.security": "the transport bounds a connection's streams",
  "json-body.error": "the transport parses JSON",
  "json-test-suite": "the transport parses JSON",
  "member-size.error": "the schema bounds a message's members",
  "open-services.error": "reflection and health read no row",
  "protocol-headers.error": "the transport checks a protocol's header fields",
  "protocols.security": "the transport decodes a message's envelope",
  protocols: "Connect and the transport encode the messages; other files call each RPC on each storage, as JSON",
  "publishable-key.jwks": "the token verifier fetches and caches key sets",
  "provider-roles": "the gate reads a user's rights from the token",
  "request-id": "the transport makes the id",
  "trace-id": "the transport reads the id",
  "unknown-members.error": "the transport names a member that the schema lacks",
};

/**
 * Contract tests that also run with Redis, which has limits alone: what spends, reports or changes a limit, and changes of a
 * key, whose limits stay the same. All others would run the code that they run on PostgreSQL. Each with what it shows.
 */
export const WITH_REDIS: Readonly<Record<string, string>> = {
  "api-keys.golden": "whole responses, with their limits",
  "auth-check": "a proxy's checks spend",
  "client.guard": "the client's guard spends, and reports limits",
  cost: "a cost is spent in one step",
  "dashboard-limit": "a dashboard user's limit is exact",
  "disable-api-key.happy": "a disabled key spends nothing",
  "enable-api-key.happy": "an enabled key has what it had",
  "get-api-key-usage.happy": "denials by the limit count as failures",
  "get-api-key-usage.series": "denials by the limit count as such",
  "key-in-use.security": "changes of a key that is in use bind at once",
  "lean-path": "both paths report the same limits",
  "order-of-checks": "the limit has its place in the order",
  "publishable-key.error": "refused users spend nothing",
  "publishable-key.happy": "accepted users spend",
  "rate-limit": "limits are exact",
  "rate-limit-headers": "limits are reported",
  "retry-after": "denials say when to retry",
  "revoke-api-key.happy": "a revoked key spends nothing",
  "rotate-api-key.happy": "the successor has the old key's limits",
  "rotated-budget": "a rotation's keys share one budget",
  "update-api-key.happy": "a changed limit counts what was spent",
  "user-limit": "each user has a budget",
  "verify.explain": "an explanation reports a limit and spends nothing",
  "verify.happy": "verify spends and reports",
};
