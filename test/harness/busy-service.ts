import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { inject } from "vitest";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import type { Config } from "../../src/config/config.ts";
import { copyDatabase } from "../servers/postgres.ts";
import { gatewayCaller } from "./gateway.ts";
import { type Latchkey, startLatchkey } from "./latchkey.ts";
import { replies, startModel } from "./model.ts";
import { redisAt } from "./redis-servers.ts";

const VERIFY = "/api/v1/auth/verify";

/** A service on PostgreSQL and Redis, with a model, that has done some of everything. */
export interface BusyService {
  readonly latchkey: Latchkey;
  close(): Promise<void>;
}

export async function startBusyService(config: Partial<Config> = {}): Promise<BusyService> {
  const model = await startModel(replies("hello"));
  const storage = { kind: "postgres", url: await copyDatabase(inject("servingTemplate").adminUrl) } as const;
  const redis = redisAt(inject("redisUrl"));
  const latchkey = await startLatchkey({ config: { storage, redis, assistant: model.config(), ...config } });
  const dashboard = await latchkey.dashboard();
  const { key, key_id } = await latchkey.createKey(dashboard, { rate_limit: { requests_per_minute: 1_000 } });
  const headers = { "x-api-key": key };
  for (let n = 0; n < 2; n++) await latchkey.call(VERIFY, {}, headers);
  const { url: baseUrl } = latchkey;
  for (const transport of [
    createConnectTransport({ baseUrl, httpVersion: "1.1" }),
    createGrpcTransport({ baseUrl }),
    createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
  ])
    await createClient(AuthService, transport).verify({}, { headers });
  await gatewayCaller(latchkey, headers).send("a conversation", "hi");
  await gatewayCaller(latchkey, headers).texts("a conversation");
  await latchkey.call("/api/v1/api-keys/revoke", { key_id }, dashboard);
  await latchkey.call(VERIFY, {}, headers);
  return {
    latchkey,
    async close() {
      await latchkey.close();
      await model.close();
    },
  };
}
