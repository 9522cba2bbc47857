import { createHash, randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { JsonObject } from "./http.ts";
import type { Dashboard } from "./key-management.ts";
import type { Latchkey } from "./latchkey.ts";
import { type OperatorCalls, operatorOf } from "./operator.ts";

let formats = 0;

/** A key format of its own: hex behind a prefix that no other one begins with. */
export async function createFormat(latchkey: Latchkey, members: object = {}): Promise<JsonObject> {
  formats += 1;
  const prefix = `imp${process.pid}x${formats}_`;
  const length = prefix.length + 40;
  return operatorOf(latchkey).result("key-formats/create", {
    ...{ key_format: `format-${process.pid}-${formats}`, prefix, length_min: length, length_max: length },
    ...{ alphabet: "HEX", algorithm: "SHA256", ...members },
  });
}

/** A key as another system would have drawn it. */
export function drawText({ prefix }: JsonObject): string {
  return prefix + randomBytes(20).toString("hex");
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A row with the least that it needs. */
export function rowOf(format: JsonObject, text: string, members: object = {}): JsonObject {
  const hash = { digest: sha256(text) };
  return { key_format: format.key_format, hash, name: "imported", permissions: ["conversations:read"], ...members };
}

/** The row that imports an exported key into another deployment, with all that can be carried. */
export function rowOfExport({ key, hash, public_part }: JsonObject): JsonObject {
  const { tenant_id, key_format, key_prefix, name, description, permissions, rate_limit, expires_at, created_at } = key;
  const { external_id, metadata, allowed_ips, allowed_origins, allow_browser, revoked_at, keyType } = key;
  const row = {
    ...{ tenant_id, hash, public_part, key_format, key_prefix, name, description, permissions, rate_limit, expires_at },
    ...{ created_at, external_id, metadata, allowed_ips, allowed_origins, allow_browser, revoked_at, keyType },
    publishableConfig: key.publishableConfig,
    disabled: key.status === "KEY_STATUS_DISABLED",
  };
  const isGiven = (value: unknown) =>
    value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(row).filter(([, value]) => isGiven(value)));
}

/** Imports rows that must all be created, and returns the ids of their keys. */
export async function importAll(
  caller: Dashboard | OperatorCalls,
  keys: readonly JsonObject[],
): Promise<readonly string[]> {
  const { status, text, json } = await ("tenant" in caller
    ? caller.call("import", { keys })
    : caller.call("keys/import", { keys }));
  expect(status, text).toBe(200);
  expect(json, text).toMatchObject({ created: keys.length, exists: 0, refused: 0 });
  return json.results.map(({ key_id }: JsonObject) => key_id);
}
