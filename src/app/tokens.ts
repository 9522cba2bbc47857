import { withKeySet } from "../config/dashboard-key-set.ts";
import type { DashboardProvider } from "../config/settings.ts";
import type { Clock } from "../domain/vocabulary/clock.ts";
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
  /** From now on tokens begin and end by this clock. Until then, for discovery, by the host's. */
  useClock(clock: Clock): void;
}

/** Throws if the key set of the dashboard's provider cannot be found. */
export async function openTokens({ config, clock, life }: Setup, { log, metrics }: Watch): Promise<Tokens> {
  let current = clock;
  const tokens = createTokenVerifier({
    clock: () => current(),
    jwksAllowedHosts: config.jwksAllowedHosts,
    onKeySetChange: createKeySetLog(log),
    onKeySetFetched: createKeySetMetrics(metrics),
  });
  life.onClose(tokens.close);
  return {
    tokens,
    dashboard: await withKeySet(config, tokens),
    useClock(latest) {
      current = latest;
    },
  };
}
