import { pino } from "pino";
import { Registry } from "prom-client";
import { createAccessLog } from "../../src/transport/access-log.ts";
import { createCors } from "../../src/transport/cors.ts";
import { createRefusals } from "../../src/transport/refusals.ts";

/** Answers of a server without an app around it: any page may read them, and their log goes nowhere. */
export const refusals = createRefusals({
  cors: createCors("*"),
  accessLog: createAccessLog({ log: pino({ level: "silent" }), writeLine: () => {}, metrics: new Registry() }),
});
