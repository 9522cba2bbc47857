import { type Cluster, Redis } from "ioredis";

/** How often a connection is looked at. */
const LOOK_MS = 250;
/** Looks in a row, thus 2 s, for which Redis may owe an answer and say nothing. Whoever asks gives up sooner, see replies.ts. */
const SILENT_LOOKS_MAX = 8;

/**
 * From its first connection on, gives up each one on which Redis falls silent: ioredis makes a new one. The peer may have
 * vanished without a word, and TCP would go on trying for a quarter of an hour.
 *
 * Not ioredis' `socketTimeout`: its timer goes off before what came meanwhile is read, so a process that stood still for
 * 2 s (SIGSTOP, a paused machine) took Redis for away and admitted each limit once more. Here looks are counted, not time:
 * the sockets are read between any two of them, and standing still is one look, however long it lasts.
 */
export function leaveSilent(redis: Redis | Cluster): void {
  if (redis instanceof Redis) redis.on("connect", () => lookAt(redis));
  else redis.on("+node", leaveSilent);
}

function lookAt(redis: Redis): void {
  const { stream } = redis;
  let bytesRead = 0;
  let silentLooks = 0;
  const timer = setInterval(() => {
    const isSilent = redis.commandQueue.length > 0 && stream.bytesRead === bytesRead;
    bytesRead = stream.bytesRead;
    silentLooks = isSilent ? silentLooks + 1 : 0;
    if (silentLooks === SILENT_LOOKS_MAX) stream.destroy(new Error("Redis fell silent"));
  }, LOOK_MS).unref();
  stream.once("close", () => clearInterval(timer));
}
