import { expect } from "vitest";
import type { JsonObject } from "./http.ts";
import type { Latchkey } from "./latchkey.ts";
import { OPERATOR } from "./operator.ts";

/** The audit events of a tenant, as its owner lists them, newest first. */
export async function eventsOf(latchkey: Latchkey, tenant: string, body: object = {}): Promise<JsonObject[]> {
  const answer = await latchkey.call("/api/v1/audit/list", body, await latchkey.dashboard(tenant));
  expect(answer.status, answer.text).toBe(200);
  return answer.json.events;
}

/** The events of all tenants that match, as the operator lists them, newest first. */
export async function allEvents(latchkey: Latchkey, body: object): Promise<JsonObject[]> {
  const answer = await latchkey.call("/api/v1/operator/audit/list", body, OPERATOR);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.events;
}

/** The actions of events and their targets, oldest first. */
export function trail(events: readonly JsonObject[]): unknown[] {
  return events.map(({ action, target_id }) => [action, target_id]).toReversed();
}
