/**
 * Contract tests whose promises are kept before the storage is called, by code that is the same on each. They run on PostgreSQL
 * alone. A file whose promise depends on what a storage returns does not belong here.
 */
export const ONE_STORAGE: Readonly<Record<string, string>> = {
  "body-size.error": "the transport counts a body's bytes",
  "body-structure.error": "the transport counts a body's nesting and members",
  documentation: "the documents are files",
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
  "request-id": "the transport makes the id",
  "trace-id": "the transport reads the id",
  "unknown-members.error": "the transport names a member that the schema lacks",
};
