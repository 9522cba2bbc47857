import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startPostgres } from "../test/servers/postgres.ts";
import { startRedis } from "../test/servers/redis.ts";
import { comparison, misfits, readBudget, writeBudget } from "./ledger/budget.ts";
import { countCosts } from "./ledger/count.ts";

/**
 * `npm run ledger`: builds the service, and prints what one request takes beside its budget, bench/ledger.json. With `--write`
 * the counts become the budget.
 */

execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: fileURLToPath(new URL("..", import.meta.url)) });
const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
try {
  const counted = await countCosts({ postgresUrl: postgres.url, redisUrl: redis.url });
  const budget = readBudget();
  console.log(comparison(counted, budget));
  for (const misfit of misfits(counted, budget)) console.log(misfit);
  if (process.argv.includes("--write")) writeBudget(counted);
} finally {
  await Promise.all([postgres.stop(), redis.stop()]);
}
