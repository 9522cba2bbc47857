import type { Contestant } from "./contestants.ts";
import { LIMIT } from "./keys.ts";
import type { LoadGenerator } from "./load/client.ts";
import { probe, requestSet, secretsOf } from "./requests.ts";
import type { Scenario } from "./scenarios.ts";
import type { Server } from "./server.ts";
import type { World } from "./world.ts";

const REQUESTS = 1_000;
const SECONDS_MAX = 30;
let used = 0;

/**
 * How many of 1,000 requests at once a contestant admits with a fresh key that may make 100 a minute. More than a few
 * above 100 (what a bucket gains meanwhile) means that its limit does not hold. Undefined where nothing is limited.
 */
export async function admittedOfBurst(
  contestant: Contestant,
  servers: readonly Server[],
  { question, credentials }: Scenario,
  world: World,
  generator: LoadGenerator,
): Promise<number | undefined> {
  if (!contestant.authenticates || secretsOf(world, credentials).length === 0) return undefined;
  const key = world.keys.limited[used++ % world.keys.limited.length] ?? "";
  const request = probe(question, contestant.path(question), { "X-API-Key": key });
  await generator.load(requestSet("burst", [request], "random"));
  const targets = servers.map(({ port }) => ({ host: "127.0.0.1", port }));
  const run = { set: "burst", targets, connections: REQUESTS, requests: REQUESTS, seconds: SECONDS_MAX };
  return (await generator.run(run)).statuses["200"] ?? 0;
}

export const BURST_COLUMN = `of ${REQUESTS.toLocaleString("en")} at ${LIMIT}`;
