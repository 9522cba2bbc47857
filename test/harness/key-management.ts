import { expect } from "vitest";
import type { Answer, JsonObject } from "./http.ts";
import { type CreatedKey, type Latchkey, newTenant } from "./latchkey.ts";

export type KeyMethod =
  | "create"
  | "list"
  | "get"
  | "update"
  | "revoke"
  | "disable"
  | "enable"
  | "usage"
  | "rotate"
  | "import";

export interface KeyVerb {
  readonly method: KeyMethod;
  body(keyId: unknown): JsonObject;
}

/** The verbs that name one key, with a body that is valid for an existing one. */
export const KEY_VERBS: readonly KeyVerb[] = [
  { method: "get", body: (key_id) => ({ key_id }) },
  { method: "update", body: (key_id) => ({ key_id, name: "taken over", update_mask: "name" }) },
  { method: "revoke", body: (key_id) => ({ key_id }) },
  { method: "disable", body: (key_id) => ({ key_id }) },
  { method: "enable", body: (key_id) => ({ key_id }) },
  { method: "usage", body: (key_id) => ({ key_id }) },
  { method: "rotate", body: (key_id) => ({ key_id, grace_period_hours: 0 }) },
];

export function keyVerb(method: KeyMethod): KeyVerb {
  const verb = KEY_VERBS.find((each) => each.method === method);
  if (verb === undefined) throw new Error(`${method} names no key`);
  return verb;
}

export const OIDC = {
  issuer: "https://idp.example.com/",
  jwksUrl: "https://idp.example.com/jwks.json",
  audience: "app",
} as const;

export const PUBLISHABLE = { keyType: "KEY_TYPE_PUBLISHABLE", publishableConfig: { oidc: OIDC } } as const;

/** A dashboard user of one tenant. Each call has a token of its own, so the clock may be moved between calls. */
export interface Dashboard {
  readonly tenant: string;
  call(method: KeyMethod, body: unknown): Promise<Answer>;
  /** The `result` of a call that must succeed. */
  result(method: KeyMethod, body: unknown): Promise<JsonObject>;
  createKey(fields?: Record<string, unknown>): Promise<CreatedKey>;
}

export function dashboardOf(latchkey: Latchkey, tenant = newTenant()): Dashboard {
  const call = async (method: KeyMethod, body: unknown) =>
    latchkey.call(`/api/v1/api-keys/${method}`, body, await latchkey.dashboard(tenant));
  return {
    tenant,
    call,
    async result(method, body) {
      const answer = await call(method, body);
      expect(answer.status, `${method}: ${answer.text}`).toBe(200);
      return answer.json.result;
    },
    createKey: async (fields = {}) => latchkey.createKey(await latchkey.dashboard(tenant), fields),
  };
}

/** What becomes of a call with the key: `admitted`, or the reason of its denial. */
export async function useKey(latchkey: Latchkey, key: string): Promise<string> {
  const answer = await latchkey.call("/api/v1/llm/gateway/list-threads", {}, { "x-api-key": key });
  return answer.status === 200 ? "admitted" : String(answer.json.denial_reason);
}

/** An instant on the service's clock, as a request carries it. */
export function instant(latchkey: Latchkey, fromNowMs: number): string {
  return new Date(latchkey.clock.now().getTime() + fromNowMs).toISOString();
}
