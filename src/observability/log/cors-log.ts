import type { Logger } from "pino";
import { quotable } from "../../domain/vocabulary/request-fault.ts";

/** Origins that one process logs. Anybody can send any number of them. */
const ORIGINS_MAX = 100;

/** Logs each origin that `CORS_ALLOWED_ORIGINS` lacks once: its page sees no more than a failed call, and no reason. */
export function createCorsLog(log: Logger): (origin: string) => void {
  const logged = new Set<string>();
  return (sent) => {
    const origin = quotable(sent);
    if (logged.has(origin) || logged.size === ORIGINS_MAX) return;
    logged.add(origin);
    log.warn({ origin }, "a web page may not call: CORS_ALLOWED_ORIGINS does not name its origin");
    if (logged.size === ORIGINS_MAX) log.warn("further origins that may not call are not logged until the next start");
  };
}
