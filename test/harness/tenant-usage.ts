import { expect } from "vitest";
import type { Answer, JsonObject } from "./http.ts";
import { type Dashboard, dashboardOf } from "./key-management.ts";
import type { Latchkey } from "./latchkey.ts";

/** The promise is within a second; a busy machine gets more. */
const STORED_MS = 20_000;

/** A dashboard user of a tenant, who reads how its keys are used. */
export interface UsageReader {
  readonly dashboard: Dashboard;
  /** Creates a key, and sends so many requests with it that succeed, and so many that lack a scope. */
  usedKey(name: string, successful: number, denied?: number): Promise<string>;
  call(method: "get" | "top-keys", body?: object): Promise<Answer>;
  /** The response, as soon as it has so many requests. */
  get(total: number, body?: object): Promise<JsonObject>;
  /** The keys, as soon as they have so many requests in all. */
  topKeys(total: number, body?: object): Promise<JsonObject[]>;
}

export function usageReaderOf(latchkey: Latchkey, tenant?: string): UsageReader {
  const dashboard = dashboardOf(latchkey, tenant);
  const call = async (method: string, body: object = {}) =>
    latchkey.call(`/api/v1/usage/${method}`, body, await latchkey.dashboard(dashboard.tenant));

  async function readUntil(total: number, read: () => Promise<readonly [JsonObject, number]>): Promise<JsonObject> {
    let last: JsonObject = {};
    const reads = async () => {
      const [found, count] = await read();
      last = found;
      return count;
    };
    await expect.poll(reads, { timeout: STORED_MS }).toBe(total);
    return last;
  }

  return {
    dashboard,
    call,
    async usedKey(name, successful, denied = 0) {
      const { key, key_id } = await dashboard.createKey({ name, permissions: ["conversations:read"] });
      const use = (method: string) => latchkey.call(`/api/v1/llm/gateway/${method}`, {}, { "x-api-key": key });
      for (let n = 0; n < successful; n++) await use("list-threads");
      for (let n = 0; n < denied; n++) await use("send-message");
      return key_id;
    },
    get: (total, body) =>
      readUntil(total, async () => {
        const { json, text } = await call("get", body);
        expect(json.result, text).toBeDefined();
        return [json, json.result.total_verifications] as const;
      }),
    async topKeys(total, body) {
      const found = await readUntil(total, async () => {
        const { json, text } = await call("top-keys", body);
        expect(json.keys, text).toBeDefined();
        const sum = json.keys.reduce((before: number, key: JsonObject) => before + key.total_verifications, 0);
        return [json, sum] as const;
      });
      return found.keys;
    },
  };
}
