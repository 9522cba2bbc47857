import { startPostgres } from "../test/servers/postgres.ts";
import { startRedis } from "../test/servers/redis.ts";
import { countCosts } from "./ledger/count.ts";

/** `node bench/ledger.ts`: what one request costs in counts that do not depend on the machine. */

const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
try {
  console.log(await countCosts({ postgresUrl: postgres.url, redisUrl: redis.url }));
} finally {
  await Promise.all([postgres.stop(), redis.stop()]);
}
