import { describe, expect, test } from "vitest";
import { type Environment, readConfig } from "./config.ts";

const OIDC: Environment = {
  OIDC_ISSUER: "https://idp.example/",
  OIDC_JWKS_URL: "https://idp.example/jwks.json",
  OIDC_AUDIENCE: "dashboard",
};

/** The lines of what is wrong. */
function mistakes(env: Environment): string[] {
  try {
    readConfig(env);
    return [];
  } catch (err) {
    return String(err).split("\n  - ").slice(1);
  }
}

describe("JWKS_ALLOWED_HOSTS", () => {
  const hosts = (value: string) => readConfig({ JWKS_ALLOWED_HOSTS: value }).jwksAllowedHosts;

  test("is empty unless it is set", () => {
    expect(readConfig({}).jwksAllowedHosts).toEqual([]);
    for (const value of ["", " ", ","]) expect(hosts(value)).toEqual([]);
  });

  test("is a list of hosts with their ports, in any case and with any spaces", () => {
    expect(hosts("localhost:9000")).toEqual(["localhost:9000"]);
    expect(hosts(" IDP.internal:443 ,10.0.0.1:8080,,[::1]:9000")).toEqual([
      "idp.internal:443",
      "10.0.0.1:8080",
      "[::1]:9000",
    ]);
  });

  test.each([
    ...["localhost", "*", "*:443", "*.example:443", "http://localhost:9000", "localhost:", ":9000", "localhost:x"],
    ...["localhost:9000/path", "user@localhost:9000", "::1:9000x", "localhost:123456", "10.0.0.0/8", "a:1 b:2"],
  ])("%j is no host with its port", (value) => {
    for (const list of [value, `localhost:9000,${value}`]) {
      expect(mistakes({ JWKS_ALLOWED_HOSTS: list })).toEqual([
        expect.stringMatching(/^JWKS_ALLOWED_HOSTS .*host:port/),
      ]);
    }
  });
});

describe("the dashboard's provider", () => {
  test("is none unless it is configured", () => {
    expect(readConfig({}).dashboard).toBeNull();
    expect(readConfig({ OIDC_ISSUER: " ", OIDC_TENANT_CLAIM: "org" }).dashboard).toBeNull();
  });

  test("is taken exactly as it is written, and its URL trusted", () => {
    expect(readConfig(OIDC).dashboard).toEqual({
      expectation: {
        issuer: "https://idp.example/",
        jwksUrl: "https://idp.example/jwks.json",
        audience: "dashboard",
        jwksTrust: "operator",
      },
      tenantClaim: "tenant_id",
    });
    const local = { ...OIDC, OIDC_JWKS_URL: "http://127.0.0.1:9000/jwks", OIDC_TENANT_CLAIM: "https://x.example/org" };
    expect(readConfig(local).dashboard).toMatchObject({
      expectation: { jwksUrl: "http://127.0.0.1:9000/jwks" },
      tenantClaim: "https://x.example/org",
    });
  });

  test.each(Object.keys(OIDC))("is incomplete without %s", (name) => {
    for (const value of [undefined, "", " "]) {
      expect(mistakes({ ...OIDC, [name]: value })).toEqual([expect.stringMatching(`^${name} is required`)]);
    }
  });

  test.each(["OIDC_ISSUER", "OIDC_JWKS_URL"])("has a URL in %s", (name) => {
    for (const value of ["idp.example", "ftp://idp.example/", "/jwks"]) {
      expect(mistakes({ ...OIDC, [name]: value })).toEqual([expect.stringMatching(`^${name} must be a URL`)]);
    }
  });
});

test("all mistakes are told at once, and no value is", () => {
  const lines = mistakes({
    PORT: "hunter2",
    OIDC_ISSUER: "hunter2",
    OIDC_AUDIENCE: "hunter2",
    JWKS_ALLOWED_HOSTS: "hunter2",
    DATABASE_URL: "mysql://u:hunter2@db/",
    LOG_LEVEL: "hunter2",
  });
  expect(lines.map((line) => line.split(" ", 1)[0])).toEqual(
    expect.arrayContaining(["PORT", "DATABASE_URL", "OIDC_ISSUER", "OIDC_JWKS_URL", "JWKS_ALLOWED_HOSTS", "LOG_LEVEL"]),
  );
  expect(lines.join()).not.toContain("hunter2");
});
