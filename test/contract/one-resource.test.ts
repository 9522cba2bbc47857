// promise: tokens.compared
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { protectedResource } from "../../src/domain/access/protected-resource.ts";
import { newEmployer } from "../harness/federation.ts";
import { bearer, type PublishableService, startPublishable } from "../harness/publishable.ts";

// A resource without a path and with "/" is one, wherever an audience is compared: libraries add the slash when they parse a URL.

const ROOT = "https://mcp.example.com";

describe.each([
  [ROOT, `${ROOT}/`],
  [`${ROOT}/`, ROOT],
])("of a resource that is configured as %s, a token for %s", (configured, named) => {
  let service: PublishableService;
  beforeAll(async () => {
    service = await startPublishable(
      { resource: protectedResource(configured, ["https://idp.example.com"], []) },
      configured,
    );
  });
  afterAll(async () => {
    await service?.latchkey.close();
    await service?.keyHost.close();
  });

  test("is a dashboard user's, also for /auth/check", async () => {
    const { latchkey, platform } = service;
    expect(await platform.outcomeOf(platform.token({ aud: named }))).toBe("admitted");
    const headers = bearer(platform.token({ aud: ["other", named] }));
    expect((await fetch(`${latchkey.url}/auth/check`, { headers })).status).toBe(200);
  });

  test.each(["azp", "client_id"])(
    "is that of a publishable key's user, in aud and in %s in its place",
    async (claim) => {
      const app = await service.newApp({ oidc: { audience: configured, audienceClaim: claim } });
      expect(await app.outcomeOf(app.token({ aud: named }))).toBe("admitted");
      expect(await app.outcomeOf(app.token({ aud: undefined, [claim]: named }))).toBe("admitted");
    },
  );

  test("is that of a rule's workload", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create({ audience: configured });
    const check = await employer.json("check", { rule_id, assertion: employer.assertion({ aud: named }) });
    expect(check).toMatchObject({ passed: true });
    await employer.token(rule_id, employer.assertion({ aud: [named] }));
  });

  // threat: Q14
  test("is the dashboard's, so that a rule for it and the dashboard's issuer is refused", async () => {
    const employer = await newEmployer(service);
    const { issuer } = service.platform;
    const values = employer.values({ issuer, audience: named, jwksUrl: service.platform.document.url });
    expect(await employer.call("create", values)).toMatchObject({ status: 400, json: { field: "issuer" } });
  });

  test("is another resource than one below it, and one with a path keeps its slash", async () => {
    const [app, below] = [
      await service.newApp({ oidc: { audience: configured } }),
      await service.newApp({ oidc: { audience: `${ROOT}/mcp` } }),
    ];
    for (const aud of [`${ROOT}/mcp`, `${named}?`, `${ROOT}//`, randomUUID()])
      expect(await app.outcomeOf(app.token({ aud })), aud).toBe("jwt_invalid_audience");
    expect(await below.outcomeOf(below.token({ aud: `${ROOT}/mcp/` }))).toBe("jwt_invalid_audience");
  });
});
