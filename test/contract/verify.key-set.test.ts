// promise: verify.explain
import { beforeAll, describe, expect, test } from "vitest";
import {
  type ClientApp,
  type PublishableService,
  reasonOf,
  sharedPublishable,
  USER_KEY,
} from "../harness/publishable.ts";
import { generateKey, rsaKey } from "../jwks/provider.ts";

const VERIFY = "/api/v1/auth/verify";
const MINUTE = 60_000;

let service: PublishableService;

beforeAll(async () => {
  service = await sharedPublishable();
});

interface KeySet {
  problem: string;
  fetched_at?: string;
  key_count: number;
  usable_key_count: number;
  keys: { kid: string; algs: string[]; problem: string }[];
}

async function explain({ tenant, keyId }: Pick<ClientApp, "tenant" | "keyId">) {
  const dashboard = await service.latchkey.dashboard(tenant);
  const answer = await service.latchkey.call(VERIFY, { explain: true, key_id: keyId }, dashboard);
  expect(answer.status, answer.text).toBe(200);
  const { allowed, denial_reason, steps, key_set } = answer.json.explanation;
  const [, oidc] = steps as { name: string; passed: boolean; detail: string }[];
  expect(oidc).toMatchObject({ name: "oidc", passed: allowed });
  return { denial: denial_reason as string, detail: oidc?.detail, keySet: key_set as KeySet };
}

function failWith(app: ClientApp, status: number): void {
  app.document.respond = (_req, res) => res.writeHead(status).end();
}

describe("explain of a publishable key", () => {
  test("fetches its key set, and reports each key and why some are unusable", async () => {
    const app = await service.newApp();
    const rsa = generateKey("RS256", { kid: "rsa" }).jwk;
    app.document.publish(
      USER_KEY.jwk,
      rsa,
      { ...rsa, kid: "bound", alg: "PS512" },
      { ...generateKey("EdDSA", {}).jwk },
      { kty: "oct", kid: "secret", k: "AAAA" },
      { ...USER_KEY.jwk, kid: "private", d: "AQ" },
      { ...rsa, kid: "enc", use: "enc" },
      { ...rsa, kid: "wrap", key_ops: ["wrapKey"] },
      { ...rsa, kid: "alg-list", alg: ["RS256"] },
      { ...rsa, kid: "oaep", alg: "RSA-OAEP" },
      { kty: "EC", crv: "secp256k1", kid: "curve", x: "AA", y: "AA" },
      { ...USER_KEY.jwk, kid: "half", y: undefined },
      { ...USER_KEY.jwk, kid: "off-curve", x: Buffer.alloc(32, 7).toString("base64url") },
      { ...rsaKey(1_024).jwk, kid: "weak" },
      { ...rsa, kid: "exponent", e: "AQ" },
      "no key",
    );
    const { denial, detail, keySet } = await explain(app);
    expect([denial, app.document.requests]).toEqual(["", 1]);
    const { keys, fetched_at = "", ...counts } = keySet;
    const fetchedAt = new Date(fetched_at).toISOString();
    expect(service.latchkey.clock.now().getTime() - Date.parse(fetched_at)).toBeLessThan(10_000);
    expect(detail).toBe(
      `Users' tokens must come from ${app.issuer} for ${app.audience}. Usable keys: 4 of 15, fetched at ${fetchedAt}.`,
    );
    expect(counts).toEqual({ problem: "", key_count: 15, usable_key_count: 4 });
    const usable = (kid: unknown, ...algs: string[]) => ({ kid, algs, problem: "" });
    const unusable = (kid: string, problem: string) => ({ kid, algs: [], problem: expect.stringContaining(problem) });
    expect(keys).toEqual([
      usable(USER_KEY.jwk.kid, "ES256"),
      usable("rsa", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
      usable("bound", "PS512"),
      usable("", "EdDSA", "Ed25519"),
      unusable("secret", "another kty"),
      unusable("private", "private part"),
      unusable("enc", "another use"),
      unusable("wrap", "key_ops"),
      unusable("alg-list", "not a string"),
      unusable("oaep", "an alg that is not accepted"),
      unusable("curve", "another crv"),
      unusable("half", "lacks a member"),
      unusable("off-curve", "not on its curve"),
      unusable("weak", "fewer than 2,048 bits"),
      unusable("exponent", "exponent"),
    ]);
  });

  test("reports a host that does not exist, or refuses connections, as verifier_error without its address", async () => {
    const nowhere = await service.newApp({ oidc: { jwksUrl: "https://nowhere.invalid/jwks.json" } });
    const closed = await service.newApp({ oidc: { jwksUrl: `http://${service.closedHost}/jwks.json` } });
    for (const [app, problem] of [
      [nowhere, "the host has no address, or one that is not public"],
      [closed, "the connection is refused or breaks off"],
    ] as const) {
      const { denial, detail, keySet } = await explain(app);
      expect(denial).toBe("verifier_error");
      expect(detail).toBe(`The key set at the key's jwksUrl could not be fetched: ${problem}.`);
      expect(keySet).toEqual({ problem, key_count: 0, usable_key_count: 0, keys: [] });
      expect(reasonOf(await app.verify())).toBe("verifier_error");
    }
  });

  test("reports jwt_invalid_signature if no key is usable, as its users get", async () => {
    for (const keys of [[], [{ ...USER_KEY.jwk, use: "enc" }]]) {
      const app = await service.newApp();
      app.document.publish(...keys);
      expect((await explain(app)).denial).toBe("jwt_invalid_signature");
      expect(reasonOf(await app.verify())).toBe("jwt_invalid_signature");
    }
  });

  test("marks keys that are never tried because too many have their kid", async () => {
    const app = await service.newApp({ keys: Array.from({ length: 3 }, () => generateKey("ES512")) });
    const { keySet } = await explain(app);
    expect(keySet.keys.map(({ problem }) => problem)).toEqual(["", "", expect.stringContaining("are tried")]);
  });

  test("reports 32 keys of a long set, and the beginning of a long kid", async () => {
    const app = await service.newApp();
    const published = Array.from({ length: 100 }, (_, n) => ({ ...USER_KEY.jwk, kid: `${n}`.padEnd(300, "x") }));
    app.document.publish(...published);
    const { denial, keySet } = await explain(app);
    expect(denial).toBe("");
    expect(keySet).toMatchObject({ key_count: 100, usable_key_count: 32 });
    expect(keySet.keys.map(({ kid }) => kid)).toEqual(published.slice(0, 32).map(({ kid }) => kid.slice(0, 256)));
    app.document.publish(...published.map((key, n) => (n < 32 ? { ...key, use: "enc" } : key)));
    service.latchkey.clock.advance(30_000);
    // Some of those that are not reported may be usable.
    expect(await explain(app)).toMatchObject({ denial: "", keySet: { usable_key_count: 0 } });
  });
});

describe("the fetches of explain", () => {
  test("are one in 30 s while they succeed, and a token with a new key still causes one", async () => {
    service.latchkey.clock.stand();
    const app = await service.newApp();
    for (let n = 0; n < 20; n++) await explain(app);
    expect(app.document.requests).toBe(1);
    const next = generateKey("ES256", { kid: "next" });
    app.document.publish(USER_KEY.jwk, next.jwk);
    expect(await app.outcomeOf(app.token({}, next))).toBe("admitted");
    expect(app.document.requests).toBe(2);
    expect((await explain(app)).keySet.key_count).toBe(2);
    expect(app.document.requests).toBe(2);
    service.latchkey.clock.advance(30_000);
    await explain(app);
    expect(app.document.requests).toBe(3);
  });

  test("are one for concurrent calls", async () => {
    const app = await service.newApp();
    await Promise.all(Array.from({ length: 20 }, () => explain(app)));
    expect(app.document.requests).toBe(1);
  });

  test("are two in 30 s while they fail, as those of users' tokens are", async () => {
    service.latchkey.clock.stand();
    const app = await service.newApp();
    failWith(app, 404);
    for (let second = 0; second < 20; second++) {
      const { keySet } = await explain(app);
      expect(keySet.problem).toBe("the answer has the status 404");
      await app.verify();
      service.latchkey.clock.advance(1_000);
    }
    expect(app.document.requests).toBe(2);
    app.document.publish(USER_KEY.jwk);
    service.latchkey.clock.advance(10_000);
    expect(await explain(app)).toMatchObject({ denial: "", keySet: { problem: "", usable_key_count: 1 } });
    expect(app.document.requests).toBe(3);
  });
});

test("a set that can no longer be fetched passes while it is used, with the failure and the time of its fetch", async () => {
  const app = await service.newApp();
  const first = await explain(app);
  failWith(app, 503);
  service.latchkey.clock.advance(9 * MINUTE);
  const failing = await explain(app);
  expect(failing.denial).toBe("");
  expect(failing.detail).toMatch(/^The key set .+: the answer has the status 503\. Users' .+ Usable keys: 1 of 1,/);
  expect(failing.keySet).toEqual({ ...first.keySet, problem: "the answer has the status 503" });
  expect(await app.outcomeOf(app.token())).toBe("admitted");
  service.latchkey.clock.advance(MINUTE);
  const gone = await explain(app);
  expect(gone.denial).toBe("verifier_error");
  expect(gone.keySet).not.toHaveProperty("fetched_at");
  expect(await app.outcomeOf(app.token())).toBe("verifier_error");
});
