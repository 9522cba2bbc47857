import { expect, test } from "vitest";
import { mistakes } from "../../test/harness/config-mistakes.ts";
import { readConfig } from "./config.ts";
import type { Environment } from "./environment.ts";

const OIDC: Environment = {
  OIDC_ISSUER: "https://idp.example",
  OIDC_JWKS_URL: "https://idp.example/jwks.json",
  OIDC_AUDIENCE: "https://api.example/v1",
};
const RESOURCE_URL = "https://api.example/v1";

test("a resource is that of the dashboard's issuer, unless others are named", () => {
  expect(readConfig(OIDC).resource).toBeNull();
  expect(readConfig({ ...OIDC, RESOURCE_URL }).resource).toEqual({
    url: RESOURCE_URL,
    id: RESOURCE_URL,
    authorizationServers: ["https://idp.example"],
    scopes: [],
    metadataUrl: "https://api.example/.well-known/oauth-protected-resource/v1",
  });
  const more = {
    RESOURCE_URL: "https://API.example",
    RESOURCE_AUTHORIZATION_SERVERS: "https://a.example, http://127.0.0.1:9",
    RESOURCE_SCOPES: "plans:read, plans:write",
  };
  expect(readConfig(more).resource).toMatchObject({
    url: "https://API.example",
    id: "https://api.example/",
    authorizationServers: ["https://a.example", "http://127.0.0.1:9"],
    scopes: ["plans:read", "plans:write"],
    metadataUrl: "https://api.example/.well-known/oauth-protected-resource",
  });
});

test.each<[Environment, string]>([
  [{ RESOURCE_URL: "api.example" }, "RESOURCE_URL must be a URL that begins with https://"],
  [{ RESOURCE_URL: "http://api.example" }, "RESOURCE_URL must be a URL that begins with https://"],
  [{ RESOURCE_URL: "https://a:b@api.example" }, "RESOURCE_URL must be a URL that begins with https://"],
  [{ RESOURCE_URL: "https://api.example?x" }, "RESOURCE_URL must be a URL that begins with https://"],
  [{ RESOURCE_URL: "https://api.example#x" }, "RESOURCE_URL must be a URL that begins with https://"],
  [{ RESOURCE_URL, RESOURCE_AUTHORIZATION_SERVERS: "idp" }, "RESOURCE_AUTHORIZATION_SERVERS must be issuers"],
  [{ RESOURCE_URL, RESOURCE_SCOPES: "plans:*" }, "RESOURCE_SCOPES must be known scopes"],
  [{ RESOURCE_URL, RESOURCE_SCOPES: "plans:reed" }, "RESOURCE_SCOPES must be known scopes"],
  [{ RESOURCE_SCOPES: "plans:read" }, "RESOURCE_SCOPES has no effect without RESOURCE_URL"],
  [{ RESOURCE_AUTHORIZATION_SERVERS: "https://a" }, "RESOURCE_AUTHORIZATION_SERVERS has no effect without"],
])("%j is a mistake that is reported at the start", (env, line) => {
  expect(mistakes({ ...OIDC, ...env })).toEqual([expect.stringContaining(line)]);
});

test("a resource without an issuer is a mistake", () => {
  expect(mistakes({ RESOURCE_URL })).toEqual([expect.stringContaining("RESOURCE_AUTHORIZATION_SERVERS is required")]);
});
