import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newCall, startGate } from "../../../test/harness/memory-gate.ts";
import { generateKey, START_S, signToken, startKeyServer, startVerifier } from "../../../test/jwks/provider.ts";
import { AUDIENCE, PROVIDERS, type ProviderShape } from "../../../tools/authorization-tables/providers.ts";
import { readConfig } from "../../config/config.ts";
import { withKeySet } from "../../config/dashboard-key-set.ts";
import { createAuthority } from "../../domain/access/authority.ts";

const SIGNER = generateKey("ES256", { kid: "provider" });
const VERIFY = "/api/v1/auth/verify";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "latchkey-providers-"));
});
afterAll(() => rm(folder, { recursive: true }));

function sign({ typ, claims }: ProviderShape, changes: Record<string, unknown> = {}): string {
  const header = { alg: SIGNER.alg, kid: SIGNER.jwk.kid, ...(typ !== null && { typ }) };
  return signToken(SIGNER, { ...claims, iat: START_S, exp: START_S + 3_600, ...changes }, header);
}

/** What a gate with the variables of the provider's page decides. */
async function gateOf({ name, variables, roles, claims }: ProviderShape) {
  const file = join(folder, `${name}.json`);
  await writeFile(file, JSON.stringify(roles));
  const server = await startKeyServer(SIGNER.jwk);
  const config = readConfig({
    ...{ OIDC_ISSUER: claims.iss, OIDC_JWKS_URL: server.url, OIDC_AUDIENCE: AUDIENCE, ROLES_FILE: file },
    ...variables,
  });
  const { verifier: tokens } = startVerifier({ allowed: [server.host] });
  const dashboard = await withKeySet(config, tokens);
  const authority = createAuthority(config.access);
  const { gate, methodOf } = await startGate(() => ({ dashboard, tokens, authority }));
  /** The caller, or the reason of the denial with its message. */
  return async (path: string, token: string) => {
    const call = newCall({ authorization: [`Bearer ${token}`] });
    try {
      return await gate.check(methodOf(path), call);
    } catch (err) {
      if (call.denial === undefined) throw err;
      return { denied: call.denial.reason, message: String(err) };
    }
  };
}

describe.each(PROVIDERS)("a token of $name", (shape) => {
  const { expected, withoutRoles } = shape;
  const { userId, tenantId } = expected;

  test("names the user, the tenant and the roles", async () => {
    const check = await gateOf(shape);
    const rights = { scopes: [...expected.permissions] };
    expect(await check(VERIFY, sign(shape))).toMatchObject({ kind: "dashboard_user", userId, tenantId, rights });
  });

  test.each(Object.entries(withoutRoles))("gives no rights by %s", async (_what, changes) => {
    const check = await gateOf(shape);
    const token = sign(shape, changes);
    expect(await check(VERIFY, token)).toMatchObject({ userId, tenantId, rights: { scopes: [] } });
    expect(await check("/api/v1/api-keys/list", token)).toMatchObject({ denied: "insufficient_scope" });
  });

  test("without a tenant, or with several in a list, is a user who has none", async () => {
    const check = await gateOf(shape);
    const [claim = ""] = Object.keys(shape.claims).filter((name) => shape.variables.OIDC_TENANT_CLAIM.startsWith(name));
    for (const value of [undefined, null, [tenantId], {}]) {
      expect(await check(VERIFY, sign(shape, { [claim]: value }))).toMatchObject({ userId, tenantId: null });
    }
  });
});

test("Cognito's access token, which is signed by the same keys, is refused by the claim that is required", async () => {
  const shape = PROVIDERS.find(({ name }) => name === "Cognito");
  if (shape === undefined) throw new Error("no Cognito");
  const check = await gateOf(shape);
  const denied = await check(VERIFY, sign(shape, { token_use: "access" }));
  expect(denied).toMatchObject({ denied: "jwt_malformed", message: expect.stringContaining("token_use") });
});
