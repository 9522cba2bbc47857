// promise: scopes.publishable
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OidcConfig } from "../../src/domain/credentials/key.ts";
import { expectInvalid } from "../harness/error-answers.ts";
import { type KeyHost, startKeyHost } from "../harness/key-host.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { bearer, type PublishableService, reasonOf, sharedPublishable } from "../harness/publishable.ts";
import { USER_MESSAGE } from "../harness/rpcs.ts";
import { storedPublishableKey } from "../harness/stored-key.ts";
import { generateKey, signToken } from "../jwks/provider.ts";

const VERIFY = "/api/v1/auth/verify";
const LIST = "/api/v1/llm/gateway/list-threads";
const SEND = "/api/v1/llm/gateway/send-message";
const BLOCKED_ACTIONS = [
  ...["api_keys:read", "api_keys:write", "webhooks:read", "webhooks:write", "tenants:read", "tenants:write"],
  ...["billing:read", "billing:write", "system:read", "system:write", "users:impersonate"],
];
const OTHER_ACTIONS = [
  ...["conversations:read", "conversations:write", "plans:read", "plans:write"],
  ...["users:read", "invoices:read", "invoices:write"],
];

let service: PublishableService;

beforeAll(async () => {
  service = await sharedPublishable();
});

/** The scopes, of all there are, that the service grants a caller. */
async function granted(latchkey: Latchkey, headers: Record<string, string>): Promise<string[]> {
  const scopes: string[] = [];
  for (const scope of [...OTHER_ACTIONS, ...BLOCKED_ACTIONS]) {
    const reason = reasonOf(await latchkey.call(VERIFY, { scope }, headers));
    expect(["admitted", "insufficient_scope"]).toContain(reason);
    if (reason === "admitted") scopes.push(scope);
  }
  return scopes;
}

async function secretKey(permissions: readonly string[]) {
  const { key } = await dashboardOf(service.latchkey).createKey({ permissions });
  return { "x-api-key": key };
}

describe("a secret key", () => {
  // threat: P6
  test.each([
    [["*"], [...OTHER_ACTIONS, ...BLOCKED_ACTIONS]],
    [["users:*"], ["users:read", "users:impersonate"]],
    [["users:read"], ["users:read"]],
    [["conversations:write"], ["conversations:write"]],
    [
      ["billing:*", "plans:read"],
      ["plans:read", "billing:read", "billing:write"],
    ],
  ])("with %j is granted exactly these scopes", async (permissions, actions) => {
    expect(await granted(service.latchkey, await secretKey(permissions))).toEqual(actions);
  });

  // threat: P6
  test("with users:* is denied another spelling and a whole domain", async () => {
    const headers = await secretKey(["users:*"]);
    for (const scope of ["users2:read", "users", "users:", "USERS:read", "users:read "]) {
      expectInvalid(await service.latchkey.call(VERIFY, { scope }, headers), "scope", "did you mean");
    }
    expectInvalid(await service.latchkey.call(VERIFY, { scope: "users:*" }, headers), "scope", "no wildcard");
  });

  // threat: P7, P8
  test("with read cannot write, and nothing is stored; one with write cannot read", async () => {
    const dashboard = dashboardOf(service.latchkey);
    const keyOf = async (scope: string) => ({
      "x-api-key": (await dashboard.createKey({ permissions: [scope] })).key,
    });
    const [reader, writer] = [await keyOf("conversations:read"), await keyOf("conversations:write")];
    const message = { conversation_key: "c", user_message: USER_MESSAGE };
    const refused = await service.latchkey.call(SEND, message, reader);
    expect(reasonOf(refused)).toBe("insufficient_scope");
    expect(refused.text).not.toContain("run_");
    expect((await service.latchkey.call(LIST, {}, reader)).json.pagination.total).toBe(0);
    expect(reasonOf(await service.latchkey.call(LIST, {}, writer))).toBe("insufficient_scope");
    expect(reasonOf(await service.latchkey.call(SEND, message, writer))).toBe("admitted");
  });
});

describe("a publishable key", () => {
  test("can hold every scope that is not blocked, and whole domains without one, and is granted these", async () => {
    const domains = ["conversations:*", "plans:*", "invoices:*", "users:read"];
    for (const permissions of [OTHER_ACTIONS, domains]) {
      const app = await service.newApp({ fields: { permissions } });
      expect(await granted(service.latchkey, app.headers())).toEqual(OTHER_ACTIONS);
    }
  });

  // threat: P4
  test("keeps its scopes after an update that is rejected for a blocked one, or for none", async () => {
    const app = await service.newApp();
    const dashboard = dashboardOf(service.latchkey, app.tenant);
    for (const permissions of [...BLOCKED_ACTIONS.map((scope) => [scope]), ["*"], ["users:*"], [], null]) {
      const update = { key_id: app.keyId, permissions, update_mask: "permissions" };
      expectInvalid(await dashboard.call("update", update), permissions?.length ? "permissions[0]" : "permissions");
    }
    const { permissions } = (await dashboard.result("get", { key_id: app.keyId })) as { permissions: string[] };
    expect(permissions).toEqual(["conversations:*"]);
    expect(await granted(service.latchkey, app.headers())).toEqual(["conversations:read", "conversations:write"]);
  });

  test("loses a scope with the update that removes it", async () => {
    const app = await service.newApp();
    expect(reasonOf(await service.latchkey.call(LIST, {}, app.headers()))).toBe("admitted");
    const update = { key_id: app.keyId, permissions: ["plans:read"], update_mask: "permissions" };
    await dashboardOf(service.latchkey, app.tenant).result("update", update);
    expect(reasonOf(await service.latchkey.call(LIST, {}, app.headers()))).toBe("insufficient_scope");
  });
});

describe("a publishable key whose row was tampered with", () => {
  const issuer = "https://idp.example";
  const signer = generateKey("ES256");
  let keyHost: KeyHost;
  let latchkey: Latchkey;
  let everything: ReturnType<typeof storedPublishableKey>;
  let domains: ReturnType<typeof storedPublishableKey>;
  let incomplete: ReturnType<typeof storedPublishableKey>[];

  beforeAll(async () => {
    keyHost = await startKeyHost();
    const { url: jwksUrl } = keyHost.document(signer.jwk);
    const oidc = { issuer, audience: "app", jwksUrl, userIdClaim: "sub", requiredClaims: {} };
    everything = storedPublishableKey({ oidc, permissions: ["*"] });
    domains = storedPublishableKey({ oidc, permissions: ["plans:read", "users:*", "billing:read", "nonsense", "*:*"] });
    incomplete = [null, {}, ...Object.keys(oidc).map((member) => without(oidc, member)), { ...oidc, audience: "" }].map(
      // A row can hold what the type forbids; that is the point.
      (tampered) => storedPublishableKey({ oidc: tampered as OidcConfig | null }),
    );
    latchkey = await startLatchkey({
      config: { jwksAllowedHosts: [keyHost.host] },
      storedKeys: [everything, domains, ...incomplete].map(({ stored }) => stored),
    });
  });

  afterAll(async () => {
    await latchkey.close();
    await keyHost.close();
  });

  function without(oidc: object, member: string): object {
    return Object.fromEntries(Object.entries(oidc).filter(([name]) => name !== member));
  }

  function headersOf(secret: string, claims: Record<string, unknown> = { iss: issuer, aud: "app" }) {
    const exp = latchkey.clock.now().getTime() / 1_000 + 60;
    return { "x-api-key": secret, ...bearer(signToken(signer, { sub: "u", exp, ...claims })) };
  }

  // threat: P5
  test("is granted nothing by a scope that it cannot have", async () => {
    expect(await granted(latchkey, headersOf(everything.secret))).toEqual([]);
    expect(reasonOf(await latchkey.call(LIST, {}, headersOf(everything.secret)))).toBe("insufficient_scope");
    expect(await granted(latchkey, headersOf(domains.secret))).toEqual(["plans:read"]);
  });

  test("is reported to other services without the scopes that it cannot have", async () => {
    const answer = await latchkey.call(VERIFY, {}, headersOf(everything.secret));
    expect(answer.json).toMatchObject({ user_id: "u", permissions: [] });
  });

  // threat: X11
  test("cannot act for another user", async () => {
    const headers = { ...headersOf(everything.secret), "x-on-behalf-of": "u2" };
    expect(reasonOf(await latchkey.call(VERIFY, {}, headers))).toBe("insufficient_scope");
  });

  test("is misconfigured if anything is missing that its users' tokens are checked against", async () => {
    for (const { secret } of incomplete) {
      for (const claims of [undefined, {}]) {
        expect(reasonOf(await latchkey.call(VERIFY, {}, headersOf(secret, claims)))).toBe(
          "misconfigured_publishable_key",
        );
      }
    }
  });
});
