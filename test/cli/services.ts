import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { generateSigningKey, type IdentityProvider, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { newTenant } from "../harness/latchkey.ts";
import { OPERATOR_TOKEN } from "../harness/operator.ts";
import { type Running, runService } from "../harness/service-process.ts";
import { TOKEN_ISSUER, TOKEN_SECRET } from "../harness/token-settings.ts";
import { copyTemplate } from "../servers/embedded-template.ts";
import { copyServingDatabase, createServingUser } from "../servers/least-privilege.ts";

/** A process of the service, with an identity provider for its dashboard users. */
export interface CommandTarget {
  readonly url: string;
  /** Variables of the command for a dashboard user; of a new tenant unless one is given. */
  user(claims?: Record<string, unknown>): Promise<Record<string, string>>;
  /** Variables of the command for the operator. */
  readonly operator: Readonly<Record<string, string>>;
  readonly running: Running;
  close(): Promise<void>;
}

export type TargetStorage = "PostgreSQL and Redis" | "the embedded store";

export async function startTarget(storage: TargetStorage): Promise<CommandTarget> {
  const provider = await startIdentityProvider(await generateSigningKey());
  const cwd = await mkdtemp(join(tmpdir(), "latchkey-cli-"));
  const running = runService(
    {
      ...(await storageEnv(storage, cwd)),
      OIDC_ISSUER: provider.issuer,
      OIDC_JWKS_URL: provider.jwksUrl,
      OIDC_AUDIENCE: provider.audience,
      ...{ OPERATOR_TOKEN, TOKEN_SECRET, TOKEN_ISSUER },
    },
    cwd,
  );
  const url = await running.listening();
  return {
    url,
    user: async (claims = {}) => ({ LATCHKEY_URL: url, LATCHKEY_TOKEN: await tokenOf(provider, claims) }),
    operator: { LATCHKEY_URL: url, LATCHKEY_OPERATOR_TOKEN: OPERATOR_TOKEN },
    running,
    async close() {
      await running.end("SIGTERM");
      await provider.close();
      await rm(cwd, { recursive: true, force: true });
    },
  };
}

function tokenOf(provider: IdentityProvider, claims: Record<string, unknown>): Promise<string> {
  return provider.sign({ sub: "user-1", tenant_id: newTenant(), ...claims });
}

/** On PostgreSQL and Redis with the documented privileges alone. */
async function storageEnv(storage: TargetStorage, cwd: string): Promise<Record<string, string>> {
  if (storage === "the embedded store") {
    const dataDir = join(cwd, "data");
    await copyTemplate(inject("embeddedTemplate"), dataDir);
    return { DATA_DIR: dataDir };
  }
  const { url } = await copyServingDatabase(inject("servingTemplate"));
  return { DATABASE_URL: url, REDIS_URL: await createServingUser(inject("redisUrl")) };
}
