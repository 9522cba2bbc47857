import type { Logger } from "pino";
import { Gauge, type Registry } from "prom-client";
import { type Certificate, validityProblem } from "../../config/certificate.ts";
import type { Clock } from "../../domain/vocabulary/clock.ts";
import type { HttpServer } from "../../transport/http/server.ts";

/**
 * Reports when a server's certificate expires, and returns the function that reloads it.
 *
 * A certificate that is not valid now is served with a warning. Failing the start would stop the service, and a proxy in
 * front of it may not check the expiry. A renewal with an invalid certificate fails, and the current one stays.
 */
export function reportCertificate(
  server: Pick<HttpServer, "certificate" | "reloadCertificate">,
  { log, metrics, clock }: { log: Logger; metrics: Registry; clock: Clock },
): () => void {
  const initial = server.certificate();
  if (initial === null) return () => {};
  const shown = (): Certificate => server.certificate() ?? initial;
  new Gauge({
    name: "latchkey_certificate_expiry_timestamp_seconds",
    help: "When the certificate that new connections are shown ends, in seconds since 1970.",
    registers: [metrics],
    collect() {
      this.set(shown().validTo.getTime() / 1_000);
    },
  });
  const problem = validityProblem(initial, clock());
  if (problem !== undefined) log.warn(`TLS_CERT_FILE ${problem}; clients refuse it until it is renewed`);
  return () => {
    server.reloadCertificate(clock());
    const { subject, validTo } = shown();
    log.info({ subject, expires: validTo.toISOString() }, "the certificate was renewed");
  };
}
