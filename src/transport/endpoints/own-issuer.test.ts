// promise: oidc.own-issuer
import { describe, expect, test } from "vitest";
import { createOwnIssuer } from "../../domain/tokens/own-issuer.ts";
import { tokenIssuerDocuments } from "./token-issuer.ts";

const ISSUERS = ["https://keys.example", "https://keys.example/", "https://keys.example/latchkey"];

/** Other spellings of a URL that lead to the same place. */
function spellings(url: string): string[] {
  const { host, pathname } = new URL(url);
  const path = pathname === "/" ? "" : pathname;
  const escaped = path.replaceAll(/[a-z]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return [
    url,
    `https://${host}${path}/`,
    `https://${host}:443${path}`,
    `http://${host}${path}`,
    `HTTPS://${host.toUpperCase()}${path}`,
    `https://${host}.${path}`,
    `https://${host.replace(".", "%2e")}${path}`,
    `https://${host}${escaped}`,
    `https://${host}${path.replaceAll("/", "%2F").replace("%2F", "/")}`,
    `https://${host}${path.replaceAll("/", "//")}`,
    `https://${host}/x/..${path}`,
    `https://${host}${path}?x=1`,
    `https://${host}${path}#x`,
  ];
}

describe.each(ISSUERS)("for %s", (issuer) => {
  const isOwn = createOwnIssuer({ issuer, host: "10.0.0.7", ports: [8_080, 9_090] });
  const base = issuer.replace(/\/$/, "");
  const served = tokenIssuerDocuments({ issuer, publicJwks: [], scopes: [] }).map(({ path }) => path);

  test("the issuer is this service's own, in every spelling", () => {
    for (const url of spellings(base)) expect(isOwn(url), url).toBe(true);
  });

  test("each document that it publishes is, in every spelling, at its public address and at its ports", () => {
    const documents = [...served, "/.well-known/openid-configuration"];
    const direct = ["keys.example:8080", "keys.example:9090", "10.0.0.7:9090", "localhost:8080", "127.0.0.1:9090"];
    for (const path of documents) {
      const isPublished = path.endsWith(new URL(base).pathname.replace(/\/$/, ""));
      const urls = [base + path, ...(isPublished ? [new URL(path, base).href] : [])];
      for (const url of urls.flatMap(spellings)) expect(isOwn(url), url).toBe(true);
      for (const host of direct) expect(isOwn(`http://${host}${path}`), `${host}${path}`).toBe(true);
    }
  });

  test("other services are not, on the same host too", () => {
    for (const url of [
      "https://idp.example",
      "https://idp.example/.well-known/jwks.json",
      `${base}/auth/realms/a`,
      `${base}/auth/realms/a/.well-known/jwks.json`,
      "https://keys.example:8443/.well-known/jwks.json",
      "https://keys.example.evil.example/.well-known/jwks.json",
      "https://idp.example/?https://keys.example",
      "accounts.google.com",
      "kubernetes/serviceaccount",
      "",
    ])
      expect(isOwn(url), url).toBe(false);
  });
});

test("an identity provider at the root of the host of an issuer with a path is another one", () => {
  const isOwn = createOwnIssuer({ issuer: "https://keys.example/latchkey", host: "0.0.0.0", ports: [8_080] });
  expect(isOwn("https://keys.example")).toBe(false);
  expect(isOwn("https://keys.example/.well-known/jwks.json")).toBe(false);
});

test("a service without tokens of its own has no issuer", () => {
  const isOwn = createOwnIssuer({ issuer: undefined, host: "0.0.0.0", ports: [8_080] });
  expect(isOwn("http://localhost:8080/.well-known/jwks.json")).toBe(false);
});
