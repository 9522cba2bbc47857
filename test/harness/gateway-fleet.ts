import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { generateSigningKey, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { type JsonObject, post } from "../harness/http.ts";
import type { Model } from "../harness/model.ts";
import { type Running, run } from "../process/run.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";

const GATEWAY = "/api/v1/llm/gateway";
const RETRY_MS = 50;

/** Real processes of the service on one database and one model, and a backend that calls any of them. */
export interface Replicas {
  readonly databaseUrl: string;
  /** The process at an index; after `kill` a new one. */
  at(place: number): Running;
  /** Kills the process with SIGKILL, and starts a new one in its place. */
  kill(place: number): Promise<void>;
  /** Calls one replica after another until one answers, as a backend does that must not lose anything. */
  call(method: string, body: JsonObject): Promise<JsonObject>;
  /** The memory of a process in use after a garbage collection. */
  heapBytes(place: number): Promise<number>;
  close(): Promise<void>;
}

export async function startReplicas(
  count: number,
  serverUrl: string,
  model: Model,
  env: Record<string, string> = {},
): Promise<Replicas> {
  const databaseUrl = await createDatabase(serverUrl);
  const cwd = await mkdtemp(join(tmpdir(), "latchkey-replicas-"));
  const provider = await startIdentityProvider(await generateSigningKey());
  const environment = {
    HOST: "127.0.0.1",
    PORT: "0",
    LOG_LEVEL: "error",
    DATABASE_URL: databaseUrl,
    OIDC_ISSUER: provider.issuer,
    OIDC_JWKS_URL: provider.jwksUrl,
    OIDC_AUDIENCE: provider.audience,
    OPENAI_BASE_URL: model.url,
    OPENAI_MODEL: "test-model",
    ...env,
  };
  const start = () => run("../test/faults/fixtures/replica.ts", environment, cwd);
  const places = Array.from({ length: count }, start);
  const urls = await Promise.all(places.map(urlOf));

  async function kill(place: number): Promise<void> {
    const victim = places[place];
    victim?.child.kill("SIGKILL");
    await victim?.ended();
    const next = start();
    places[place] = next;
    urls[place] = await urlOf(next);
  }

  const token = await provider.sign({ sub: "u", tenant_id: "ten_faults" });
  const created = await post(
    urls[0] ?? "",
    "/api/v1/api-keys/create",
    { name: "k", permissions: ["conversations:*"] },
    { authorization: `Bearer ${token}` },
  );
  const headers = { "x-api-key": created.json.result.key };
  let turn = 0;

  return {
    databaseUrl,
    at: (place) => places[place] ?? start(),
    kill,
    async call(method, body) {
      for (;;) {
        const url = urls[turn++ % count] ?? "";
        const answer = await post(url, `${GATEWAY}/${method}`, body, headers).catch(() => undefined);
        if (answer?.status === 200) return answer.json;
        if (answer !== undefined && answer.status < 500) throw new Error(answer.text);
        await sleep(RETRY_MS);
      }
    },
    async heapBytes(place) {
      places[place]?.child.kill("SIGUSR2");
      await sleep(RETRY_MS * 10);
      const metrics = await (await fetch(`${urls[place]}/metrics`)).text();
      return Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(metrics)?.[1]);
    },
    async close() {
      for (const { child } of places) child.kill("SIGKILL");
      await Promise.all(places.map((place) => place.ended()));
      await provider.close();
      await rm(cwd, { recursive: true, force: true });
      await dropDatabase(serverUrl, databaseUrl);
    },
  };
}

async function urlOf(started: Running): Promise<string> {
  const [, url = ""] = await started.waitFor(/"url":"([^"]+)"/);
  return url;
}
