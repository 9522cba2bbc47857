import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JWK } from "jose";
import { type App, startApp } from "../app.ts";
import { type Config, readConfig } from "../config.ts";
import { createLog } from "../log.ts";
import { runProcess } from "../process.ts";
import { generateSigningKey, type IdentityProvider, startIdentityProvider } from "./identity-provider.ts";
import { seedKey, welcome } from "./welcome.ts";

/** `npm run dev`: the real service on loopback, with an identity provider of its own, a tenant and a ready key. */

const DEV_DIR = ".latchkey/dev";
const DEV_DEFAULTS = { host: "127.0.0.1", dataDir: `${DEV_DIR}/data`, drainSeconds: 0 };
const DEV_TENANT = "ten_dev";
const DEV_USER = "dev-user";

await runProcess(async () => {
  const configured = readConfig({ LOG_LEVEL: "warn", ...process.env }, DEV_DEFAULTS);
  const provider = await startIdentityProvider(await loadSigningKey());
  const app = await startDevApp(withProvider(configured, provider), provider);
  const token = await provider.sign({ sub: DEV_USER, tenant_id: DEV_TENANT });
  const key = await seedKey(app.url, token);
  console.log(welcome({ url: app.url, token, key, tenant: DEV_TENANT }));
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
 * Development always has its own provider for the dashboard, since only so can it hand out a token; its key set can
 * also be the `jwksUrl` of publishable keys.
 */
function withProvider(config: Config, { issuer, jwksUrl, audience }: IdentityProvider): Config {
  const expectation = { issuer, jwksUrl, audience, jwksOwner: { kind: "operator" } } as const;
  return {
    ...config,
    dashboard: { expectation, tenantClaim: "tenant_id" },
    jwksAllowedHosts: [...config.jwksAllowedHosts, new URL(jwksUrl).host],
  };
}

/** Kept beside the data, so that a token printed before a restart is good for the rest of its hour. */
async function loadSigningKey(): Promise<JWK> {
  const path = join(DEV_DIR, "signing-key.json");
  const stored = await readFile(path, "utf8").catch(() => undefined);
  // Our own file, written below.
  if (stored !== undefined) return JSON.parse(stored) as JWK;
  const key = await generateSigningKey();
  await mkdir(DEV_DIR, { recursive: true, mode: 0o700 });
  await writeFile(path, JSON.stringify(key), { mode: 0o600 });
  return key;
}
