import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { inject } from "vitest";
import { generateSigningKey, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { copyDatabase, createDatabase, dropDatabase } from "../servers/postgres.ts";
import { type Answer, type JsonObject, post, postToOlder } from "./http.ts";
import { type CreatedKey, createKey, newTenant } from "./latchkey.ts";
import { type Running, runService } from "./service-process.ts";
import { countersOf, outcomesOf } from "./usage-series.ts";

/** A process of the service that listens. */
export interface Replica extends Running {
  readonly url: string;
  call(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** Replicas on one PostgreSQL database and one Redis, with one dashboard user. `redisUrl` "": without Redis. */
export interface Fleet {
  readonly databaseUrl: string;
  /** The OIDC configuration of publishable keys whose users the dashboard's provider knows. */
  readonly oidc: { readonly issuer: string; readonly jwksUrl: string; readonly audience: string };
  /** `file`: what to run, named from `src` on or in full; default what `npm start` runs. */
  start(env?: Record<string, string>, file?: string): Promise<Replica>;
  /** Kills a replica with SIGKILL and starts another one like it. */
  replace(replica: Replica): Promise<Replica>;
  /** Headers of the dashboard user, whose token was issued at an instant, default now. `tenantId`: of one of another tenant. */
  dashboard(issuedAt?: Date, tenantId?: string): Promise<Record<string, string>>;
  createKey(replica: Replica, fields?: Record<string, unknown>): Promise<CreatedKey>;
  /** Reads a key's usage on a replica. Throws if its series does not add up to its counters. */
  usage(replica: Replica, keyId: string): Promise<Usage>;
  /** The uses of a key by their outcome, from its series: `{"successful": 3, "rate_limited": 1}`. */
  outcomes(replica: Replica, keyId: string): Promise<Record<string, number>>;
  close(): Promise<void>;
}

export interface Usage {
  readonly total: number;
  readonly successful: number;
  readonly failed: number;
}

export async function startFleet(redisUrl: string, postgresUrl?: string): Promise<Fleet> {
  const provider = await startIdentityProvider(await generateSigningKey());
  const databaseUrl =
    postgresUrl === undefined
      ? await copyDatabase(inject("servingTemplate").adminUrl)
      : await createDatabase(postgresUrl);
  const cwd = await mkdtemp(join(tmpdir(), "latchkey-fleet-"));
  const tenant = newTenant();
  const started: Running[] = [];
  /** How each replica was started. */
  const starts = new Map<Replica, Parameters<Fleet["start"]>>();
  const dashboard = async (issuedAt?: Date, tenantId = tenant) => ({
    authorization: `Bearer ${await provider.sign({ sub: "user-1", tenant_id: tenantId }, issuedAt)}`,
  });
  async function start(env: Record<string, string> = {}, file?: string): Promise<Replica> {
    const service = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      OIDC_ISSUER: provider.issuer,
      OIDC_JWKS_URL: provider.jwksUrl,
      OIDC_AUDIENCE: provider.audience,
      // One user does all that the tests do, as fast as they can.
      DASHBOARD_REQUESTS_PER_MINUTE: "0",
      // A machine that runs many tests at once is overloaded, and Redis is slow there.
      OVERLOAD_WAIT_MS: "0",
      REDIS_TIMEOUT_MS: "1000",
    };
    const running = runService({ ...service, ...env }, cwd, file);
    started.push(running);
    const url = await running.listening();
    const replica = { ...running, url, call: (file === undefined ? post : postToOlder).bind(undefined, url) };
    starts.set(replica, [env, file]);
    return replica;
  }
  /** What a replica returns of a key's usage, with the hours of the last day. */
  async function usageOf(replica: Replica, keyId: string): Promise<JsonObject> {
    const request = { key_id: keyId, step: "hour" };
    const { json, text } = await replica.call("/api/v1/api-keys/usage", request, await dashboard());
    if (json.result === undefined) throw new Error(`no usage was returned: ${text}`);
    return json;
  }
  return {
    databaseUrl,
    oidc: { issuer: provider.issuer, jwksUrl: provider.jwksUrl, audience: provider.audience },
    start,
    async replace(replica) {
      await replica.end("SIGKILL");
      return start(...(starts.get(replica) ?? []));
    },
    dashboard,
    createKey: async (replica, fields = {}) => createKey(replica.url, await dashboard(), fields),
    async usage(replica, keyId) {
      const { result, series } = await usageOf(replica, keyId);
      if (!isDeepStrictEqual(result, countersOf(series)))
        throw new Error(`the series does not add up to the counters: ${JSON.stringify({ result, series })}`);
      const { total_verifications, successful_verifications, failed_verifications } = result;
      return { total: total_verifications, successful: successful_verifications, failed: failed_verifications };
    },
    outcomes: async (replica, keyId) => outcomesOf((await usageOf(replica, keyId)).series),
    async close() {
      await Promise.all(started.map((running) => running.end("SIGKILL")));
      await provider.close();
      await rm(cwd, { recursive: true, force: true, maxRetries: 10 });
      await dropDatabase(postgresUrl ?? inject("postgresUrl"), databaseUrl);
    },
  };
}
