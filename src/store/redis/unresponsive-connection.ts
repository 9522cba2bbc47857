import { type Cluster, Redis } from "ioredis";

/** How often a connection is checked. */
const CHECK_MS = 250;
/**
 * Checks in a row, thus 2 s, for which Redis may owe a reply and send nothing. Callers time out sooner, see
 * redis-replies.ts.
 */
const SILENT_CHECKS_MAX = 8;

/**
 * Closes each connection of the client on which Redis stops responding; ioredis then opens a new one. The peer may have
 * vanished without closing the connection, and TCP would retry for a quarter of an hour.
 *
 * ioredis' `socketTimeout` is not enough: its timer fires before the data that arrived meanwhile is read. So a process
 * that was stopped for 2 s (SIGSTOP, a paused machine) took Redis for away and admitted each limit once more. Here
 * checks are counted and not time: Node reads the sockets between two checks, and a stop counts as one check, however
 * long it is.
 */
export function closeWhenUnresponsive(redis: Redis | Cluster): void {
  if (redis instanceof Redis) redis.on("connect", () => watchStream(redis));
  else redis.on("+node", closeWhenUnresponsive);
}

function watchStream(redis: Redis): void {
  const { stream } = redis;
  let bytesRead = 0;
  let silentChecks = 0;
  const timer = setInterval(() => {
    const isSilent = redis.commandQueue.length > 0 && stream.bytesRead === bytesRead;
    bytesRead = stream.bytesRead;
    silentChecks = isSilent ? silentChecks + 1 : 0;
    if (silentChecks === SILENT_CHECKS_MAX) stream.destroy(new Error("Redis stopped responding"));
  }, CHECK_MS).unref();
  stream.once("close", () => clearInterval(timer));
}
