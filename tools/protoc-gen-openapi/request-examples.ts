/** A request with a key that lacks a scope. */
export const RECENT_REQUEST = {
  request_id: "req_7d1f0c3a9b5e4862a1c4d7e8f9012b35",
  at: "2026-01-31T12:00:00.123Z",
  caller: "secret_key",
  key_id: "key_bcda758cef0f4b84f7832c295f4154ec",
  user_id: "",
  address: "203.0.113.7",
  rpc: "latchkey.v1.AuthService/Verify",
  scope: "plans:write",
  verdict: "denied",
  reason: "insufficient_scope",
  message: "This API key lacks the scope plans:write; use a key that has it, or add it to this key's permissions.",
};

export const REQUEST_EXPLANATION = {
  request: RECENT_REQUEST,
  allowed: false,
  denial_reason: "insufficient_scope",
  steps: [
    { name: "credentials", passed: true, detail: "The credentials were there, each once." },
    { name: "key", passed: true, detail: "The key was known." },
    { name: "status", passed: true, detail: "The key was active, and its tenant not suspended." },
    { name: "source", passed: true, detail: "The key may be used from there." },
    { name: "rate_limit", passed: true, detail: "The limits admitted the request." },
    { name: "scope", passed: false, detail: RECENT_REQUEST.message },
  ],
  remedy: "Use a key or a user with the scope it needs.",
  documentation: "/docs/errors#insufficient_scope",
};
