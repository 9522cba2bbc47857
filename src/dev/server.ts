import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { type App, startApp } from "../app/app.ts";
import { type Config, readConfig } from "../config/config.ts";
import { TENANT_CLAIM_DEFAULT } from "../config/dashboard.ts";
import { createLog } from "../observability/log/log.ts";
import { runProcess } from "../process/process.ts";
import type { SqlDatabase } from "../store/sql/driver/database.ts";
import { openDatabase } from "../store/sql/driver/open.ts";
import { migrateToLatest } from "../store/sql/migrations/migrator.ts";
import { devOperatorToken, devTokenSecret } from "./dev-secrets.ts";
import { readEnvFile, writeEnvFile } from "./env-file.ts";
import { refuseExposure } from "./exposure.ts";
import { DEV_RESOURCE, type IdentityProvider } from "./identity-provider.ts";
import { claimsFromHook, DEV_USERS, ownerClaims, seedOrganizations } from "./organizations.ts";
import { DEV_DIR } from "./paths.ts";
import { startPersistentProvider } from "./persistent-provider.ts";
import { type CallApi, seedKey } from "./seed-keys.ts";
import { tryPage } from "./try-page.ts";
import { welcome } from "./welcome.ts";

const DEV_DEFAULTS = { host: "127.0.0.1", dataDir: `${DEV_DIR}/data`, drainSeconds: 0, hasOwnProvider: true } as const;
const TRY_PATH = "/try";
const APP_USER = "app-user";
/** Where a page of yours may be that signs users in, besides the console. */
const APP_PORTS = [3_000, 5_173, 8_080];
const LOOPBACK = ["127.0.0.1", "localhost"];

/**
 * `npm run dev` and `latchkey dev`: the real service on loopback, with an identity provider of its own, two tenants and ready
 * keys. `tokenCommand` makes further tokens; the page with examples names it.
 */
export function runDevServer(tokenCommand: string): Promise<void> {
  return runProcess(() => startDevServer(tokenCommand));
}

async function startDevServer(tokenCommand: string): Promise<App> {
  const configured = readConfig({ LOG_LEVEL: "warn", ...process.env }, DEV_DEFAULTS);
  refuseExposure(process.env, configured.host);
  const hookSecret = randomBytes(32).toString("hex");
  let url = "";
  const consoles = LOOPBACK.map((host) => `http://${host}:${configured.port}/console`);
  const provider = await startPersistentProvider(
    DEV_DIR,
    {
      users: DEV_USERS,
      claimsOf: (sub) => claimsFromHook(url, hookSecret, sub),
      redirectUris: [
        ...APP_PORTS.map((port) => `http://127.0.0.1:${port}/callback`),
        ...consoles.map((page) => `${page}/callback`),
      ],
      signedOutUris: consoles,
      pages: new Map([[TRY_PATH, tryPage(tokenCommand)]]),
    },
    warn,
  );
  const database = await openDatabase(configured.storage);
  await migrateToLatest(database);
  await seedOrganizations(database, provider.issuer);
  const operatorToken = await devOperatorToken(DEV_DIR);
  const config = {
    ...withProvider(configured, provider, hookSecret, operatorToken),
    accessTokens: configured.accessTokens ?? {
      issuer: `${configured.tls === null ? "http" : "https"}://127.0.0.1:${configured.port}`,
      secrets: [await devTokenSecret(DEV_DIR)],
    },
  };
  const app = await startDevApp(config, provider, database);
  url = app.url;
  const envFile = resolve(DEV_DIR, "env.sh");
  const known = await readEnvFile(envFile);
  const token = await provider.sign(ownerClaims());
  const call: CallApi = (method, body) =>
    fetch(`${url}/api/v1/api-keys/${method}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  const permissions = ["conversations:*"];
  const { issuer, jwksUrl, audience } = provider;
  const publishableConfig = { oidc: { issuer, jwksUrl, audience } };
  const key = await seedKey(call, known.LATCHKEY_KEY, { name: "first key", permissions }, warn);
  const publishable = {
    ...{ name: "first publishable key", keyType: "KEY_TYPE_PUBLISHABLE" },
    ...{ permissions, publishableConfig },
  };
  const publishableKey = await seedKey(call, known.LATCHKEY_PUBLISHABLE_KEY, publishable, warn);
  const userToken = await provider.sign({ sub: APP_USER });
  await writeEnvFile(envFile, {
    LATCHKEY_URL: url,
    LATCHKEY_TOKEN: token,
    LATCHKEY_KEY: key?.key,
    LATCHKEY_KEY_ID: key?.key_id,
    LATCHKEY_PUBLISHABLE_KEY: publishableKey?.key,
    LATCHKEY_PUBLISHABLE_KEY_ID: publishableKey?.key_id,
    LATCHKEY_USER_TOKEN: userToken,
    LATCHKEY_OPERATOR_TOKEN: operatorToken,
    LATCHKEY_HOOK_SECRET: hookSecret,
    LATCHKEY_ISSUER: issuer,
    LATCHKEY_JWKS_URL: jwksUrl,
    LATCHKEY_AUDIENCE: audience,
  });
  console.log(welcome({ url, key: key?.key, envFile, tryUrl: `${issuer}${TRY_PATH}` }));
  return app;
}

function warn(text: string): void {
  console.error(`latchkey: ${text}`);
}

async function startDevApp(config: Config, provider: IdentityProvider, database: SqlDatabase): Promise<App> {
  const app = await startApp(config, { ...createLog(config.logLevel), database });
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
function withProvider(
  config: Config,
  { issuer, jwksUrl, audience }: IdentityProvider,
  hookSecret: string,
  operatorToken: string,
): Config {
  const expectation = {
    ...{ issuer, jwksUrl, jwksOwner: { kind: "operator" } as const },
    audience: [audience, DEV_RESOURCE.url],
  };
  return {
    ...config,
    dashboard: { expectation, userIdClaim: "sub", tenantClaim: TENANT_CLAIM_DEFAULT, requiredClaims: {} },
    console: config.console && {
      clientId: audience,
      scope: "openid offline_access",
      token: "id_token",
      parameters: {},
    },
    access: { ...config.access, rolesClaim: "roles" },
    identityHookSecrets: [hookSecret],
    // Those of the environment work, too, and are never written to env.sh.
    operatorTokens: [...config.operatorTokens, operatorToken],
    jwksAllowedHosts: [...config.jwksAllowedHosts, ...LOOPBACK.map((host) => `${host}:${new URL(jwksUrl).port}`)],
  };
}
