import { expect } from "vitest";
import type { Answer, JsonObject } from "./http.ts";
import type { Latchkey } from "./latchkey.ts";

/** The recent requests of a tenant, as its owner lists them, newest first. */
export async function requestsOf(latchkey: Latchkey, tenant: string, body: object = {}): Promise<JsonObject[]> {
  const answer = await latchkey.call("/api/v1/requests/list", body, await latchkey.dashboard(tenant));
  expect(answer.status, answer.text).toBe(200);
  return answer.json.requests;
}

/** Calls Verify with a key, and returns the id of the request. */
export async function verifyWith(latchkey: Latchkey, key: string, body: object = {}): Promise<string> {
  const { headers } = await latchkey.call("/api/v1/auth/verify", body, { "x-api-key": key });
  return requestIdOf({ headers });
}

export function requestIdOf({ headers }: Pick<Answer, "headers">): string {
  return headers.get("x-request-id") ?? "";
}

export async function explain(latchkey: Latchkey, tenant: string, request_id: string): Promise<Answer> {
  return latchkey.call("/api/v1/requests/explain", { request_id }, await latchkey.dashboard(tenant));
}
