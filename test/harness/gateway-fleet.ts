import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Fleet, type Replica, startFleet } from "./fleet.ts";
import type { JsonObject } from "./http.ts";
import type { Model } from "./model.ts";

const GATEWAY = "/api/v1/llm/gateway";
const RETRY_MS = 50;
const FILE = fileURLToPath(new URL("../faults/fixtures/replica.ts", import.meta.url));

/** Replicas on one database and one model, and a backend with a secret key that calls any of them. */
export interface GatewayFleet extends Pick<Fleet, "databaseUrl" | "close"> {
  /** The replica at an index; after `kill` a new one. */
  at(place: number): Replica;
  /** Kills the replica with SIGKILL, and starts a new one in its place. */
  kill(place: number): Promise<void>;
  /** Calls one replica after another until one answers, as a backend does that must not lose anything. */
  call(method: string, body: JsonObject): Promise<JsonObject>;
}

export async function startGatewayFleet(
  count: number,
  model: Model,
  env: Record<string, string> = {},
): Promise<GatewayFleet> {
  const fleet = await startFleet("");
  const settings = { LOG_LEVEL: "error", OPENAI_BASE_URL: model.url, OPENAI_MODEL: "test-model", ...env };
  const start = () => fleet.start(settings, FILE);
  const first = await start();
  const replicas = [first, ...(await Promise.all(Array.from({ length: count - 1 }, start)))];
  const at = (place: number) => replicas[place % count] ?? first;
  const { key } = await fleet.createKey(first);
  let turn = 0;
  return {
    databaseUrl: fleet.databaseUrl,
    close: fleet.close,
    at,
    async kill(place) {
      replicas[place] = await fleet.replace(at(place));
    },
    async call(method, body) {
      for (;;) {
        const calling = at(turn++).call(`${GATEWAY}/${method}`, body, { "x-api-key": key });
        const answer = await calling.catch(() => undefined);
        if (answer?.status === 200) return answer.json;
        if (answer !== undefined && answer.status < 500) throw new Error(answer.text);
        await sleep(RETRY_MS);
      }
    },
  };
}
