import { LeakService } from "../../../gen/latchkey/v1/leak_service_pb.ts";
import type { ReportLeaksContext } from "../../domain/leaks/report.ts";
import { createThrottle } from "../../domain/leaks/throttle.ts";
import { createLeakMetrics } from "../../observability/metrics/leaked-keys.ts";
import { createLeakService } from "../../services/leak-service.ts";
import { createSafeFetch } from "../../store/jwks/safe-fetch.ts";
import { createScannerKeys } from "../../store/jwks/scanner-keys.ts";
import type { Part, PartContext, PartEndpoints } from "../part.ts";
import { mounted } from "../rpcs.ts";

/** Texts that can be keys, reported without credentials, in a minute. */
const REPORTS = { perAddress: 200, total: 2_000 };
/** Requests of GitHub in a minute, by their signatures. GitHub sends from few addresses. */
const SIGNED = { perAddress: 1_000, total: 2_000 };

/** Reports of leaked keys, by an RPC and in GitHub's form. */
export function openLeaks(ctx: PartContext): Part {
  const reports = createReports(ctx);
  const throttleReports = createThrottle(ctx.clock, REPORTS);
  return {
    services: [mounted(LeakService, createLeakService({ ...reports, throttleReports }))],
    endpoints: { githubLeaks: githubForm(ctx, reports) },
  };
}

/** Undefined if GitHub's form is switched off. */
function githubForm(ctx: PartContext, reports: ReportLeaksContext): PartEndpoints["githubLeaks"] {
  const { clock, life, watch } = ctx;
  const { githubKeysUrl: url } = ctx.config;
  if (url === null) return undefined;
  const { fetchText, close } = createSafeFetch({ allowedHosts: [] });
  life.onClose(close);
  const scannerKeys = createScannerKeys({
    url,
    fetchText: (from) => fetchText(from, { kind: "operator" }),
    clock,
    onFailure: (err) =>
      watch.conditions.warn("GitHub's public keys could not be fetched: reports of leaked keys are refused", err),
  });
  const throttleSigned = createThrottle(clock, SIGNED);
  return { ...reports, scannerKeys, throttleSigned };
}

function createReports({
  watch,
  storage: { keys, keyClock },
  access: { foreignKeys },
}: PartContext): ReportLeaksContext {
  const { log, metrics } = watch;
  const count = createLeakMetrics(metrics);
  return {
    keys,
    keyClock,
    foreignKeys,
    onLeak({ keyId: key_id, tenantId: tenant_id, leak }, { actor: { kind: reporter }, requestId: request_id }) {
      count(reporter);
      log.warn(
        { request_id, key_id, tenant_id, reporter, leak_url: leak?.url },
        "a key was reported as leaked and is disabled",
      );
    },
  };
}
