// promise: keys.states, oidc.missing, callers.order, callers.users, tokens.times, tokens.first-fault, limits.spend
import { beforeAll, describe, expect, test } from "vitest";
import { expectPublicMessage } from "../harness/error-answers.ts";
import type { Answer } from "../harness/http.ts";
import { startKeyHost } from "../harness/key-host.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { startLatchkey } from "../harness/latchkey.ts";
import {
  bearer,
  type ClientApp,
  type PublishableService,
  sharedPublishable,
  USER_KEY,
} from "../harness/publishable.ts";
import { storedPublishableKey } from "../harness/stored-key.ts";
import { HOUR } from "../harness/test-clock.ts";
import { generateKey, signToken } from "../jwks/provider.ts";

const LIST = "/api/v1/llm/gateway/list-threads";
const PROCEDURE = "/latchkey.v1.GatewayService/ListThreads";
const LIMIT = 5;
const STRANGER = generateKey("ES256", { kid: USER_KEY.jwk.kid });

let service: PublishableService;

beforeAll(async () => {
  service = await sharedPublishable();
});

type Headers = Record<string, string>;

interface Case {
  readonly reason: string;
  readonly status: 401 | 500;
  /** What the message must contain. */
  readonly says: RegExp;
  readonly title: string;
  headers(app: ClientApp): Headers;
}

const seconds = (app: ClientApp, fromNow: number): number => Number(app.claims().iat) + fromNow;

/** Every reason to deny a user's token, and that of a provider which is unavailable. */
const CASES: readonly Case[] = [
  refused("publishable_key_requires_jwt", /Authorization: Bearer/, "no Authorization", (app) => app.keyHeader),
  ...["Basic dTpw", "Bearer", "", "Bearer,x"].map((authorization) =>
    refused("publishable_key_requires_jwt", /Authorization: Bearer/, `the Authorization "${authorization}"`, (app) => ({
      ...app.keyHeader,
      authorization,
    })),
  ),
  refused("jwt_malformed", /holds an API key; send the user's token there/, "an API key for a token", (app) => ({
    ...app.keyHeader,
    ...bearer("sk_x"),
  })),
  ...(
    [
      ["Bearer x", /is opaque/],
      ["Bearer x y", /more than one word behind Bearer/],
      ["Bearer x,y", /joined by a comma/],
      ['Bearer {"payload":"x"}', /is a JSON object/],
    ] as const
  ).map(([value, says]) =>
    refused("jwt_malformed", says, `the Authorization "${value}"`, (app) => ({
      ...app.keyHeader,
      authorization: value,
    })),
  ),
  refused("jwt_malformed", /\bexp\b/, "a token without end", (app) => app.headers(app.token({ exp: undefined }))),
  refused("jwt_malformed", /\bexp\b/, "a token that ends at 2^53", (app) => app.headers(app.token({ exp: 2 ** 53 }))),
  refused("jwt_malformed", /\bnbf\b/, "a token of the future", (app) =>
    app.headers(app.token({ nbf: seconds(app, 60) })),
  ),
  refused("jwt_expired", /expired/, "a token past its exp", (app) =>
    app.headers(app.token({ exp: seconds(app, -60) })),
  ),
  refused("jwt_invalid_signature", /signature/, "a stranger's token", (app) => app.headers(app.token({}, STRANGER))),
  refused("jwt_invalid_issuer", /\biss\b/, "another issuer's token", (app) =>
    app.headers(app.token({ iss: "https://other.example" })),
  ),
  refused("jwt_invalid_audience", /\baud\b/, "another app's token", (app) => app.headers(app.token({ aud: "other" }))),
  ...[undefined, "u".repeat(257), "a\u0000", "\u200b"].map((sub) =>
    refused(
      "user_id_claim_not_found",
      /\bsub\b.*a string of 1 to 256 characters, containing a visible character and no control characters/,
      `a token with the user ${JSON.stringify(sub)?.slice(0, 20)}`,
      (app) => app.headers(app.token({ sub })),
    ),
  ),
  {
    ...refused(
      "verifier_error",
      /retry, and if it persists .+ jwksUrl answers 200 with a JWK set, without redirects/,
      "a provider that fails",
      (app) => {
        app.document.respond = (_req, res) => res.writeHead(503).end();
        return app.headers();
      },
    ),
    status: 500,
  },
];

function refused(reason: string, says: RegExp, title: string, headers: Case["headers"]): Case {
  return { reason, status: 401, says, title, headers };
}

function expectDenied(answer: Answer, { status, reason, says }: Pick<Case, "status" | "reason" | "says">): void {
  expect({ status: answer.status, reason: answer.json.denial_reason }, answer.text).toEqual({ status, reason });
  expect(Object.keys(answer.json)).toEqual(["code", "reason", "message", "details", "denial_reason"]);
  expect(answer.json.code).toBe(status === 401 ? "unauthenticated" : "internal");
  expect(answer.json.details).toMatchObject([{ type: "latchkey.v1.Denial", debug: { reason: expect.any(String) } }]);
  expect(answer.json.message).toMatch(says);
  expectPublicMessage(answer);
  expect(answer.headers.has("retry-after")).toBe(reason === "verifier_error");
}

function limitOf({ headers }: Answer): Record<string, number> {
  return {
    limit: Number(headers.get("x-ratelimit-limit") ?? Number.NaN),
    remaining: Number(headers.get("x-ratelimit-remaining") ?? Number.NaN),
  };
}

describe("a denied user", () => {
  // threat: J18
  test.each(CASES)("with $title is denied with $reason, and nothing is spent", async (wanted) => {
    const app = await service.newApp({ fields: { rate_limit: { requests_per_minute: LIMIT } } });
    const headers = wanted.headers(app);
    const answers = [
      await service.latchkey.call(LIST, {}, headers),
      await service.latchkey.call(PROCEDURE, {}, headers),
      await service.latchkey.call(LIST, "{", { ...headers, "x-on-behalf-of": "u1" }),
    ];
    for (const answer of answers) {
      expectDenied(answer, wanted);
      expect(limitOf(answer)).toEqual({ limit: LIMIT, remaining: LIMIT });
      expect(Number(answer.headers.get("x-ratelimit-reset"))).toBeGreaterThan(1.7e9);
    }
    const usage = await dashboardOf(service.latchkey, app.tenant).result("usage", { key_id: app.keyId });
    expect(usage).toEqual({ total_verifications: 3, successful_verifications: 0, failed_verifications: 3 });
  });

  // threat: L13
  test("spends nothing of the key's limit", async () => {
    const app = await service.newApp({ fields: { rate_limit: { requests_per_minute: LIMIT } } });
    for (let n = 0; n < 2 * LIMIT; n++) await app.outcomeOf(app.token({}, STRANGER));
    for (let n = 1; n <= LIMIT; n++) expect(limitOf(await app.verify()).remaining).toBe(LIMIT - n);
    expect((await app.verify()).json.denial_reason).toBe("rate_limited");
  });

  test("gets the name of the configured claim, in printable characters", async () => {
    const userIdClaim = "https://x.example/bénutzer\n";
    const app = await service.newApp({ oidc: { userIdClaim, requiredClaims: { "rôle\u2028": "admin" } } });
    const nameless = await app.verify(app.token());
    expectDenied(nameless, { status: 401, reason: "user_id_claim_not_found", says: /https:\/\/x\.example\/b\?nutzer/ });
    const plain = await app.verify(app.token({ [userIdClaim]: "u" }));
    expectDenied(plain, { status: 401, reason: "jwt_malformed", says: /required claim r\?le/ });
  });
});

describe("a misconfigured key", () => {
  // threat: J26
  test.each([undefined, {}, null])("with the publishableConfig %j is 500 at every use", async (config) => {
    const dashboard = dashboardOf(service.latchkey);
    const fields = { keyType: "KEY_TYPE_PUBLISHABLE", publishableConfig: config, rate_limit: { requests_per_hour: 9 } };
    const { key } = await dashboard.createKey(fields);
    const wanted = { status: 500, reason: "misconfigured_publishable_key", says: /publishableConfig\.oidc/ } as const;
    const token = bearer(service.platform.token());
    for (const headers of [{ "x-api-key": key }, { "x-api-key": key, ...token }]) {
      const answer = await service.latchkey.call(LIST, {}, headers);
      expectDenied(answer, wanted);
      expect(limitOf(answer)).toEqual({ limit: 9, remaining: 9 });
    }
  });
});

describe("the order of checks", () => {
  test("is the key's status, its configuration, the user's token, the limit, the scope, the body", async () => {
    const fields = { permissions: ["plans:read"], rate_limit: { requests_per_minute: 2 } };
    const app = await service.newApp({ fields });
    const dashboard = dashboardOf(service.latchkey, app.tenant);
    const call = async (token: string, extra: Headers = {}) => {
      const answer = await service.latchkey.call(LIST, "{", { ...app.headers(token), ...extra });
      return answer.json.denial_reason;
    };
    expect(await call("x")).toBe("jwt_malformed");
    expect(await call(app.token(), { "x-on-behalf-of": "" })).toBe("insufficient_scope");
    await dashboard.result("update", {
      key_id: app.keyId,
      permissions: ["conversations:read"],
      update_mask: "permissions",
    });
    expect(await call(app.token(), { "x-on-behalf-of": "" })).toBe("insufficient_scope");
    expect(await call(app.token())).toBe("rate_limited");
    expect(await call(app.token({ aud: "other" }))).toBe("jwt_invalid_audience");
    await dashboard.result("revoke", { key_id: app.keyId });
    expect(await call(app.token())).toBe("api_key_revoked");
    expect(await call("x")).toBe("api_key_revoked");
  });

  // threat: P14
  test("an expired key is reported before its user's token and its missing scope", async () => {
    const expires_at = new Date(service.latchkey.clock.now().getTime() + HOUR).toISOString();
    const app = await service.newApp({ fields: { permissions: ["plans:read"], expires_at } });
    service.latchkey.clock.advance(HOUR);
    for (const token of [app.token(), "x"]) {
      const answer = await service.latchkey.call(LIST, {}, app.headers(token));
      expect(answer.json.denial_reason).toBe("api_key_expired");
      expect(limitOf(answer)).toEqual({ limit: 0, remaining: 0 });
    }
  });

  test("faults of a token are reported in the order form, signature, issuer, audience, expiry, user, claims", async () => {
    const app = await service.newApp({ oidc: { requiredClaims: { role: "admin" } } });
    const faults: Record<string, unknown> = { iss: "x", aud: "x", exp: 1, sub: undefined };
    const expectReason = async (reason: string, key = USER_KEY) =>
      expect(await app.outcomeOf(app.token(faults, key))).toBe(reason);
    await expectReason("jwt_invalid_signature", STRANGER);
    for (const [claim, reason] of [
      ["iss", "jwt_invalid_issuer"],
      ["aud", "jwt_invalid_audience"],
      ["exp", "jwt_expired"],
      ["sub", "user_id_claim_not_found"],
    ] as const) {
      await expectReason(reason);
      faults[claim] = app.claims()[claim];
    }
    await expectReason("jwt_malformed");
    faults.role = "admin";
    await expectReason("admitted");
  });
});

describe("a service without a provider for the dashboard", () => {
  test("denies dashboard users with oidc_not_configured, and serves publishable keys", async () => {
    const keyHost = await startKeyHost();
    const { url: jwksUrl } = keyHost.document(USER_KEY.jwk);
    const oidc = { issuer: "https://idp.example", audience: "app", jwksUrl, userIdClaim: "sub", requiredClaims: {} };
    const { secret, stored } = storedPublishableKey({ oidc });
    const config = { dashboard: null, jwksAllowedHosts: [keyHost.host] };
    const latchkey = await startLatchkey({ config, storedKeys: [stored] });
    const exp = latchkey.clock.now().getTime() / 1_000 + 60;
    const user = bearer(signToken(USER_KEY, { iss: oidc.issuer, aud: oidc.audience, sub: "u", tenant_id: "ten", exp }));
    const wanted = {
      status: 500,
      reason: "oidc_not_configured",
      says: /OIDC_ISSUER.* for an app's user, send the publishable key in X-API-Key/,
    } as const;
    for (const path of [LIST, PROCEDURE, "/api/v1/api-keys/list", "/api/v1/orgs/create"]) {
      const answer = await latchkey.call(path, {}, user);
      expectDenied(answer, wanted);
      expect(answer.headers.has("x-ratelimit-limit")).toBe(false);
      expect(answer.headers.has("retry-after")).toBe(false);
    }
    expect((await latchkey.call(LIST, {}, { ...user, "x-api-key": secret })).status).toBe(200);
    await latchkey.close();
    await keyHost.close();
  });
});
