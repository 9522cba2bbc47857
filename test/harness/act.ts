import type { Act, Actor } from "../../src/domain/audit/event.ts";

export const ACTOR: Actor = {
  kind: "dashboard_user",
  userId: "user-1",
  issuer: "https://login.example",
  keyId: null,
  operatorToken: null,
};

/** A call that changes something, for tests of what it changes. */
export const ACT: Act = {
  actor: ACTOR,
  action: "api_key.updated",
  address: "192.0.2.1",
  requestId: "req_test",
  traceId: null,
};
