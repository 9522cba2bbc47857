import { describe, expect, test } from "vitest";
import { readConfig } from "./config.ts";

function start(OIDC_JWKS_URL: string, JWKS_ALLOWED_HOSTS = "") {
  const provider = { OIDC_ISSUER: "http://idp.example.com", OIDC_AUDIENCE: "dashboard" };
  return readConfig({ ...provider, OIDC_JWKS_URL, JWKS_ALLOWED_HOSTS }).dashboard?.expectation.jwksUrl;
}

describe("the keys of dashboard users", () => {
  test.each([
    "http://idp.example.com/keys",
    "HTTP://idp.example.com/keys",
    "http://10.0.0.1:8080/keys",
    "http://192.168.1.1/keys",
    "http://128.0.0.1/keys",
    "http://[::2]/keys",
    "http://0.0.0.0:9000/keys",
    "http://localhost.example.com/keys",
    "http://127.0.0.1.example.com/keys",
    "http://idp:9000/127.0.0.1",
  ])("are not fetched in cleartext from another machine: %s is refused with what to do", (url) => {
    const refused =
      /^The configuration has 1 mistake\(s\):\n {2}- OIDC_JWKS_URL must begin with https:\/\/.* host:port to JWKS_ALLOWED_HOSTS$/;
    expect(() => start(url)).toThrow(refused);
  });

  test.each([
    "https://idp.example.com/keys",
    "https://10.0.0.1:8443/keys",
    "http://127.0.0.1/keys",
    "http://127.1.2.3:9000/keys",
    "http://2130706433:9000/keys",
    "http://[::1]:9000/keys",
    "http://[0:0:0:0:0:0:0:1]/keys",
    "http://LOCALHOST:9000/keys",
  ])("are fetched over TLS, and in cleartext from this machine itself: %s", (url) => {
    expect(start(url)).toBe(url);
  });

  test("are fetched in cleartext from exactly the host and port that the operator allows", () => {
    expect(start("http://idp.internal/keys", "idp.internal:80")).toBe("http://idp.internal/keys");
    expect(start("http://IDP.internal:8080/keys", "a:1,idp.internal:8080")).toBe("http://IDP.internal:8080/keys");
    expect(() => start("http://idp.internal:8081/keys", "idp.internal:8080")).toThrow("OIDC_JWKS_URL");
    expect(() => start("http://idp.internal/keys", "idp.internal:443")).toThrow("OIDC_JWKS_URL");
    expect(() => start("http://a.idp.internal/keys", "idp.internal:80")).toThrow("OIDC_JWKS_URL");
  });
});
