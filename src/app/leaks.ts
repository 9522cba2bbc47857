import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { Config } from "../config/config.ts";
import type { KeyStore } from "../domain/keys/key-store.ts";
import type { ReportLeaksContext } from "../domain/leaks/report.ts";
import { createThrottle } from "../domain/leaks/throttle.ts";
import type { Clock, KeyClock } from "../domain/vocabulary/clock.ts";
import type { ErrorTranslator } from "../interceptors/errors.ts";
import { createLeakMetrics } from "../observability/metrics/leaked-keys.ts";
import type { LeakServiceContext } from "../services/leak-service.ts";
import { createSafeFetch } from "../store/jwks/safe-fetch.ts";
import { createScannerKeys } from "../store/jwks/scanner-keys.ts";
import type { GithubLeaksContext } from "../transport/endpoints/github-leaks.ts";

/** Texts that can be keys, reported without credentials, in a minute. */
const REPORTS = { perAddress: 200, total: 2_000 };
/** Requests of GitHub in a minute, by their signatures. GitHub sends from few addresses. */
const SIGNED = { perAddress: 1_000, total: 2_000 };

export interface LeaksContext {
  readonly config: Pick<Config, "githubKeysUrl">;
  readonly keys: KeyStore;
  readonly keyClock: KeyClock;
  readonly clock: Clock;
  readonly log: Logger;
  readonly warn: (message: string, err: unknown) => void;
  readonly metrics: Registry;
  readonly translate: ErrorTranslator;
}

export interface Leaks {
  readonly service: LeakServiceContext;
  /** Undefined: GitHub's form is switched off. */
  readonly github: GithubLeaksContext | undefined;
  close(): Promise<void>;
}

/** What takes reports of leaked keys, in both forms. */
export function createLeaks(ctx: LeaksContext): Leaks {
  const { clock, translate } = ctx;
  const reports = createReports(ctx);
  const service = { ...reports, throttleReports: createThrottle(clock, REPORTS) };
  const { githubKeysUrl: url } = ctx.config;
  if (url === null) return { service, github: undefined, close: async () => {} };
  const { fetchText, close } = createSafeFetch({ allowedHosts: [] });
  const scannerKeys = createScannerKeys({
    url,
    fetchText: (from) => fetchText(from, { kind: "operator" }),
    clock,
    onFailure: (err) => ctx.warn("GitHub's public keys could not be fetched: reports of leaked keys are refused", err),
  });
  const throttleSigned = createThrottle(clock, SIGNED);
  return { service, github: { ...reports, scannerKeys, throttleSigned, translate }, close };
}

function createReports({ keys, keyClock, log, metrics }: LeaksContext): ReportLeaksContext {
  const count = createLeakMetrics(metrics);
  return {
    keys,
    keyClock,
    onLeak({ keyId: key_id, tenantId: tenant_id, leak }, { actor: { kind: reporter }, requestId: request_id }) {
      count(reporter);
      log.warn(
        { request_id, key_id, tenant_id, reporter, leak_url: leak?.url },
        "a key was reported as leaked and is disabled",
      );
    },
  };
}
