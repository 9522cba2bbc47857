import { expect, test } from "vitest";
import { mistakes } from "../../test/harness/config-mistakes.ts";
import { readConfig } from "./config.ts";
import type { Environment } from "./environment.ts";
import { configWarnings } from "./warnings.ts";

const SECRET = "s".repeat(32);
const OIDC = { OIDC_ISSUER: "https://idp.example", OIDC_JWKS_URL: "https://idp.example/keys", OIDC_AUDIENCE: "api" };

test("the service issues no tokens of its own unless it has a secret and an issuer", () => {
  expect(readConfig({}).accessTokens).toBeNull();
  const issuer = "https://keys.example/v1";
  const { accessTokens } = readConfig({ ...OIDC, TOKEN_ISSUER: issuer, TOKEN_SECRET: SECRET });
  expect(accessTokens).toEqual({ issuer, secrets: [SECRET] });
});

test("a second secret is for changing it, and the issuer may be this machine", () => {
  const two = { TOKEN_ISSUER: "http://127.0.0.1:8080", TOKEN_SECRET: `${SECRET}2,${SECRET}1` };
  expect(readConfig(two).accessTokens).toEqual({
    issuer: "http://127.0.0.1:8080",
    secrets: [`${SECRET}2`, `${SECRET}1`],
  });
});

test.each<[Environment, string]>([
  [{ TOKEN_SECRET: SECRET }, "TOKEN_ISSUER is required"],
  [{ TOKEN_ISSUER: "https://keys.example" }, "TOKEN_SECRET is required"],
  [{ TOKEN_ISSUER: "keys.example" }, "TOKEN_ISSUER must be the public URL of this service"],
  [{ TOKEN_ISSUER: "http://keys.example" }, "TOKEN_ISSUER must be the public URL of this service"],
  [{ TOKEN_ISSUER: "https://a:b@keys.example" }, "TOKEN_ISSUER must be the public URL of this service"],
  [{ TOKEN_ISSUER: "https://keys.example?x" }, "TOKEN_ISSUER must be the public URL of this service"],
  [{ TOKEN_ISSUER: "https://keys.example#x" }, "TOKEN_ISSUER must be the public URL of this service"],
  [{ ...OIDC, TOKEN_ISSUER: "https://idp.example" }, "OIDC_ISSUER must not lead to this service"],
  [{ ...OIDC, TOKEN_ISSUER: "https://IDP.example/" }, "OIDC_ISSUER must not lead to this service"],
  [
    { ...OIDC, OIDC_JWKS_URL: "https://KEYS.example/.well-known/jwks.json", TOKEN_ISSUER: "https://keys.example" },
    "OIDC_JWKS_URL must not lead to this service",
  ],
  [{ TOKEN_ISSUER: "https://keys.example", TOKEN_SECRET: "hunter2" }, "TOKEN_SECRET must be one or two secrets"],
])("%j is a mistake that is reported at the start, without the secret", (env, line) => {
  const secret = env.TOKEN_SECRET === undefined && !line.startsWith("TOKEN_SECRET") ? { TOKEN_SECRET: SECRET } : {};
  const lines = mistakes({ ...secret, ...env });
  expect(lines).toEqual([expect.stringContaining(line)]);
  expect(lines.join()).not.toContain("hunter2");
});

test("without a secret, those of webhooks are stored as they are, which a warning says where there is a database", () => {
  const warnings = (env: Environment) =>
    [...configWarnings(readConfig(env))].filter((text) => text.includes("webhooks"));
  const database = { DATABASE_URL: "postgres://latchkey:a@127.0.0.1/latchkey" };
  expect(warnings(database)).toEqual([expect.stringMatching(/^no TOKEN_SECRET and TOKEN_ISSUER: /)]);
  expect(warnings({ ...database, TOKEN_ISSUER: "https://keys.example", TOKEN_SECRET: SECRET })).toEqual([]);
  expect(warnings({})).toEqual([]);
});
