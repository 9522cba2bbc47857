// promise: key-sets.outage, key-sets.fetches, key-sets.shared, key-sets.unneeded
import type { ServerResponse } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import { dashboardOf, instant } from "../harness/key-management.ts";
import { newTenant } from "../harness/latchkey.ts";
import {
  bearer,
  type ClientApp,
  type PublishableService,
  reasonOf,
  sharedPublishable,
  USER_KEY,
} from "../harness/publishable.ts";
import { SECOND } from "../harness/test-clock.ts";
import { waitedMs } from "../harness/waited.ts";
import { generateKey, rsaKey, type SigningKey } from "../jwks/provider.ts";

const MINUTE = 60 * SECOND;
const NEXT = generateKey("ES256", { kid: "next" });

let service: PublishableService;

beforeAll(async () => {
  service = await sharedPublishable();
});

const advance = (ms: number): void => service.latchkey.clock.advance(ms);

/** The outcomes of `count` users' concurrent calls. */
async function crowd(app: ClientApp, count: number, token: (index: number) => string): Promise<string[]> {
  const tokens = Array.from({ length: count }, (_, index) => token(index));
  return [...new Set(await Promise.all(tokens.map((sent) => app.outcomeOf(sent))))];
}

const invented = (app: ClientApp) => (index: number) => app.token({}, USER_KEY, { kid: `invented-${index}` });

describe("a key set", () => {
  test("is fetched once for concurrent calls, and later calls use it without a fetch", async () => {
    const app = await service.newApp();
    expect(await crowd(app, 100, () => app.token())).toEqual(["admitted"]);
    expect(app.document.requests).toBe(1);
    advance(4 * MINUTE);
    expect(await app.outcomeOf(app.token())).toBe("admitted");
    expect(app.document.requests).toBe(1);
  });

  // threat: J24
  test("is shared by all keys with its URL, and each key accepts tokens of its own issuer only", async () => {
    const app = await service.newApp();
    const { document, issuer } = app;
    const sibling = await service.newApp({ document, oidc: { issuer } });
    const stranger = await service.newApp({ document });
    for (const each of [app, sibling, stranger]) expect(await each.outcomeOf(each.token())).toBe("admitted");
    expect(document.requests).toBe(1);
    expect(await app.outcomeOf(stranger.token())).toBe("jwt_invalid_issuer");
    expect(await stranger.outcomeOf(app.token())).toBe("jwt_invalid_issuer");
  });

  test("is fetched at most twice in 30 s, however many unknown key ids arrive", async () => {
    service.latchkey.clock.stand();
    const app = await service.newApp();
    for (let round = 0; round < 5; round++) {
      expect(await crowd(app, 200, invented(app))).toEqual(["jwt_invalid_signature"]);
      advance(5 * SECOND);
    }
    expect(app.document.requests).toBe(2);
    expect(await app.outcomeOf(app.token())).toBe("admitted");
    advance(30 * SECOND);
    await crowd(app, 200, invented(app));
    expect(app.document.requests).toBeLessThanOrEqual(4);
  });

  test("is not fetched for an unknown path, a probe or another method", async () => {
    // Too old to be used: making the app waits for a fetch, and leaves none under way in the background.
    advance(11 * MINUTE);
    const app = await service.newApp();
    const { latchkey, platform } = service;
    const before = platform.document.requests;
    for (const headers of [app.headers(), bearer(platform.token({}, USER_KEY, { kid: "invented" }))]) {
      expect((await latchkey.call("/no/such/path", {}, headers)).status).toBe(404);
      expect((await fetch(`${latchkey.url}/healthz`, { headers })).status).toBe(200);
      expect((await fetch(`${latchkey.url}/api/v1/auth/verify`, { method: "PUT", headers })).status).toBe(405);
    }
    expect(app.document.requests).toBe(0);
    expect(platform.document.requests).toBe(before);
  });

  test.each([
    ["revoked", "revoke"],
    ["disabled", "disable"],
    ["expired", undefined],
  ] as const)("is not fetched for a key that is %s, however it was used before", async (status, method) => {
    const { latchkey } = service;
    const app = await service.newApp({ fields: { expires_at: instant(latchkey, 20 * MINUTE) } });
    expect(await app.outcomeOf(app.token())).toBe("admitted");
    app.document.respond = () => {};
    if (method !== undefined) await dashboardOf(latchkey, app.tenant).result(method, { key_id: app.keyId });
    // What was fetched is too old to be used by now.
    advance(21 * MINUTE);
    for (let n = 0; n < 3; n++) {
      expect(await app.outcomeOf(app.token())).toBe(`api_key_${status}`);
      advance(31 * SECOND);
    }
    expect(app.document.requests).toBe(1);
  });

  test("provides its usable keys, whatever else is in it", async () => {
    const app = await service.newApp();
    const bad = [null, 1, "key", [], {}, { kid: "user-key" }, rsaKey(1_024).jwk, { ...USER_KEY.jwk, y: "AAAA" }];
    app.document.publish(...bad, USER_KEY.jwk);
    expect(await app.outcomeOf(app.token())).toBe("admitted");
  });
});

describe("rotation", () => {
  test("takes effect with the first token of the new key, and old tokens stay valid", async () => {
    const app = await service.newApp();
    await app.outcomeOf(app.token());
    app.document.publish(USER_KEY.jwk, NEXT.jwk);
    expect(await crowd(app, 50, () => app.token({}, NEXT))).toEqual(["admitted"]);
    expect(await app.outcomeOf(app.token())).toBe("admitted");
    expect(app.document.requests).toBe(2);
  });

  test("takes effect within 30 s despite unknown key ids", async () => {
    const app = await service.newApp();
    await crowd(app, 50, invented(app));
    app.document.publish(NEXT.jwk);
    advance(30 * SECOND);
    expect(await app.outcomeOf(app.token({}, NEXT))).toBe("admitted");
  });

  test("excludes a removed key within 10 minutes, whether it is used every minute or never", async () => {
    for (const isUsed of [true, false]) {
      const app = await service.newApp();
      expect(await app.outcomeOf(app.token())).toBe("admitted");
      app.document.publish(NEXT.jwk);
      for (let minute = 0; minute < 10; minute++) {
        if (isUsed) await app.outcomeOf(app.token());
        advance(MINUTE);
      }
      expect(await app.outcomeOf(app.token())).toBe("jwt_invalid_signature");
    }
  });

  test("of the dashboard's provider takes effect, too", async () => {
    const { platform } = service;
    expect(await platform.outcomeOf(platform.token())).toBe("admitted");
    const respond = platform.document.respond;
    platform.document.publish(NEXT.jwk);
    advance(11 * MINUTE);
    expect(await platform.outcomeOf(platform.token({}, NEXT))).toBe("admitted");
    expect(await platform.outcomeOf(platform.token())).toBe("jwt_invalid_signature");
    platform.document.respond = respond;
    advance(11 * MINUTE);
    expect(await platform.outcomeOf(platform.token())).toBe("admitted");
  });
});

describe("a provider that fails", () => {
  test("is not called again for 5 s, and is called after them", async () => {
    service.latchkey.clock.stand();
    const app = await service.newApp();
    const { respond } = app.document;
    app.document.respond = (_req, res) => res.writeHead(500).end();
    for (let n = 0; n < 20; n++) expect(await app.outcomeOf(app.token())).toBe("verifier_error");
    expect(app.document.requests).toBe(1);
    app.document.respond = respond;
    advance(5 * SECOND);
    expect(await app.outcomeOf(app.token())).toBe("admitted");
  });

  test("has its last key set used for 10 minutes, and no forged token passes", async () => {
    const app = await service.newApp();
    const forger: SigningKey = { ...NEXT, jwk: USER_KEY.jwk };
    await app.outcomeOf(app.token());
    app.document.respond = (_req, res) => res.destroy();
    for (let minute = 0; minute < 10; minute++) {
      expect(await app.outcomeOf(app.token())).toBe("admitted");
      expect(await app.outcomeOf(app.token({}, forger))).toBe("jwt_invalid_signature");
      advance(MINUTE);
    }
    expect(await app.outcomeOf(app.token())).toBe("verifier_error");
    expect(await app.outcomeOf(app.token({}, forger))).toBe("verifier_error");
  });

  const answers: readonly [string, (res: ServerResponse) => unknown][] = [
    ["HTML", (res) => res.end("<html></html>")],
    ["nothing", (res) => res.end()],
    ["a list", (res) => res.end("[]")],
    ["keys that are an object", (res) => res.end('{"keys":{}}')],
    ["half a document", (res) => res.end('{"keys":[')],
    ["brackets 250,000 deep", (res) => res.end("[".repeat(250_000))],
    ["a redirect", (res) => res.writeHead(302, { location: "/0/jwks.json" }).end()],
    ["more than 512 KiB", (res) => res.end(JSON.stringify({ keys: [USER_KEY.jwk], x: "x".repeat(524_288) }))],
    ["more parts than any keys have", (res) => res.end(`{"keys":[${"{},".repeat(170_000)}{}]}`)],
    ["more than it announced", (res) => res.writeHead(200, { "content-length": 5 }).end('{"keys":[]}')],
    ["endless headers", (res) => res.writeHead(200, { x: "x".repeat(1_000_000) }).end()],
    ["a reset connection", (res) => res.destroy()],
  ];

  test.each(answers)("with %s is 500 and never the user's fault", async (_what, answer) => {
    const app = await service.newApp();
    app.document.respond = (_req, res) => void answer(res);
    expect(await app.outcomeOf(app.token())).toBe("verifier_error");
    expect(app.document.requests).toBe(1);
  });
});

describe("a provider that hangs", () => {
  const hanging: readonly [string, (res: ServerResponse) => void][] = [
    ["before its answer", () => {}],
    ["after the headers", (res) => res.writeHead(200).flushHeaders()],
    [
      "a byte at a time",
      (res) => {
        const drip = setInterval(() => res.write(" "), 100);
        res.on("close", () => clearInterval(drip));
      },
    ],
  ];

  test("delays its own callers by at most 6 s, and no others", async () => {
    service.latchkey.clock.stand();
    const hung = await Promise.all(
      hanging.map(async ([, respond]) => {
        const app = await service.newApp();
        app.document.respond = (_req, res) => respond(res);
        return app;
      }),
    );
    const [warm, cold] = [await service.newApp(), await service.newApp()];
    await warm.outcomeOf(warm.token());
    const waiting = waitedMs(Promise.all(hung.map((app) => crowd(app, 30, () => app.token()))));
    for (const healthy of [warm, cold]) {
      expect(await waitedMs(crowd(healthy, 20, () => healthy.token()))).toBeLessThan(2_000);
      expect(await healthy.outcomeOf(healthy.token())).toBe("admitted");
    }
    expect(await service.platform.outcomeOf(service.platform.token())).toBe("admitted");
    expect(await waiting).toBeLessThan(6_000);
    for (const app of hung) {
      expect(await waitedMs(app.outcomeOf(app.token()))).toBeLessThan(1_000);
      expect(await app.outcomeOf(app.token())).toBe("verifier_error");
      expect(app.document.requests).toBe(1);
    }
  });

  // threat: F7
  test("600 of them in one tenant delay no other tenant and no dashboard user", async () => {
    const tenant = newTenant();
    const document = () => {
      const hung = service.keyHost.document();
      hung.respond = () => {};
      return hung;
    };
    const apps: ClientApp[] = [];
    // A few at once: the last of hundreds would wait too long for a connection to PostgreSQL.
    while (apps.length < 600) {
      const made = Array.from({ length: 25 }, () => service.newApp({ document: document(), tenant }));
      apps.push(...(await Promise.all(made)));
    }
    const other = await service.newApp();
    const waiting = Promise.all(apps.map((app) => app.outcomeOf(app.token())));
    await expect
      .poll(() => apps.filter(({ document }) => document.requests > 0).length, { timeout: 20_000 })
      .toBeGreaterThan(30);
    // The dashboard's set is so old that it must be fetched.
    advance(11 * MINUTE);
    expect(await waitedMs(other.outcomeOf(other.token()))).toBeLessThan(2_000);
    expect(await other.outcomeOf(other.token())).toBe("admitted");
    expect(await service.platform.outcomeOf(service.platform.token())).toBe("admitted");
    expect(new Set(await waiting)).toEqual(new Set(["verifier_error"]));
  }, 120_000);

  test("when its set is to be refreshed delays no caller: the old set is used", async () => {
    const app = await service.newApp();
    await app.outcomeOf(app.token());
    app.document.respond = () => {};
    advance(6 * MINUTE);
    expect(await waitedMs(crowd(app, 50, () => app.token()))).toBeLessThan(2_000);
    expect(await app.outcomeOf(app.token())).toBe("admitted");
  });
});

test("more providers than the cache holds are served, and the first ones again", async () => {
  const providers = Array.from({ length: 1_050 }, () => service.keyHost.document(USER_KEY.jwk));
  const apps: ClientApp[] = [];
  const serve = async (document: (typeof providers)[number]): Promise<ClientApp> => {
    const app = await service.newApp({ document });
    expect(reasonOf(await app.verify())).toBe("admitted");
    return app;
  };
  for (let n = 0; n < providers.length; n += 25) {
    apps.push(...(await Promise.all(providers.slice(n, n + 25).map(serve))));
  }
  const [first] = apps;
  expect(await first?.outcomeOf(first.token())).toBe("admitted");
  expect(await apps.at(-1)?.outcomeOf(apps.at(-1)?.token() ?? "")).toBe("admitted");
  // Forgotten and fetched anew, while the last one is still known.
  expect([providers.at(0)?.requests, providers.at(-1)?.requests]).toEqual([2, 1]);
}, 120_000);
