// promise: access.metadata
import { calculateJwkThumbprint, type JWK } from "jose";
import { afterAll, describe, expect, test } from "vitest";
import { type Latchkey, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { TOKEN_ISSUER, TOKEN_SECRET } from "../harness/token-settings.ts";

const JWKS = "/.well-known/jwks.json";
const METADATA = "/.well-known/oauth-authorization-server";
const OPENID = "/.well-known/openid-configuration";

const latchkey = await sharedLatchkey();
const started: Latchkey[] = [];
afterAll(() => Promise.all(started.map((service) => service.close())));

async function startWith(config: Parameters<typeof startLatchkey>[0]): Promise<Latchkey> {
  const service = await startLatchkey(config);
  started.push(service);
  return service;
}

const get = (path: string, headers: Record<string, string> = {}, service = latchkey) =>
  fetch(`${service.url}${path}`, { headers });

describe("the documents of the issuer", () => {
  test("are the public keys, without anything private", async () => {
    const response = await get(JWKS);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    const document = (await response.json()) as { keys: JWK[] };
    expect(Object.keys(document)).toEqual(["keys"]);
    const [key = {}] = document.keys;
    expect(document.keys).toEqual([
      {
        kty: "EC",
        crv: "P-256",
        x: expect.any(String),
        y: expect.any(String),
        kid: expect.any(String),
        alg: "ES256",
        use: "sig",
      },
    ]);
    expect(key.kid).toBe(await calculateJwkThumbprint(key));
  });

  test.each([METADATA, OPENID])("are the metadata, at %s", async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      issuer: TOKEN_ISSUER,
      token_endpoint: `${TOKEN_ISSUER}/oauth/token`,
      jwks_uri: `${TOKEN_ISSUER}${JWKS}`,
      scopes_supported: expect.arrayContaining(["conversations:read", "plans:write"]),
      response_types_supported: [],
      grant_types_supported: [
        "urn:ietf:params:oauth:grant-type:token-exchange",
        "urn:ietf:params:oauth:grant-type:jwt-bearer",
      ],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
      dpop_signing_alg_values_supported: expect.arrayContaining(["ES256"]),
    });
  });

  test.each([JWKS, METADATA, OPENID])("%s may be cached for five minutes, and read by any page", async (path) => {
    const response = await get(path, { origin: "https://page.example" });
    expect(response.headers.get("cache-control")).toBe("public, max-age=300");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const etag = response.headers.get("etag") ?? "";
    expect((await get(path, { "if-none-match": etag })).status).toBe(304);
    expect((await fetch(`${latchkey.url}${path}`, { method: "HEAD" })).status).toBe(200);
    expect((await fetch(`${latchkey.url}${path}`, { method: "POST", body: "{}" })).status).toBe(405);
  });

  test("of an issuer with a path are also where RFC 8414 has them", async () => {
    const issuer = "https://api.example.com/keys/";
    const service = await startWith({ config: { accessTokens: { issuer, secrets: [TOKEN_SECRET] } } });
    const [metadata, ...others] = await Promise.all(
      [METADATA, `${METADATA}/keys`, OPENID, `${OPENID}/keys`].map(async (path) =>
        (await get(path, {}, service)).json(),
      ),
    );
    expect(others).toEqual([metadata, metadata, metadata]);
    expect(metadata).toMatchObject({
      issuer,
      token_endpoint: "https://api.example.com/keys/oauth/token",
      jwks_uri: `https://api.example.com/keys${JWKS}`,
    });
  });

  test("do not exist where TOKEN_SECRET and TOKEN_ISSUER are not set", async () => {
    const service = await startWith({ config: { accessTokens: null } });
    for (const path of [JWKS, METADATA, OPENID]) {
      const response = await get(path, {}, service);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: "not_found" });
    }
  });
});
