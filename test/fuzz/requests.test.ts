import { afterAll, beforeAll, expect, test } from "vitest";
import { randomFrom, seedOfRun } from "./random.ts";
import { HAS_JSON_TEST_SUITE } from "./requests/bodies.ts";
import { type Campaign, runCampaign, shown } from "./requests/campaign.ts";
import { connectTo } from "./requests/exchange.ts";
import { prepareLane } from "./requests/lane.ts";
import { allRoutes } from "./requests/routes.ts";
import { type FuzzedService, startFuzzedService } from "./requests/service.ts";
import { campaignTable } from "./requests/table.ts";

/** Few where nothing else is said; `npm run test:fuzz` sends 100,000. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 2_000);
const LANES = 8;
const SEED = seedOfRun();

let service: FuzzedService;
beforeAll(async () => {
  service = await startFuzzedService();
});
afterAll(() => service?.close());

test("no request gets a 5xx, no answer within 2 s, or another verdict when it is sent again", async () => {
  const connections = Array.from({ length: LANES }, () => connectTo(service.url));
  const lanes = await Promise.all(
    connections.map(async ({ exchange }, at) => ({
      ...{ exchange, lane: await prepareLane(service) },
      random: randomFrom(SEED * LANES + at),
    })),
  );
  const routes = allRoutes();
  const startedAt = performance.now();
  const campaign = await runCampaign({ routes, requests: REQUESTS, lanes });
  const seconds = (performance.now() - startedAt) / 1_000;
  await Promise.all(connections.map(({ close }) => close()));
  const never = routes.filter(({ name }) => !campaign.admitted.has(name)).map(({ name }) => name);
  console.log(
    [
      campaignTable(campaign),
      `FUZZ_SEED=${SEED} FUZZ_REQUESTS=${REQUESTS}, ${seconds.toFixed(0)} s, JSONTestSuite: ${HAS_JSON_TEST_SUITE ? "yes" : "no"}`,
      `${routes.length - never.length} of ${routes.length} routes admitted a request${never.length > 0 ? `, not ${never.join(", ")}` : ""}`,
      `differences that were gone at once: ${campaign.settled}`,
    ].join("\n"),
  );
  expect(findingsOf(campaign)).toEqual([]);
  expect(service.process.child.exitCode, service.process.output()).toBeNull();
  expect(service.process.log().filter(({ level }) => level >= 50)).toEqual([]);
  // A run of few requests does not reach all.
  if (REQUESTS >= 50_000) expect(never).toEqual([]);
}, 3_600_000);

function findingsOf({ findings }: Campaign): string[] {
  return findings.map(({ problem, request }) => `${problem}\n  ${shown(request)}\n  seed ${SEED}`);
}
