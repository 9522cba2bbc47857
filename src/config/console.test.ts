import { expect, test } from "vitest";
import { mistakes } from "../../test/harness/config-mistakes.ts";
import { readConfig } from "./config.ts";
import type { Environment } from "./environment.ts";

const OIDC: Environment = {
  OIDC_ISSUER: "https://idp.example/",
  OIDC_JWKS_URL: "https://idp.example/jwks.json",
  OIDC_AUDIENCE: "dashboard, console",
};

const read = (env: Environment) => readConfig({ ...OIDC, ...env }).console;

test("the console is there unless it is switched off, and without a client it says so itself", () => {
  expect(read({})).toEqual({
    clientId: null,
    scope: "openid profile email offline_access",
    token: "id_token",
    parameters: {},
  });
  expect(read({ CONSOLE: "true" })).not.toBeNull();
  expect(read({ CONSOLE: "false", CONSOLE_CLIENT_ID: "console" })).toBeNull();
  expect(mistakes({ ...OIDC, CONSOLE: "no" })).toEqual(["CONSOLE must be one of true, false"]);
});

test("client, scopes, token and parameters are taken as they are", () => {
  const env = {
    CONSOLE_CLIENT_ID: "console",
    CONSOLE_SCOPE: "openid   email",
    CONSOLE_TOKEN: "access_token",
    CONSOLE_AUTHORIZATION_PARAMETERS: "audience=https%3A%2F%2Fapi.example&organization=acme",
  };
  expect(read(env)).toEqual({
    clientId: "console",
    scope: "openid email",
    token: "access_token",
    parameters: { audience: "https://api.example", organization: "acme" },
  });
});

test.each([
  [{ CONSOLE_SCOPE: "email" }, "CONSOLE_SCOPE must contain openid"],
  [{ CONSOLE_TOKEN: "jwt" }, "CONSOLE_TOKEN must be one of id_token, access_token"],
  [{ CONSOLE_AUTHORIZATION_PARAMETERS: "state=1" }, "CONSOLE_AUTHORIZATION_PARAMETERS must not contain state"],
  [
    { CONSOLE_AUTHORIZATION_PARAMETERS: "redirect_uri=x" },
    "CONSOLE_AUTHORIZATION_PARAMETERS must not contain redirect_uri",
  ],
])("%j is a mistake that is reported at the start", (env, line) => {
  expect(mistakes({ ...OIDC, ...env })).toEqual([expect.stringContaining(line)]);
});

test("a client whose ID tokens would be refused is a mistake, and access tokens are another matter", () => {
  expect(read({ CONSOLE_CLIENT_ID: "dashboard" })).toMatchObject({ clientId: "dashboard" });
  const other = { ...OIDC, CONSOLE_CLIENT_ID: "other" };
  expect(mistakes(other)).toEqual([expect.stringContaining("CONSOLE_CLIENT_ID must be in OIDC_AUDIENCE")]);
  expect(mistakes({ ...other, CONSOLE_TOKEN: "access_token" })).toEqual([]);
  expect(mistakes({ ...other, CONSOLE: "false" })).toEqual([]);
});
