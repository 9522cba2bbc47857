import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  generateKey,
  ISSUER,
  START_S,
  signToken,
  startKeyServer,
  startProvider,
  startVerifier,
  validClaims,
} from "../../../test/jwks/provider.ts";
import { createVerifiedTokenCaches, digestOf, ENTRY_CHARS, type KnownToken } from "./verified-tokens.ts";

/** Counts signature checks: jose calls this function. The checks themselves are unchanged. */
const verify = vi.spyOn(crypto.subtle, "verify");
afterAll(() => verify.mockRestore());

const KEY = generateKey("ES256", { kid: "first" });
const NEXT = generateKey("ES256", { kid: "second" });
const CLAIMS = validClaims();
const TOKEN = signToken(KEY);
const MINUTE_MS = 60_000;

const checks = (): number => verify.mock.calls.length;

beforeEach(() => {
  verify.mockClear();
});

describe("a verified token", () => {
  test("is not verified again", async () => {
    const { checkToken } = await startProvider(KEY);
    for (let n = 0; n < 5; n++) expect(await checkToken(TOKEN)).toEqual(CLAIMS);
    expect(checks()).toBe(1);
  });

  test("is not changed when a caller changes the claims it got", async () => {
    const { checkToken } = await startProvider(KEY);
    const token = signToken(KEY, validClaims({ roles: { admin: false } }));
    for (let n = 0; n < 3; n++) {
      const claims = await checkToken(token);
      expect(claims).toEqual(validClaims({ roles: { admin: false } }));
      Object.assign(claims, { sub: "mallory" });
      Object.assign((claims as { roles: object }).roles, { admin: true });
    }
    expect(checks()).toBe(1);
  });

  test("says nothing about a text that differs anywhere", async () => {
    const { checkToken } = await startProvider(KEY);
    await checkToken(TOKEN);
    const changed = fc.asyncProperty(fc.nat(TOKEN.length - 1), fc.constantFrom(..."AaBb09-_."), async (at, char) => {
      fc.pre(TOKEN[at] !== char);
      expect(await checkToken(TOKEN.slice(0, at) + char + TOKEN.slice(at + 1))).toMatch(/^jwt_/);
    });
    await fc.assert(changed, { numRuns: 300 });
  });

  test("is refused as soon as the set is replaced by one without its key", async () => {
    const { checkToken, server } = await startProvider(KEY);
    expect(await checkToken(TOKEN)).toEqual(CLAIMS);
    expect(await checkToken(TOKEN)).toEqual(CLAIMS);
    server.publish(NEXT.jwk);
    expect(await checkToken(signToken(NEXT))).toEqual(CLAIMS);
    expect(await checkToken(TOKEN)).toBe("jwt_invalid_signature");
  });

  test("is refused as soon as its key is published as another one of the same id", async () => {
    const { checkToken, server } = await startProvider(KEY);
    await checkToken(TOKEN);
    server.publish({ ...NEXT.jwk, kid: "first" }, NEXT.jwk);
    await checkToken(signToken(NEXT));
    expect(await checkToken(TOKEN)).toBe("jwt_invalid_signature");
  });

  test("is verified again after each fetch, also one in the background", async () => {
    const { checkToken, server, advance } = await startProvider(KEY);
    await checkToken(TOKEN);
    advance(5 * MINUTE_MS);
    await checkToken(TOKEN);
    await expect.poll(async () => [await checkToken(TOKEN), checks()]).toEqual([CLAIMS, 2]);
    expect(server.requests).toBe(2);
  });

  test("does not outlive its set when the provider is down", async () => {
    const { checkToken, server, advance } = await startProvider(KEY);
    await checkToken(TOKEN);
    await server.stop();
    advance(10 * MINUTE_MS - 1);
    expect(await checkToken(TOKEN)).toEqual(CLAIMS);
    expect(checks()).toBe(1);
    advance(1);
    expect(await checkToken(TOKEN)).toBe("verifier_error");
  });

  test("is checked against each request's own audience and issuer", async () => {
    const { checkToken } = await startProvider(KEY);
    await checkToken(TOKEN);
    expect(await checkToken(TOKEN, { audience: "other" })).toBe("jwt_invalid_audience");
    expect(await checkToken(TOKEN, { audience: "" })).toBe("jwt_invalid_audience");
    expect(checks()).toBe(1);
    expect(await checkToken(TOKEN, { issuer: `${ISSUER}/other` })).toBe("jwt_invalid_issuer");
    expect(await checkToken(TOKEN)).toEqual(CLAIMS);
  });

  test("expires", async () => {
    const { checkToken, advance } = await startProvider(KEY);
    const token = signToken(KEY, validClaims({ exp: START_S + 60 }));
    await checkToken(token);
    advance(59_999);
    expect(await checkToken(token)).toMatchObject({ exp: START_S + 60 });
    expect(checks()).toBe(1);
    // The leeway is for clock differences and does not extend the cache.
    advance(1);
    expect(await checkToken(token)).toMatchObject({ exp: START_S + 60 });
    expect(checks()).toBe(2);
    advance(5_001);
    expect(await checkToken(token)).toBe("jwt_expired");
  });

  test("is not yet valid again when the clock is set back", async () => {
    const { checkToken, advance, setBack } = await startProvider(KEY);
    const token = signToken(KEY, validClaims({ nbf: START_S + 10 }));
    advance(10_000);
    expect(await checkToken(token)).toMatchObject({ nbf: START_S + 10 });
    setBack(5_001);
    expect(await checkToken(token)).toBe("jwt_malformed");
  });

  test("of one key set is unknown to any other key set", async () => {
    const [ours, theirs] = [await startKeyServer(KEY.jwk), await startKeyServer({ ...NEXT.jwk, kid: "first" })];
    const { checkToken } = startVerifier({ allowed: [ours.host, theirs.host] });
    const as = (tenantId: string, jwksUrl: string) =>
      checkToken(TOKEN, { jwksOwner: { kind: "tenant", tenantId }, jwksUrl });
    expect(await as("ten_a", ours.url)).toEqual(CLAIMS);
    expect(await as("ten_b", theirs.url)).toBe("jwt_invalid_signature");
    expect(await as("ten_a", ours.url)).toEqual(CLAIMS);
    expect(await as("ten_b", theirs.url)).toBe("jwt_invalid_signature");
  });
});

describe("a refused token", () => {
  test("is never cached, for any reason of the refusal", async () => {
    const { checkToken } = await startProvider(KEY);
    const forged = signToken(NEXT, CLAIMS, { alg: "ES256", kid: "first" });
    for (const refused of [
      { token: forged, expected: {} },
      { token: signToken(KEY, validClaims({ exp: START_S - 3_600 })), expected: {} },
      { token: signToken(KEY, validClaims({ nbf: START_S + 3_600 })), expected: {} },
      { token: signToken(KEY, "no claims"), expected: {} },
      { token: TOKEN, expected: { audience: "other" } },
    ]) {
      const before = checks();
      for (let n = 1; n <= 3; n++) {
        expect(await checkToken(refused.token, refused.expected)).toMatch(/^jwt_/);
        expect(checks()).toBe(before + n);
      }
    }
    expect(await checkToken(TOKEN)).toEqual(CLAIMS);
  });
});

describe("the cache of verified tokens", () => {
  const PAYLOAD = "x".repeat(100);
  const KNOWN: KnownToken = { payload: PAYLOAD, kind: "unmarked" };
  const ENTRY = PAYLOAD.length + ENTRY_CHARS;
  const digests = (name: string, count: number) => Array.from({ length: count }, (_, n) => digestOf(`${name} ${n}`));

  /** Caches of key sets with room for 10 tokens, and for 4 of one set. */
  function memories() {
    const open = createVerifiedTokenCaches({ charsMax: 10 * ENTRY, charsOfSetMax: 4 * ENTRY });
    return (name: string) => {
      const memory = open();
      const all = digests(name, 100);
      return {
        ...memory,
        fill: (count: number) => {
          for (const digest of all.slice(0, count)) memory.add(digest, KNOWN, START_S);
        },
        kept: () => all.flatMap((digest, n) => (memory.find(digest, 0) === undefined ? [] : [n])),
      };
    };
  }

  test("of one set is bounded, and evicts the least recently used token", () => {
    const set = memories()("a");
    set.fill(4);
    set.find(digestOf("a 0"), 0);
    set.add(digestOf("a 50"), KNOWN, START_S);
    expect(set.kept()).toEqual([0, 2, 3, 50]);
  });

  test("of all sets is bounded, and evicts the least recently used token", () => {
    const open = memories();
    const [a, b, c] = [open("a"), open("b"), open("c")];
    for (const set of [a, b]) set.fill(4);
    expect(a.kept()).toHaveLength(4);
    c.fill(4);
    expect([a.kept(), b.kept(), c.kept()]).toEqual([
      [0, 1, 2, 3],
      [2, 3],
      [0, 1, 2, 3],
    ]);
  });

  test("loses no more to another set's flood than that set's share", () => {
    const open = memories();
    const [a, b, flood] = [open("a"), open("b"), open("flood")];
    for (const set of [a, b]) set.fill(3);
    flood.fill(100);
    expect([a.kept(), b.kept(), flood.kept()]).toEqual([
      [0, 1, 2],
      [0, 1, 2],
      [96, 97, 98, 99],
    ]);
  });

  test("counts its characters", () => {
    const set = memories()("a");
    set.fill(3);
    set.add(digestOf("a 50"), { ...KNOWN, payload: "x".repeat(2 * PAYLOAD.length + ENTRY_CHARS) }, START_S);
    expect(set.kept()).toEqual([1, 2, 50]);
    set.add(digestOf("a 51"), { ...KNOWN, payload: "x".repeat(4 * ENTRY) }, START_S);
    expect(set.kept()).toEqual([1, 2, 50]);
  });

  test("evicts a token at its exp, which makes room", () => {
    const set = memories()("a");
    set.fill(4);
    expect(set.find(digestOf("a 0"), START_S - 0.001)).toMatchObject(KNOWN);
    expect(set.find(digestOf("a 0"), START_S)).toBeUndefined();
    set.add(digestOf("a 50"), KNOWN, START_S);
    expect(set.kept()).toEqual([1, 2, 3, 50]);
  });

  test("counts a token once that two callers add at once", () => {
    const set = memories()("a");
    for (let n = 0; n < 10; n++) set.fill(4);
    expect(set.kept()).toEqual([0, 1, 2, 3]);
  });

  test("ends with its set for good, and leaves its room to the others", () => {
    const open = memories();
    const [a, b, c, d] = [open("a"), open("b"), open("c"), open("d")];
    for (const set of [a, b]) set.fill(4);
    a.close();
    // A verification that was under way when the set was replaced.
    a.fill(4);
    expect(a.kept()).toEqual([]);
    for (const set of [c, d]) set.fill(3);
    expect([b.kept(), c.kept(), d.kept()].map(({ length }) => length)).toEqual([4, 3, 3]);
  });
});
