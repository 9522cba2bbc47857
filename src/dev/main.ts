import { type App, startApp } from "../app.ts";
import { type Config, readConfig, TENANT_CLAIM_DEFAULT } from "../config/config.ts";
import { createLog } from "../observability/log/log.ts";
import { runProcess } from "../process/process.ts";
import { refuseExposure } from "./exposure.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import { startPersistentProvider } from "./persistent-provider.ts";
import { seedKey, welcome } from "./welcome.ts";

/** `npm run dev`: the real service on loopback, with an identity provider of its own, a tenant and ready keys. */

const DEV_DIR = ".latchkey/dev";
const DEV_DEFAULTS = { host: "127.0.0.1", dataDir: `${DEV_DIR}/data`, drainSeconds: 0 };
const DEV_TENANT = "ten_dev";
const DEV_USER = "dev-user";
const APP_USER = "app-user";

await runProcess(async () => {
  const configured = readConfig({ LOG_LEVEL: "warn", ...process.env }, DEV_DEFAULTS);
  refuseExposure(process.env, configured.host);
  const provider = await startPersistentProvider(DEV_DIR, (text) => console.error(`latchkey: ${text}`));
  const app = await startDevApp(withProvider(configured, provider), provider);
  const token = await provider.sign({ sub: DEV_USER, tenant_id: DEV_TENANT });
  const permissions = ["conversations:*"];
  const { issuer, jwksUrl, audience } = provider;
  const publishableConfig = { oidc: { issuer, jwksUrl, audience } };
  const key = await seedKey(app.url, token, { name: "first key", permissions });
  const publishableKey = await seedKey(app.url, token, {
    name: "first publishable key",
    keyType: "KEY_TYPE_PUBLISHABLE",
    permissions,
    publishableConfig,
  });
  const userToken = await provider.sign({ sub: APP_USER });
  console.log(welcome({ url: app.url, token, key, publishableKey, userToken, tenant: DEV_TENANT }));
  return app;
});

async function startDevApp(config: Config, provider: IdentityProvider): Promise<App> {
  const app = await startApp(config, createLog(config.logLevel));
  return {
    ...app,
    async close() {
      await app.close();
      await provider.close();
    },
  };
}

/**
 * Development always uses its own provider for the dashboard, since otherwise it could not sign tokens. Its key set can
 * also be the `jwksUrl` of publishable keys.
 */
function withProvider(config: Config, { issuer, jwksUrl, audience }: IdentityProvider): Config {
  const expectation = { issuer, jwksUrl, audience, jwksOwner: { kind: "operator" } } as const;
  return {
    ...config,
    dashboard: { expectation, userIdClaim: "sub", tenantClaim: TENANT_CLAIM_DEFAULT, requiredClaims: {} },
    access: { ...config.access, rolesClaim: null },
    jwksAllowedHosts: [...config.jwksAllowedHosts, new URL(jwksUrl).host],
  };
}
