import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { codeOf } from "../../src/domain/vocabulary/error-code.ts";
import { listenOnLoopback } from "./loopback.ts";

/**
 * Below the ports that systems hand out by themselves, for connections and for `listen(0)`: one of those is taken within
 * moments where many tests run.
 */
const [FIRST, LAST] = [12_000, 32_000] as const;

/** A port of the loopback without a listener, which nothing takes by chance before its user does, or while that restarts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    const server = createServer();
    try {
      await listenOnLoopback(server, port);
    } catch (err) {
      if (codeOf(err) === "EADDRINUSE") continue;
      throw err;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}
