import { setTimeout as sleep } from "node:timers/promises";
import { connectRedis } from "../../src/store/redis/redis-connection.ts";
import { redisAt } from "../harness/redis-servers.ts";

// Connects to the URL of its argument, and prints the errors that the client was told.
const [, , url = ""] = process.argv;
const errors = new Set<string>();
const redis = await connectRedis(redisAt(url), ({ message }) => void errors.add(message));
// Commands, too, so that the client of a cluster asks its nodes.
for (let tries = 0; tries < 5; tries++) {
  await redis.get("key").catch(() => {});
  await sleep(50);
}
redis.disconnect();
console.log([...errors].join("\n"));
