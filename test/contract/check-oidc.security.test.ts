// promise: oidc.check
import { beforeAll, describe, expect, test } from "vitest";
import { expectNotFound } from "../harness/error-answers.ts";
import { newTenant } from "../harness/latchkey.ts";
import { type PublishableService, sharedPublishable } from "../harness/publishable.ts";

const CHECK = "/api/v1/api-keys/check-oidc";

describe("a check", () => {
  let service: PublishableService;

  beforeAll(async () => {
    service = await sharedPublishable();
  });

  const check = async (body: object, tenant = newTenant()) =>
    service.latchkey.call(CHECK, body, await service.latchkey.dashboard(tenant));

  test("of another tenant's key is 404, as of an unknown one", async () => {
    const app = await service.newApp();
    const [foreign, unknown] = [await check({ key_id: app.keyId }), await check({ key_id: `key_${"0".repeat(32)}` })];
    expectNotFound(foreign);
    expect(foreign.text).toBe(unknown.text);
  });

  test("does not log the token, nor repeat it", async () => {
    const app = await service.newApp();
    for (const token of [
      app.token(),
      app.token({ sub: 5 }),
      `${app.token()}x`,
      "no-token-and-unlike-any-other-text-0123456789",
    ]) {
      const answer = await check({ key_id: app.keyId, token }, app.tenant);
      expect(answer.status).toBe(200);
      for (const part of token.split(".").map((each) => each.slice(0, 40))) {
        expect(answer.text).not.toContain(part);
        expect(service.latchkey.logLines.join("")).not.toContain(part);
      }
    }
  });

  test.each([
    "https://127.0.0.1",
    "https://localhost",
    "https://10.0.0.1",
    "https://[::1]",
    "https://idp.example:8443",
    "http://idp.example",
    "https://user:secret@idp.example",
  ])("fetches nothing from %s, as issuer or as key set", async (url) => {
    for (const oidc of [
      { issuer: url, audience: "app" },
      { issuer: "https://idp.example", audience: "app", jwksUrl: `${url}/keys` },
    ]) {
      const { json } = await check({ oidc });
      expect(json.steps.map(({ name }: { name: string }) => name)).toEqual(["configuration"]);
      expect(json.passed).toBe(false);
    }
  });

  test("that discovers does not follow a redirect, nor to a key set that the tenant could not name", async () => {
    const { issuer, metadata } = service.keyHost.issuer();
    const steps = async () => (await check({ oidc: { issuer, audience: "app" } })).json.steps;
    metadata.respond = (_req, res) => res.writeHead(302, { location: metadata.url }).end();
    expect((await steps()).at(-1)).toMatchObject({ name: "discovery", passed: false });
    expect((await steps()).at(-1).detail).toContain("is a redirect (302), which is not followed");
    for (const jwks_uri of ["https://127.0.0.1/keys", "http://idp.example/keys", "https://169.254.169.254/"]) {
      metadata.respond = (_req, res) => res.end(JSON.stringify({ issuer, jwks_uri }));
      expect((await steps()).at(-1)).toMatchObject({ name: "discovery", passed: false });
    }
  });

  test("of forged claims passes none of them on as verified", async () => {
    const [app, other] = [await service.newApp(), await service.newApp()];
    const [header, , signature] = app.token().split(".");
    const [, payload] = other.token().split(".");
    const { json } = await check({ key_id: app.keyId, token: `${header}.${payload}.${signature}` }, app.tenant);
    expect(json.passed).toBe(false);
    expect(json.steps.find(({ name }: { name: string }) => name === "signature").passed).toBe(false);
  });
});
