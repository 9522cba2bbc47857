import { expect, test } from "vitest";
import { discoverSignIn } from "./sign-in.ts";

const ISSUER = "https://login.example.com";
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: "https://tokens.example.com/token",
  end_session_endpoint: `${ISSUER}/logout`,
  id_token_signing_alg_values_supported: ["ES256", 1],
  jwks_uri: `${ISSUER}/jwks`,
  scopes_supported: ["openid"],
};

const discover = (document: unknown, issuer = ISSUER) =>
  discoverSignIn({ fetchDocument: async () => ({ document }) }, issuer, { kind: "operator" });

test("a page gets the endpoints and what its checks need, and nothing else of the metadata", async () => {
  expect(await discover(METADATA)).toEqual({
    metadata: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: "https://tokens.example.com/token",
      end_session_endpoint: `${ISSUER}/logout`,
      id_token_signing_alg_values_supported: ["ES256"],
      authorization_response_iss_parameter_supported: false,
    },
  });
});

test.each(["authorization_endpoint", "token_endpoint"])(
  "%s has to be an https URL without user name",
  async (member) => {
    for (const url of [
      undefined,
      7,
      "not a URL",
      "http://login.example.com/x",
      "javascript:alert(1)",
      "https://a:b@c.example/",
    ])
      expect(await discover({ ...METADATA, [member]: url }), String(url)).toEqual({
        problem: `The metadata of OIDC_ISSUER has no ${member} that is an https URL.`,
      });
  },
);

test("an endpoint for the end of a session that is not an https URL is left out", async () => {
  const found = await discover({ ...METADATA, end_session_endpoint: "javascript:alert(1)" });
  expect(found).toMatchObject({ metadata: { end_session_endpoint: undefined } });
});

test("plain http is for a provider whose issuer is plain http, as in development", async () => {
  const issuer = "http://127.0.0.1:9000";
  const local = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
  expect(await discover(local, issuer)).toMatchObject({ metadata: { token_endpoint: `${issuer}/token` } });
});

test("a provider that is away, or that names another issuer, is a problem that says what to look at", async () => {
  const away = { fetchDocument: async () => ({ problem: "the connection was refused" }) };
  expect(await discoverSignIn(away, ISSUER, { kind: "operator" })).toEqual({
    problem: expect.stringContaining("The sign-in of OIDC_ISSUER could not be discovered"),
  });
  expect(await discover({ ...METADATA, issuer: "https://other.example.com" })).toEqual({
    problem: expect.stringContaining("OIDC_ISSUER differs from the issuer"),
  });
});
