import { expect } from "vitest";
import type { Answer, JsonObject } from "./http.ts";
import type { CreatedKey, Latchkey } from "./latchkey.ts";
import { newTenant } from "./latchkey.ts";

export const DERIVE = "/api/v1/tokens/derive";

/** A secret key that derives tokens. */
export interface DerivingKey extends CreatedKey {
  readonly tenant: string;
  readonly headers: Record<string, string>;
  call(body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The `result` of a call that must succeed. */
  derive(body: unknown, headers?: Record<string, string>): Promise<JsonObject>;
}

/** A new key, by default with `conversations:*` and `plans:read`. */
export async function derivingKey(
  latchkey: Latchkey,
  fields: Record<string, unknown> = {},
  tenant = newTenant(),
): Promise<DerivingKey> {
  const permissions = ["conversations:*", "plans:read"];
  const created = await latchkey.createKey(await latchkey.dashboard(tenant), { permissions, ...fields });
  const headers = { "x-api-key": created.key };
  const call = (body: unknown, more = {}) => latchkey.call(DERIVE, body, { ...headers, ...more });
  return {
    ...created,
    tenant,
    headers,
    call,
    async derive(body, more) {
      const answer = await call(body, more);
      expect(answer.status, answer.text).toBe(200);
      return answer.json.result;
    },
  };
}
