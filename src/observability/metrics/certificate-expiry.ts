import type { Logger } from "pino";
import { Gauge, type Registry } from "prom-client";
import { type Certificate, validityProblem } from "../../config/certificate.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { HttpServer } from "../../transport/http/server.ts";

/**
 * Tells until when a server's certificate is good, and answers what renews it.
 *
 * One that is not valid is served all the same, with a warning: a restart that fails on top would serve nobody, and who reads
 * it behind a proxy may not look at its time. A renewal has a better one in its place, which stays.
 */
export function reportCertificate(
  server: HttpServer,
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
