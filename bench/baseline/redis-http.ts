import { createHistogram } from "node:perf_hooks";
import { Redis } from "ioredis";
import { ROUND_TRIPS_PATH, type RoundTrips } from "../round-trips.ts";
import { BODY, HEADERS } from "./answer.ts";
import { serve } from "./serve.ts";

/** The least work of any service that calls Redis for each request: one round trip, and a constant answer. */

const redis = new Redis(process.env.REDIS_URL ?? "");
const micros = createHistogram();

serve(async (req, res) => {
  if (req.url === ROUND_TRIPS_PATH) {
    res.end(JSON.stringify(takeRoundTrips()));
    return;
  }
  const startedAt = performance.now();
  await redis.incr("latchkey-bench:requests");
  // A histogram takes whole numbers from 1 on.
  micros.record(Math.max(1, Math.round(1_000 * (performance.now() - startedAt))));
  res.writeHead(200, HEADERS);
  res.end(BODY);
});

function takeRoundTrips(): RoundTrips {
  const taken = { p50Ms: micros.percentile(50) / 1_000, p99Ms: micros.percentile(99) / 1_000 };
  micros.reset();
  return taken;
}
