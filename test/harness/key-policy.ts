import { expect } from "vitest";
import type { Answer, JsonObject } from "./http.ts";
import { type Latchkey, newTenant } from "./latchkey.ts";

/** The rules of a tenant, as its dashboard users read and set them. */
export interface PolicyCalls {
  readonly tenant: string;
  call(method: "get" | "set", body: unknown): Promise<Answer>;
  get(): Promise<JsonObject>;
  set(policy: object): Promise<JsonObject>;
}

export function policyOf(latchkey: Pick<Latchkey, "call" | "dashboard">, tenant = newTenant()): PolicyCalls {
  const call = async (method: string, body: unknown) =>
    latchkey.call(`/api/v1/api-keys/policy/${method}`, body, await latchkey.dashboard(tenant));
  async function result(method: string, body: unknown): Promise<JsonObject> {
    const answer = await call(method, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.json.result;
  }
  return { tenant, call, get: () => result("get", {}), set: (policy) => result("set", { policy }) };
}
