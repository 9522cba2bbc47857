import { pino } from "pino";
import { Registry } from "prom-client";
import { createAccessLog } from "../../src/observability/log/access-log.ts";
import { createCors } from "../../src/transport/answer/cors.ts";
import { HTTP_LIMITS, type HttpLimits } from "../../src/transport/http/http-limits.ts";
import { createRefusals } from "../../src/transport/http/refusals.ts";
import { createClientAddress } from "../../src/transport/request/client-address.ts";

/** Those of the service, except that a port closes at once: it waits for no request that a client may have sent before. */
export const LIMITS: HttpLimits = { ...HTTP_LIMITS, lastRequestMs: 0 };

/** Answers of a server without an app around it: it knows no keys, any page may read them, and their log goes nowhere. */
const refusals = createRefusals({
  gate: { refuse: async () => {}, conclude: () => {} },
  clientAddress: createClientAddress({ ranges: [], header: null }),
  docsUrl: "",
  cors: createCors("*"),
  accessLog: createAccessLog({
    log: pino({ level: "silent" }),
    reportError: () => {},
    writeLine: () => {},
    metrics: new Registry(),
  }),
});

/** Of a server without an app around it, on any free port. */
export const LISTEN_OPTIONS = {
  host: "127.0.0.1",
  port: 0,
  tls: null,
  refusals,
  limits: LIMITS,
  onError: (err: Error): void => {
    throw err;
  },
};
