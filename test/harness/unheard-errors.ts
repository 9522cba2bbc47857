import type { Reporter } from "vitest/node";

/** What ioredis prints of an error for which a connection has no listener. */
const UNHEARD = "[ioredis] Unhandled error event";

/** Fails the run if a connection to Redis reports an error that nothing listens to: no test fails by it. */
export function failOnUnheardErrors(): Reporter {
  return {
    onUserConsoleLog({ content, type }) {
      if (type === "stderr" && content.includes(UNHEARD))
        throw new Error(`A connection to Redis has no listener: ${content}`);
    },
  };
}
