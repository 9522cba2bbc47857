import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config/config.ts";
import { EXCHANGE, JWT_TYPE, postForm } from "../../harness/federation.ts";
import type { JsonObject } from "../../harness/http.ts";
import { type Latchkey, startLatchkey } from "../../harness/latchkey.ts";
import { bearer } from "../../harness/publishable.ts";
import type { Issuer } from "./issuer.ts";

/** What a guide says to set. */
export interface Guide {
  readonly env: Readonly<Record<string, string>>;
  /** What creates the publishable key. */
  readonly key: JsonObject;
  /** What a federation rule has beside its key. Default: as the key, for the user. */
  readonly rule?: JsonObject;
}

/** Its users are those of the dashboard and of a publishable key, and a token of one is exchanged by a rule. */
export function describeIssuer(name: string, open: () => Promise<{ issuer: Issuer; guide: Guide }>): void {
  describe(name, () => {
    let issuer: Issuer;
    let latchkey: Latchkey;
    let guide: Guide;
    let dashboard: Record<string, string>;
    beforeAll(async () => {
      ({ issuer, guide } = await open());
      const jwksAllowedHosts = [new URL(issuer.url).host];
      const config = { dashboard: readConfig(guide.env).dashboard, tenantFromMembership: true, jwksAllowedHosts };
      latchkey = await startLatchkey({ config });
      dashboard = bearer(await issuer.tokenFor("console"));
      const founded = await latchkey.call("/api/v1/orgs/create", { name: "Acme" }, dashboard);
      expect(founded.status, founded.text).toBe(200);
    }, 900_000);
    afterAll(async () => {
      await latchkey?.close();
      await issuer?.stop();
    });

    test("signs in dashboard users, who manage keys, and no users of another app", async () => {
      const created = await latchkey.call(
        "/api/v1/api-keys/create",
        { name: "k", permissions: ["plans:read"] },
        dashboard,
      );
      expect(created.status, created.text).toBe(200);
      const other = await latchkey.call("/api/v1/api-keys/list", {}, bearer(await issuer.tokenFor("web-app")));
      expect(other.json).toMatchObject({ denial_reason: "jwt_invalid_audience" });
    });

    test("signs in the users of a publishable key, and none of another app", async () => {
      const created = await latchkey.createKey(dashboard, guide.key);
      const verify = (token: string) =>
        latchkey.call("/api/v1/auth/verify", {}, { ...bearer(token), "x-api-key": created.key });
      const token = await issuer.tokenFor("web-app");
      expect((await verify(token)).json).toMatchObject({
        caller: "CALLER_PUBLISHABLE_KEY",
        user_id: decodeJwt(token).sub,
      });
      expect((await verify(await issuer.tokenFor("console"))).json.denial_reason).toBe("jwt_invalid_audience");
      const check = { key_id: created.key_id, token };
      expect((await latchkey.call("/api/v1/api-keys/check-oidc", check, dashboard)).json).toMatchObject({
        passed: true,
      });
    });

    test("gives tokens that are exchanged by a rule, each once", async () => {
      const { key_id } = await latchkey.createKey(dashboard, { permissions: ["plans:read"] });
      const { issuer: iss, jwksUrl, audience } = guide.key.publishableConfig.oidc;
      const assertion = await issuer.tokenFor(guide.rule?.audience ?? audience);
      const claimRules = [{ claim: "sub", equals: decodeJwt(assertion).sub }];
      const rule = guide.rule ?? { issuer: iss, jwksUrl, audience, claimRules };
      const fields = { name: "r", key_id, scopes: ["plans:read"], ...rule };
      const made = await latchkey.call("/api/v1/federation/rules/create", fields, dashboard);
      expect(made.status, made.text).toBe(200);
      const form = { grant_type: EXCHANGE, client_id: made.json.result.rule_id, subject_token_type: JWT_TYPE };
      const exchanged = await postForm(latchkey, { ...form, subject_token: assertion });
      expect(exchanged.status, exchanged.text).toBe(200);
      const caller = await latchkey.call("/api/v1/auth/verify", {}, bearer(exchanged.json.access_token));
      expect(caller.json).toMatchObject({ key_id, permissions: ["plans:read"] });
      expect((await postForm(latchkey, { ...form, subject_token: assertion })).json.error).toBe("invalid_grant");
    });
  });
}
