import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Config, readConfig } from "../../src/config/config.ts";
import { AUDIENCE, PROVIDERS, type ProviderShape } from "../../tools/authorization-tables/providers.ts";
import type { Answer } from "../harness/http.ts";
import { type KeyHost, startKeyHost } from "../harness/key-host.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { bearer } from "../harness/publishable.ts";
import { generateKey, signToken } from "../jwks/provider.ts";

const SIGNER = generateKey("ES256", { kid: "provider" });

let folder: string;
let keyHost: KeyHost;
/** A service for each provider. */
let services: ReadonlyMap<ProviderShape, Latchkey>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "latchkey-providers-"));
  keyHost = await startKeyHost();
  const started = PROVIDERS.map(async (shape) => {
    const { dashboard, access } = await configFor(shape);
    return [shape, await startLatchkey({ config: { dashboard, access } })] as const;
  });
  services = new Map(await Promise.all(started));
});

afterAll(async () => {
  await Promise.all([...services.values()].map((latchkey) => latchkey.close()));
  await keyHost.close();
  await rm(folder, { recursive: true });
});

/** What the process reads from the variables of the page. */
async function configFor({ name, variables, roles, claims }: ProviderShape): Promise<Config> {
  const file = join(folder, `${name}.json`);
  await writeFile(file, JSON.stringify(roles));
  return readConfig({
    OIDC_ISSUER: claims.iss,
    OIDC_JWKS_URL: keyHost.document(SIGNER.jwk).url,
    OIDC_AUDIENCE: AUDIENCE,
    ROLES_FILE: file,
    ...variables,
  });
}

function sign({ typ, claims }: ProviderShape, changes: Record<string, unknown> = {}): string {
  const iat = Math.floor(Date.now() / 1_000);
  const header = { alg: SIGNER.alg, kid: SIGNER.jwk.kid, ...(typ !== null && { typ }) };
  return signToken(SIGNER, { ...claims, iat, exp: iat + 3_600, ...changes }, header);
}

async function call(shape: ProviderShape, path: string, token: string): Promise<Answer> {
  const latchkey = services.get(shape);
  if (latchkey === undefined) throw new Error(`no service for ${shape.name}`);
  return latchkey.call(path, {}, bearer(token));
}

describe.each(PROVIDERS)("a token of $name", (shape) => {
  const { expected, withoutRoles } = shape;
  const verify = (token: string) => call(shape, "/api/v1/auth/verify", token);

  test("names the user, the tenant and the roles", async () => {
    const { json } = await verify(sign(shape));
    expect(json).toMatchObject({
      caller: "CALLER_DASHBOARD_USER",
      user_id: expected.userId,
      tenant_id: expected.tenantId,
      permissions: expected.permissions,
    });
  });

  test.each(Object.entries(withoutRoles))("gives no rights by %s", async (_what, changes) => {
    const token = sign(shape, changes);
    expect((await verify(token)).json).toMatchObject({ user_id: expected.userId, tenant_id: expected.tenantId });
    expect((await verify(token)).json.permissions).toEqual([]);
    const { status, json } = await call(shape, "/api/v1/api-keys/list", token);
    expect([status, json.denial_reason]).toEqual([403, "insufficient_scope"]);
  });

  test("without a tenant, or with several in a list, is a user who has none", async () => {
    const [claim = ""] = Object.keys(shape.claims).filter((name) => shape.variables.OIDC_TENANT_CLAIM.startsWith(name));
    for (const value of [undefined, null, [expected.tenantId], {}]) {
      const { status, json } = await verify(sign(shape, { [claim]: value }));
      expect([status, json.denial_reason]).toEqual([403, "tenant_required"]);
    }
  });
});

test("Cognito's access token, which is signed by the same keys, is refused by the claim that is required", async () => {
  const shape = PROVIDERS.find(({ name }) => name === "Cognito");
  if (shape === undefined) throw new Error("no Cognito");
  const { status, json } = await call(shape, "/api/v1/auth/verify", sign(shape, { token_use: "access" }));
  expect([status, json.denial_reason]).toEqual([401, "jwt_malformed"]);
  expect(json.message).toContain("token_use");
});
