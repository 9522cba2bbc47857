import { expect } from "vitest";
import type { RecentRequest } from "../../src/domain/requests/recent-request.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
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

/** In the past: the database's clock bounds times that are not. */
export const REQUESTED_AT = new Date("2026-03-01T12:00:00Z");

/** A denied request as it is recorded, with the given fields. */
export function newRequest(fields: Partial<RecentRequest> = {}): RecentRequest {
  return {
    requestId: newId("req"),
    at: REQUESTED_AT,
    tenantId: "ten_1",
    keyId: "key_1",
    tokenId: null,
    caller: "secret_key",
    userId: null,
    address: "192.0.2.1",
    rpc: "latchkey.v1.AuthService/Verify",
    scope: "plans:read",
    reason: "insufficient_scope",
    failedCheck: null,
    message: "No.",
    ...fields,
  };
}
