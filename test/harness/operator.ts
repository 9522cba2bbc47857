import { expect } from "vitest";
import type { Answer, JsonObject } from "./http.ts";
import type { Latchkey } from "./latchkey.ts";

/** The operator's token of the services that tests start. */
export const OPERATOR_TOKEN = "operator-token-of-the-tests-0123456789";

/** Headers of the operator. */
export const OPERATOR: Record<string, string> = { authorization: `Bearer ${OPERATOR_TOKEN}` };

type OperatorPath =
  | "audit/list"
  | `keys/${"find" | "create" | "list" | "get" | "update" | "rotate" | "usage" | "import" | "export" | "disable" | "enable" | "revoke"}`
  | `key-formats/${"create" | "list" | "delete"}`
  | `tenants/${"list" | "get" | "suspend" | "resume" | "erase"}`
  | "users/erase"
  | "requests/explain";

/** The operator's RPCs, called with their token. */
export interface OperatorCalls {
  call(path: OperatorPath, body: unknown): Promise<Answer>;
  /** The body of a call that must succeed. */
  answer(path: OperatorPath, body: unknown): Promise<JsonObject>;
  /** The `result` of a call that must succeed. */
  result(path: OperatorPath, body: unknown): Promise<JsonObject>;
}

export function operatorOf(latchkey: Latchkey): OperatorCalls {
  const call = (path: OperatorPath, body: unknown) => latchkey.call(`/api/v1/operator/${path}`, body, OPERATOR);
  async function answer(path: OperatorPath, body: unknown): Promise<JsonObject> {
    const { status, text, json } = await call(path, body);
    expect(status, `${path}: ${text}`).toBe(200);
    return json;
  }
  return { call, answer, result: async (path, body) => (await answer(path, body)).result };
}
