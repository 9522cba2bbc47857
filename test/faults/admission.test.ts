import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";

const RUNS = 20;
const REQUESTS = 1_000;

let fleet: Fleet;
let replicas: readonly Replica[];

beforeAll(async () => {
  fleet = await startFleet(inject("redisUrl"));
  replicas = await Promise.all([fleet.start(), fleet.start()]);
});

afterAll(() => fleet?.close());

// threat: L1
test.each([1, 100])(
  `two processes admit exactly %i of ${REQUESTS} requests at once, in each of ${RUNS} runs`,
  async (n) => {
    for (let run = 0; run < RUNS; run++) {
      const rate_limit = run % 2 === 0 ? { requests_per_minute: n } : { requests_per_hour: n };
      const { key } = await fleet.createKey(replicas[0] as Replica, { rate_limit });
      const answers = await Promise.all(
        Array.from({ length: REQUESTS }, (_, at) =>
          (replicas[at % 2] as Replica).call("/api/v1/auth/verify", {}, { "x-api-key": key }),
        ),
      );
      const admitted = answers.filter(({ status }) => status === 200);
      expect(admitted.map(({ headers }) => Number(headers.get("x-ratelimit-remaining"))).sort((a, b) => a - b)).toEqual(
        Array.from({ length: n }, (_, remaining) => remaining),
      );
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(REQUESTS - n);
    }
  },
);
