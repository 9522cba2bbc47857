import type { Config } from "../config/config.ts";
import { withKeySet } from "../config/dashboard-key-set.ts";
import type { DashboardProvider } from "../config/settings.ts";
import { usableKeys } from "../domain/tokens/key-set-report.ts";
import { createTokenVerifier } from "../store/jwks/token-verifier.ts";
import { type Finding, type Findings, reasonOf } from "./finding.ts";

const SUBJECT = "identity provider";

/** The key set of the dashboard's identity provider: found, fetched, and with keys that verify tokens. */
export async function* checkIdentityProvider(config: Config): Findings {
  const { jwksAllowedHosts } = config;
  const tokens = createTokenVerifier({ clock: () => new Date(), jwksAllowedHosts, onKeySetChange: () => {} });
  try {
    const dashboard = await withKeySet(config, tokens);
    if (dashboard === null) return;
    const { problem, inUse } = await tokens.inspectKeySet(dashboard.expectation);
    yield inUse === undefined
      ? failed(`the key set could not be fetched: ${problem ?? "unknown"}; check ${sourceOf(config, dashboard)}`)
      : found(usableKeys(inUse), inUse.keyCount);
  } catch (err) {
    yield failed(reasonOf(err));
  } finally {
    await tokens.close();
  }
}

/** Where the URL of the key set comes from. */
function sourceOf({ dashboard }: Config, { expectation }: DashboardProvider): string {
  if (dashboard?.expectation.jwksUrl !== undefined) return "OIDC_JWKS_URL";
  return `what OIDC_ISSUER names as its jwks_uri, ${expectation.jwksUrl}`;
}

function found(usable: number, all: number): Finding {
  const text = `the key set has ${usable} usable keys of ${all}`;
  return usable > 0 ? { level: "ok", subject: SUBJECT, text } : failed(text);
}

function failed(text: string): Finding {
  return { level: "problem", subject: SUBJECT, text };
}
