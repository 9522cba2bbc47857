import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import {
  generateSigningKey,
  type IdentityProvider,
  startIdentityProvider,
} from "../../../src/dev/identity-provider.ts";
import { EDGE_TOKEN } from "../../harness/edge-token.ts";
import { newScannerKey, type ScannerKey, startGithubKeyServer } from "../../harness/github.ts";
import { SIGNING_SECRET } from "../../harness/login-hook.ts";
import { replies, startModel } from "../../harness/model.ts";
import { OPERATOR_TOKEN } from "../../harness/operator.ts";
import { type Running, runService } from "../../harness/service-process.ts";
import { TOKEN_ISSUER, TOKEN_SECRET } from "../../harness/token-settings.ts";
import { copyDatabase, dropDatabase } from "../../servers/postgres.ts";
import { openReceiver } from "../../webhooks/receiver.ts";

/** What stands behind the proxies that ask. */
export const RESOURCE_URL = "https://resource.latchkey.test/mcp";

/** A process of the service with all that it can have, on PostgreSQL and Redis. */
export interface FuzzedService {
  readonly url: string;
  readonly provider: IdentityProvider;
  /** GitHub's key. */
  readonly scanner: ScannerKey;
  /** Where webhooks may be sent. */
  readonly receiverUrl: string;
  readonly process: Running;
  close(): Promise<void>;
}

export async function startFuzzedService(): Promise<FuzzedService> {
  const provider = await startIdentityProvider(await generateSigningKey());
  const scanner = newScannerKey("scanner");
  const github = await startGithubKeyServer([scanner]);
  const model = await startModel(replies("A reply."));
  const receiver = await openReceiver();
  const databaseUrl = await copyDatabase(inject("servingTemplate").adminUrl);
  const cwd = await mkdtemp(join(tmpdir(), "latchkey-fuzz-"));
  const service = runService(
    {
      DATABASE_URL: databaseUrl,
      REDIS_URL: inject("redisUrl"),
      OIDC_ISSUER: provider.issuer,
      OIDC_JWKS_URL: provider.jwksUrl,
      OIDC_AUDIENCE: provider.audience,
      // Users of publishable keys are the same provider's.
      JWKS_ALLOWED_HOSTS: new URL(provider.jwksUrl).host,
      OPERATOR_TOKEN,
      EDGE_TOKEN,
      TOKEN_SECRET,
      TOKEN_ISSUER,
      RESOURCE_URL,
      WEBHOOK_ALLOWED_HOSTS: receiver.host,
      IDENTITY_HOOK_SECRET: SIGNING_SECRET,
      GITHUB_SECRET_SCANNING: "true",
      GITHUB_SECRET_SCANNING_KEYS_URL: github.url,
      OPENAI_BASE_URL: model.url,
      OPENAI_MODEL: "test-model",
      // So that headers of proxies are read.
      TRUSTED_PROXIES: "127.0.0.1",
      // A user who makes a hundred thousand requests is no user.
      DASHBOARD_REQUESTS_PER_MINUTE: "0",
      DEFAULT_REQUESTS_PER_MINUTE: "0",
    },
    cwd,
  );
  return {
    url: await service.listening(),
    provider,
    scanner,
    receiverUrl: receiver.url,
    process: service,
    async close() {
      await service.end("SIGKILL");
      await Promise.all([provider.close(), github.close(), model.close(), receiver.close()]);
      await dropDatabase(inject("postgresUrl"), databaseUrl);
      await rm(cwd, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
