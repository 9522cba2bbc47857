import { withKeySet } from "../config/dashboard-key-set.ts";
import type { DashboardProvider } from "../config/settings.ts";
import { createKeySetLog } from "../observability/log/key-set-log.ts";
import { createKeySetMetrics } from "../observability/metrics/key-set-fetches.ts";
import { createTokenVerifier, type JwksTokenVerifier } from "../store/jwks/token-verifier.ts";
import type { Setup } from "./setup.ts";
import type { Watch } from "./watch.ts";

/** What verifies users' tokens. */
export interface Tokens {
  readonly tokens: JwksTokenVerifier;
  /** Whose tokens dashboard users have. Null: there are no dashboard users. */
  readonly dashboard: DashboardProvider | null;
}

/** Throws if the key set of the dashboard's provider cannot be found. */
export async function openTokens({ config, clock, life }: Setup, { log, metrics }: Watch): Promise<Tokens> {
  const tokens = createTokenVerifier({
    clock,
    jwksAllowedHosts: config.jwksAllowedHosts,
    onKeySetChange: createKeySetLog(log),
    onKeySetFetched: createKeySetMetrics(metrics),
  });
  life.onClose(tokens.close);
  return { tokens, dashboard: await withKeySet(config, tokens) };
}
