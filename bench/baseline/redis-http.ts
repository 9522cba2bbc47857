import { Redis } from "ioredis";
import { BODY, HEADERS } from "./answer.ts";
import { serve } from "./serve.ts";

/** The least that any service can do that asks Redis about each request: one round trip, and a constant answer. */

const redis = new Redis(process.env.REDIS_URL ?? "");

serve(async (_req, res) => {
  await redis.incr("latchkey-bench:requests");
  res.writeHead(200, HEADERS);
  res.end(BODY);
});
