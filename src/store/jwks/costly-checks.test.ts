// promise: tokens.weak-keys, tokens.turns
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  generateKey,
  rsaKey,
  type SigningKey,
  signToken,
  startKeyServer,
  startProvider,
  startVerifier,
  validClaims,
} from "../../../test/jwks/provider.ts";
import { createCostlyChecks } from "./costly-checks.ts";

/** Each check of a signature, which jose leaves to this, as the curve or the bits of its key. */
const checks: string[] = [];
/** Checks of costly keys that are under way. */
let underWay = 0;
let mostUnderWay = 0;
/** While it is there, checks of costly keys do not end. Then they have its verdict, or if it says none, their own. */
let held: PromiseWithResolvers<boolean | undefined> | undefined;

const check = crypto.subtle.verify.bind(crypto.subtle);
const verify = vi.spyOn(crypto.subtle, "verify");
afterAll(() => verify.mockRestore());

beforeEach(() => {
  checks.length = 0;
  mostUnderWay = 0;
  verify.mockImplementation(async (...args) => {
    const { namedCurve, modulusLength } = args[1].algorithm as { namedCurve?: string; modulusLength?: number };
    const size = namedCurve ?? `${modulusLength}`;
    checks.push(size);
    if (!QUICK_SIZES.includes(size)) {
      mostUnderWay = Math.max(mostUnderWay, ++underWay);
      const verdict = await held?.promise;
      underWay--;
      if (verdict !== undefined) return verdict;
    }
    return check(...args);
  });
});

afterEach(() => {
  held?.resolve(undefined);
  held = undefined;
});

const QUICK_SIZES = ["P-256", "2048", "undefined"];
const STRANGER = { ES512: generateKey("ES512"), ES384: generateKey("ES384"), ES256: generateKey("ES256") };
const QUICK = generateKey("ES256", { kid: "quick" });

function keysOf(count: number, alg: string, members: Record<string, unknown> = { kid: "k1" }): SigningKey[] {
  return Array.from({ length: count }, () => generateKey(alg, members));
}

function of(tenantId: string) {
  return { jwksOwner: { kind: "tenant", tenantId } } as const;
}

/** Lets everything run that waits for nothing but the thread pool. */
async function settle(): Promise<void> {
  await check("Ed25519", await ED25519, new Uint8Array(64), new Uint8Array(1));
  for (let n = 0; n < 10; n++) await new Promise((resolve) => setImmediate(resolve));
}
const ED25519 = crypto.subtle
  .generateKey("Ed25519", false, ["sign", "verify"])
  .then((pair) => ("publicKey" in pair ? pair.publicKey : expect.unreachable()));

describe("a forged token", () => {
  test.each(["ES512", "ES384"] as const)("costs two checks where eight %s keys have its kid", async (alg) => {
    const { checkToken } = await startProvider(...keysOf(8, alg));
    expect(await checkToken(signToken(STRANGER[alg]))).toBe("jwt_invalid_signature");
    expect(checks).toHaveLength(2);
  });

  test("costs two checks of each set that is tried where it names no key and eight P-521 keys fit", async () => {
    const { checkToken } = await startProvider(...keysOf(8, "ES512", {}));
    const forged = signToken(STRANGER.ES512, validClaims(), { alg: "ES512" });
    // The first set; it and a newer one; the newer one alone, since no third one is fetched.
    for (const count of [2, 2 + 2, 2]) {
      checks.length = 0;
      expect(await checkToken(forged)).toBe("jwt_invalid_signature");
      expect(checks).toHaveLength(count);
    }
  });

  test("costs two checks where the keys of its kid have a large modulus or exponent, none where they have 16,384 bits", async () => {
    const slow = rsaKey(2_048, 2 ** 31 - 1).jwk;
    // Nothing is signed with them, so any odd number is a modulus. To make a pair of 4,608 bits takes seconds.
    const withModulus = (bytes: number) => ({ ...slow, e: "AQAB", n: Buffer.alloc(bytes, 255).toString("base64url") });
    const large = withModulus(576);
    const huge = withModulus(2_048);
    const { checkToken, server } = await startProvider();
    const members = (jwk: object, kid: string) => Array.from({ length: 8 }, () => ({ ...jwk, kid }));
    server.publish(...members(large, "large"), ...members(slow, "slow"), ...members(huge, "huge"));
    const signer = rsaKey(2_048);
    for (const [kid, bytes, count] of [
      ["large", 576, 2],
      ["slow", 256, 2],
      ["huge", 2_048, 0],
    ] as const) {
      checks.length = 0;
      const forged = signToken(signer, validClaims(), { alg: "RS256", kid });
      const signature = Buffer.alloc(bytes, 1).toString("base64url");
      expect(await checkToken(forged.replace(/[^.]*$/, signature))).toBe("jwt_invalid_signature");
      expect(checks).toHaveLength(count);
    }
  });

  test("waits for others of its tenant with all keys but the first, where those of its kid are quick", async () => {
    const { checkToken, server } = await startProvider(...keysOf(8, "ES256"), generateKey("ES512", { kid: "costly" }));
    held = Promise.withResolvers();
    const waiting = checkToken(signToken(STRANGER.ES512, validClaims(), { alg: "ES512", kid: "costly" }));
    await expect.poll(() => checks).toEqual(["P-521"]);
    const forged = checkToken(signToken(STRANGER.ES256), { jwksUrl: server.url });
    await expect.poll(() => checks).toEqual(["P-521", "P-256"]);
    await settle();
    expect(checks).toEqual(["P-521", "P-256"]);
    held.resolve(undefined);
    expect(await forged).toBe("jwt_invalid_signature");
    expect(await waiting).toBe("jwt_invalid_signature");
    expect(checks).toHaveLength(9);
  });
});

describe("the old and the new key of a rotation", () => {
  test.each(["ES512", "ES384"])("are both tried, for %s with one kid and without", async (alg) => {
    for (const members of [{ kid: "k1" }, {}]) {
      const [old, next] = [generateKey(alg, members), generateKey(alg, members)];
      const { checkToken } = await startProvider(old, next);
      expect(await checkToken(signToken(old))).toEqual(validClaims());
      expect(await checkToken(signToken(next))).toEqual(validClaims());
    }
  });
});

describe("forty forged tokens at once, for eight P-521 keys of one id", () => {
  const keys = keysOf(8, "ES512");

  async function flooded() {
    const server = await startKeyServer(QUICK.jwk, ...keys.map(({ jwk }) => jwk));
    const { checkToken } = startVerifier({ allowed: [server.host] });
    const checkTokenAs = (tenantId: string, token: string) =>
      checkToken(token, { jwksUrl: server.url, ...of(tenantId) });
    // Fetched before, so that all of them are verified at once.
    expect(await checkTokenAs("any", signToken(QUICK))).toEqual(validClaims());
    checks.length = 0;
    held = Promise.withResolvers();
    const flood = (tenantId: string, length = 40) =>
      Array.from({ length }, () => checkTokenAs(tenantId, signToken(STRANGER.ES512)));
    return { checkTokenAs, flood };
  }

  test("are checked one after the other, and another tenant's token meanwhile, also by the same key set", async () => {
    const { checkTokenAs, flood } = await flooded();
    const verdicts = flood("costly");
    await expect.poll(() => checks).toEqual(["P-521"]);
    for (let n = 0; n < 10; n++) {
      expect(await checkTokenAs("other", signToken(QUICK, validClaims({ n })))).toEqual(validClaims({ n }));
    }
    expect(checks.filter((size) => size === "P-521")).toHaveLength(1);
    const ofOther = checkTokenAs("other", signToken(keys[0] ?? expect.unreachable()));
    await expect.poll(() => underWay).toBe(2);
    held?.resolve(undefined);
    expect(await ofOther).toEqual(validClaims());
    expect(new Set(await Promise.all(verdicts))).toEqual(new Set(["jwt_invalid_signature"]));
    expect(checks.filter((size) => size === "P-521")).toHaveLength(81);
    expect(underWay).toBe(0);
  });

  test("leave half of the thread pool to others, however many tenants send them, who take turns", async () => {
    const { checkTokenAs, flood } = await flooded();
    const verdicts = ["a", "b", "c", "d", "e"].flatMap((tenantId) => flood(tenantId, 12));
    await expect.poll(() => underWay).toBe(2);
    await settle();
    expect(checks).toEqual(["P-521", "P-521"]);
    const last = checkTokenAs("last", signToken(keys[0] ?? expect.unreachable()));
    await settle();
    held?.resolve(undefined);
    expect(await last).toEqual(validClaims());
    // Each of the others was at most twice before it; of 24 checks each.
    expect(checks.length).toBeLessThan(20);
    await Promise.all(verdicts);
    expect(mostUnderWay).toBe(2);
    expect(checks).toHaveLength(5 * 12 * 2 + 1);
  });

  test("wait; of more than 500 those that are too many are answered verifier_error at once", async () => {
    const { checkTokenAs } = await flooded();
    const forged = signToken(STRANGER.ES512);
    const verdicts = Array.from({ length: 501 }, () => checkTokenAs("costly", forged));
    await settle();
    expect(await checkTokenAs("costly", forged)).toBe("verifier_error");
    expect(await checkTokenAs("costly", signToken(QUICK))).toEqual(validClaims());
    expect(checks.filter((size) => size === "P-521")).toHaveLength(1);
    // Without the cost of a thousand checks.
    held?.resolve(false);
    expect(new Set(await Promise.all(verdicts))).toEqual(new Set(["jwt_invalid_signature"]));
    expect(await checkTokenAs("costly", forged)).toBe("jwt_invalid_signature");
  });
});

describe("after a check", () => {
  /** Checks that take so many milliseconds of a clock that otherwise stands still, and rests that the test ends. */
  function paced() {
    let nowMs = 0;
    const rests: { readonly ms: number; readonly end: () => void }[] = [];
    const { run } = createCostlyChecks({
      monotonicMs: () => nowMs,
      wait: (ms) => new Promise<void>((end) => rests.push({ ms, end })),
    });
    const begun: string[] = [];
    const check = (account: string, tookMs: number) =>
      run(account, async () => {
        begun.push(account);
        nowMs += tookMs;
        return account;
      });
    return { check, begun, rests };
  }

  test("its account rests three times as long, so that it has a quarter of a core, and others do not wait", async () => {
    const { check, begun, rests } = paced();
    const second = check("a", 4).then(() => check("a", 2));
    await expect.poll(() => rests.map(({ ms }) => ms)).toEqual([12]);
    expect(await check("b", 1)).toBe("b");
    await settle();
    expect(begun).toEqual(["a", "b"]);
    rests[0]?.end();
    expect(await second).toBe("a");
    expect(rests.map(({ ms }) => ms)).toEqual([12, 3, 6]);
  });

  test("that waited for a core itself its account rests 20 ms, and after one that took no time not at all", async () => {
    const { check, rests } = paced();
    await check("a", 5_000);
    await check("b", 0);
    await check("b", 0);
    expect(rests.map(({ ms }) => ms)).toEqual([20]);
  });

  test("that fails its account rests, too", async () => {
    const waited: number[] = [];
    let nowMs = 0;
    const wait = async (ms: number) => void waited.push(ms);
    const { run } = createCostlyChecks({ monotonicMs: () => nowMs++, wait });
    await expect(run("a", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(await run("a", async () => "next")).toBe("next");
    expect(waited).toEqual([3, 3]);
  });
});
