// promise: key-sets.addresses, key-sets.answers, verify.explain
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import type { Answer } from "../harness/http.ts";
import { startKeyHost } from "../harness/key-host.ts";
import { dashboardOf, OIDC, PUBLISHABLE } from "../harness/key-management.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import {
  bearer,
  PLATFORM_KEY,
  type PublishableService,
  reasonOf,
  sharedPublishable,
  USER_KEY,
} from "../harness/publishable.ts";
import { storedPublishableKey } from "../harness/stored-key.ts";
import { SECOND } from "../harness/test-clock.ts";
import { waitedMs } from "../harness/waited.ts";
import { type Canary, openCanary, signToken } from "../jwks/provider.ts";

const VERIFY = "/api/v1/auth/verify";

let service: PublishableService;
let canary: Canary;

beforeAll(async () => {
  service = await sharedPublishable();
  canary = await openCanary();
});

afterAll(() => canary.close());

/** Addresses of the loopback listener at `port` as tenants may spell them, and of other private ones. */
function privateUrls(port: number): string[] {
  const loopback = [
    "127.0.0.1",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "x.localhost",
    "127.1",
    "127.0.0.2",
    "0.0.0.0",
  ];
  const numbers = [
    "0",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "017700000001",
    "0177.0.0.1",
    "127。0。0。1",
    "①27.0.0.1",
  ];
  const v6 = [
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[fe80::1]",
  ];
  const withPort = [...loopback, ...numbers, ...v6].flatMap((host) => [
    `https://${host}:${port}/`,
    `http://${host}:${port}/`,
  ]);
  const others = [
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.100.100.200",
    "[fd00::1]",
    "224.0.0.1",
  ];
  return [
    ...withPort,
    ...[...loopback, ...numbers, ...v6, ...others].map((host) => `https://${host}/jwks.json`),
    ...[22, 5_432, 6_379, 8_443].map((other) => `https://idp.example.com:${other}/`),
    ...[
      "http://idp.example.com/",
      `https://user:pass@127.0.0.1:${port}/`,
      `https://idp.example.com@127.0.0.1:${port}/`,
    ],
    ...[`https://127.0.0.1:${port}#@idp.example.com/`, `https:\\\\127.0.0.1:${port}/`, "file:///etc/passwd"],
    ...[`gopher://127.0.0.1:${port}/_x`, "data:application/json,{}", `//127.0.0.1:${port}/`, `https:127.0.0.1:${port}`],
  ];
}

/** Everything in an answer that a caller could compare. */
function comparable({ status, headers, text }: Answer): object {
  const names = [...headers.keys()].filter((name) => !["date", "x-request-id", "x-ratelimit-reset"].includes(name));
  return { status, text, headers: names.map((name) => [name, headers.get(name)]) };
}

describe("a private jwksUrl", () => {
  // threat: F1
  test("is rejected at creation however it is spelled, and no connection is made", async () => {
    const dashboard = dashboardOf(service.latchkey);
    for (const jwksUrl of privateUrls(canary.port)) {
      const publishableConfig = { oidc: { ...OIDC, jwksUrl } };
      const answer = await dashboard.call("create", {
        ...PUBLISHABLE,
        name: "k",
        permissions: ["plans:read"],
        publishableConfig,
      });
      expectInvalid(answer, "publishableConfig.oidc.jwksUrl");
    }
    expect((await dashboard.call("list", {})).json.pagination.total).toBe(0);
    expect(canary.connections).toBe(0);
  });

  test("as an issuer is only a name, and no connection is made", async () => {
    const app = await service.newApp({ oidc: { issuer: `https://127.0.0.1:${canary.port}` } });
    expect(await app.outcomeOf(app.token())).toBe("admitted");
    expect(await app.outcomeOf(app.token({}, undefined, { kid: "unknown" }))).toBe("jwt_invalid_signature");
    expect(canary.connections).toBe(0);
  });
});

describe("a private jwksUrl in a row that was written before the rules, or by another program", () => {
  let latchkey: Latchkey;
  /** How many of those stored have an open port. The same URLs with a closed one follow. */
  let half: number;
  let stored: { readonly jwksUrl: string; readonly secret: string; readonly tenant: string; readonly keyId: string }[];

  beforeAll(async () => {
    const closed = Number(service.closedHost.split(":")[1]);
    // The tests of URLs and of addresses have every spelling.
    const everyFifth = (port: number) => privateUrls(port).filter((_, index) => index % 5 === 0);
    const [open, shut] = [everyFifth(canary.port), everyFifth(closed)];
    half = open.length;
    const urls = [...open, ...shut, "", "https://", "https://nowhere.invalid/"];
    const keys = urls.map((jwksUrl) => {
      const oidc = { issuer: "https://idp.example", audience: "app", jwksUrl, userIdClaim: "sub", requiredClaims: {} };
      return { jwksUrl, ...storedPublishableKey({ oidc }) };
    });
    stored = keys.map((key) => ({ ...key, keyId: key.stored.record.keyId }));
    latchkey = await startLatchkey({ storedKeys: keys.map((key) => key.stored) });
  });

  afterAll(() => latchkey.close());

  const call = (secret: string): Promise<Answer> => {
    const exp = latchkey.clock.now().getTime() / 1_000 + 60;
    const token = signToken(USER_KEY, { iss: "https://idp.example", aud: "app", sub: "u", exp });
    return latchkey.call(VERIFY, {}, { "x-api-key": secret, ...bearer(token) });
  };

  test("is denied at every use, and no connection is made", async () => {
    for (const { jwksUrl, secret } of stored) {
      const reason = reasonOf(await call(secret));
      expect({ jwksUrl, reason }).toEqual({
        jwksUrl,
        reason: jwksUrl === "" ? "misconfigured_publishable_key" : "verifier_error",
      });
    }
    expect(canary.connections).toBe(0);
  });

  // threat: F6
  test("has the same answer after the same time whether its port is open or closed, or its host unknown", async () => {
    const answers = new Set<string>();
    for (const { jwksUrl, secret } of stored.filter(({ jwksUrl }) => jwksUrl !== "")) {
      // Each is fetched anew: the rest of an earlier pause, in Retry-After, would only show when that began.
      latchkey.clock.advance(31 * SECOND);
      const waited = await waitedMs(call(secret).then((answer) => answers.add(JSON.stringify(comparable(answer)))));
      if (!jwksUrl.includes("idp.") && !jwksUrl.includes("nowhere")) expect(waited).toBeLessThan(4_000);
    }
    expect(answers.size).toBe(1);
  });

  test("has the same explanation whether its port is open or closed, and no connection is made", async () => {
    const explained = async ({ tenant, keyId }: (typeof stored)[number]) => {
      const answer = await latchkey.call(VERIFY, { explain: true, key_id: keyId }, await latchkey.dashboard(tenant));
      const { denial_reason, key_set } = answer.json.explanation;
      expect([denial_reason, key_set.keys]).toEqual(["verifier_error", []]);
      return key_set.problem;
    };
    for (const [index, open] of stored.slice(0, half).entries()) {
      const problem = await explained(open);
      expect(problem).toMatch(/^the (URL .+|host has no address, or one that is not public)$/);
      expect(problem).not.toMatch(/127|::|localhost|\d{4}/i);
      expect(await explained(stored[half + index] ?? expect.unreachable())).toBe(problem);
    }
    expect(canary.connections).toBe(0);
  });
});

describe("an allow-listed host", () => {
  test("is exactly one host and one port", async () => {
    const port = service.keyHost.host.split(":")[1];
    const { url } = service.keyHost.document(USER_KEY.jwk);
    const path = new URL(url).pathname;
    const admitted = await service.newApp({ oidc: { jwksUrl: `http://127.1:${port}${path}` } });
    expect(await admitted.outcomeOf(admitted.token())).toBe("admitted");
    const dashboard = dashboardOf(service.latchkey);
    for (const host of [`localhost:${port}`, "127.0.0.1", `127.0.0.1:${canary.port}`, `[::ffff:127.0.0.1]:${port}`]) {
      const oidc = { ...OIDC, jwksUrl: `http://${host}${path}` };
      const answer = await dashboard.call("create", {
        ...PUBLISHABLE,
        name: "k",
        permissions: ["plans:read"],
        publishableConfig: { oidc },
      });
      expectInvalid(answer, "publishableConfig.oidc.jwksUrl");
    }
    expect(canary.connections).toBe(0);
  });

  // threat: F4
  test.each([301, 302, 303, 307, 308])("that redirects with %i is not followed", async (status) => {
    const target = service.keyHost.document(USER_KEY.jwk);
    for (const location of [`http://127.0.0.1:${canary.port}/`, target.url, "file:///etc/passwd"]) {
      const app = await service.newApp();
      app.document.respond = (_req, res) => res.writeHead(status, { location }).end();
      expect(await app.outcomeOf(app.token())).toBe("verifier_error");
    }
    expect([canary.connections, target.requests]).toEqual([0, 0]);
  });

  test("that fails has the same answer, whatever the failure", async () => {
    const answers = new Set<string>();
    const failures: ((app: Awaited<ReturnType<PublishableService["newApp"]>>) => void)[] = [
      ({ document }) => (document.respond = (_req, res) => res.writeHead(500).end("a database is down")),
      ({ document }) => (document.respond = (_req, res) => res.destroy()),
      ({ document }) => (document.respond = (_req, res) => res.end("220 mail.example ESMTP")),
      ({ document }) => (document.respond = (_req, res) => res.writeHead(404).end()),
    ];
    for (const fail of failures) {
      const app = await service.newApp();
      fail(app);
      answers.add(JSON.stringify(comparable(await app.verify())));
    }
    for (const scheme of ["http", "https"]) {
      const closed = await service.newApp({ oidc: { jwksUrl: `${scheme}://${service.closedHost}/` } });
      answers.add(JSON.stringify(comparable(await closed.verify())));
    }
    expect(answers.size).toBe(1);
    expect([...answers][0]).toContain("verifier_error");
  });
});

describe("the dashboard provider's URL", () => {
  // threat: X17
  test("is trusted as the operator's, and a tenant's key with the same URL is not", async () => {
    const keyHost = await startKeyHost();
    const { url: jwksUrl } = keyHost.document(PLATFORM_KEY.jwk);
    const [issuer, audience] = ["https://platform.example", "dashboard"];
    const oidc = { issuer, audience, jwksUrl, userIdClaim: "sub", requiredClaims: {} };
    const { secret, tenant, stored } = storedPublishableKey({ oidc });
    const dashboard = {
      expectation: { issuer, audience, jwksUrl, jwksOwner: { kind: "operator" } },
      userIdClaim: "sub",
      tenantClaim: "tenant_id",
      requiredClaims: {},
    } as const;
    const latchkey = await startLatchkey({ config: { dashboard }, storedKeys: [stored] });
    const exp = latchkey.clock.now().getTime() / 1_000 + 60;
    const user = bearer(signToken(PLATFORM_KEY, { iss: issuer, aud: audience, sub: "u", tenant_id: tenant, exp }));
    for (const [headers, outcome] of [
      [user, "admitted"],
      [{ ...user, "x-api-key": secret }, "verifier_error"],
      [user, "admitted"],
    ] as const) {
      expect(reasonOf(await latchkey.call(VERIFY, {}, headers))).toBe(outcome);
    }
    await latchkey.close();
    await keyHost.close();
  });
});
