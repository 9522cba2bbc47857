// promise: key-sets.fetches, key-sets.shared, key-sets.bounds, key-sets.answers
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import {
  generateKey,
  START_S,
  signToken,
  startKeyServer,
  startProvider,
  startVerifier,
  validClaims,
} from "../../../test/jwks/provider.ts";
import { CLAIMS, KEY, NEXT, NEXT_TOKEN, TOKEN, unknown } from "../../../test/jwks/tokens.ts";
import type { JwksOwner } from "../../domain/tokens/claims.ts";
import type { KeySet } from "./key-set.ts";
import { BOUNDS, createKeySets } from "./key-sets.ts";
import { createVerifiedTokenCaches } from "./verified-tokens.ts";

const NAMELESS = generateKey("ES256", {});

const MINUTE_MS = 60_000;

describe("number of fetches", () => {
  test("50 callers of a cold set cause one fetch", async () => {
    const { checkToken, server } = await startProvider(KEY);
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => checkToken(TOKEN)));
    expect(verdicts).toEqual(Array.from({ length: 50 }, () => CLAIMS));
    expect(server.requests).toBe(1);
  });

  test("a set serves 5 minutes without a fetch", async () => {
    const { checkToken, server, advance } = await startProvider(KEY);
    await checkToken(TOKEN);
    advance(5 * MINUTE_MS - 1);
    expect(await checkToken(TOKEN)).toEqual(CLAIMS);
    expect(server.requests).toBe(1);
  });

  // threat: F13
  test("1,200 invented key ids within a minute cause at most 2 fetches in any 30 s", async () => {
    const { checkToken, server, advance } = await startProvider(KEY);
    const fetchedAfter: number[] = [];
    for (let second = 0; second <= 60; second++) {
      const before = server.requests;
      const storm = Array.from({ length: 20 }, (_, index) => checkToken(unknown(second * 20 + index)));
      expect(new Set(await Promise.all(storm))).toEqual(new Set(["jwt_invalid_signature"]));
      if (server.requests > before) fetchedAfter.push(second);
      advance(1_000);
    }
    expect(fetchedAfter).toEqual([0, 1, 30, 31, 60]);
    expect(server.requests).toBe(5);
  });

  test("forged signatures under a known key id cause no fetch", async () => {
    const { checkToken, server } = await startProvider(KEY);
    const forged = signToken(NEXT, CLAIMS, { alg: "ES256", kid: "first" });
    for (let index = 0; index < 20; index++) expect(await checkToken(forged)).toBe("jwt_invalid_signature");
    expect(server.requests).toBe(1);
  });

  test("forged tokens without a key id cause 2 fetches in 30 s", async () => {
    const { checkToken, server } = await startProvider(KEY);
    const forged = signToken(NEXT, CLAIMS, { alg: "ES256" });
    for (let index = 0; index < 20; index++) expect(await checkToken(forged)).toBe("jwt_invalid_signature");
    expect(server.requests).toBe(2);
  });

  test("tenants' and the operator's configurations do not share what they fetched, nor do two URLs", async () => {
    const { checkToken, server } = await startProvider(KEY);
    await checkToken(TOKEN);
    await checkToken(TOKEN, { jwksOwner: { kind: "operator" } });
    await checkToken(TOKEN, { jwksUrl: `${server.url}?x` });
    await checkToken(TOKEN, { audience: "other" });
    expect(server.requests).toBe(3);
  });

  test("100 issuers with one URL cause at most 2 fetches in 30 s, and each accepts only its own tokens", async () => {
    const { checkToken, server } = await startProvider(KEY);
    const issuers = Array.from({ length: 100 }, (_, index) => `https://idp.example/${index}`);
    for (const [index, issuer] of issuers.entries()) {
      const jwksOwner = { kind: "tenant", tenantId: `ten_${index}` } as const;
      const claims = validClaims({ iss: issuer });
      expect(await checkToken(signToken(KEY, claims), { issuer, jwksOwner })).toEqual(claims);
      expect(await checkToken(TOKEN, { issuer, jwksOwner })).toBe("jwt_invalid_issuer");
      expect(await checkToken(unknown(index), { issuer, jwksOwner })).toBe("jwt_invalid_signature");
    }
    expect(server.requests).toBe(2);
  });
});

describe("number of sets", () => {
  /** Uses key sets that are fetched at once, in caches of 10 and of 4 for each tenant, and counts their fetches. */
  function countedSets() {
    const document = JSON.stringify({ keys: [KEY.jwk] });
    let fetches = 0;
    const sets = createKeySets({
      clock: () => new Date(START_S * 1_000),
      monotonicMs: () => 0,
      fetchText: async () => {
        fetches += 1;
        return document;
      },
      verifiedTokens: createVerifiedTokenCaches(),
      onChange: () => {},
      onFetched: () => {},
      bounds: { ...BOUNDS, tenant: { all: { count: 10, bytes: 1e9 }, share: { count: 4, bytes: 1e9 } } },
    });
    return {
      fetches: () => fetches,
      use: (jwksOwner: JwksOwner, set = 0) =>
        sets.use({ jwksUrl: `https://idp.example/${set}`, jwksOwner }, (keys) => keys.hasKid("first") || undefined),
    };
  }

  const tenant = (tenantId: string) => ({ kind: "tenant", tenantId }) as const;

  // threat: F14
  test("are 1,000 of all tenants, 250 of one, and 10 of the operator", () => {
    expect(BOUNDS.tenant).toMatchObject({ all: { count: 1_000 }, share: { count: 250 } });
    expect(BOUNDS.operator).toMatchObject({ all: { count: 10 }, share: { count: 10 } });
  });

  // threat: F14
  test("up to the bound are cached, and the least recently used one is evicted", async () => {
    const { use, fetches } = countedSets();
    const useSet = (set: number) => use(tenant(`ten_${set % 5}`), set);
    for (let set = 0; set < 10; set++) await useSet(set);
    await useSet(0);
    expect(fetches()).toBe(10);
    await useSet(10);
    await useSet(0);
    expect(fetches()).toBe(11);
    await useSet(1);
    expect(fetches()).toBe(12);
  });

  // threat: F14
  test("of one tenant up to its share are cached, and further ones evict no set of another tenant", async () => {
    const { use, fetches } = countedSets();
    await use(tenant("other"), -1);
    for (let set = 0; set < 20; set++) await use(tenant("greedy"), set);
    expect(fetches()).toBe(21);
    await use(tenant("other"), -1);
    await use(tenant("greedy"), 16);
    expect(fetches()).toBe(21);
    await use(tenant("greedy"), 15);
    expect(fetches()).toBe(22);
  });

  test("of tenants, however many, evict no set of the operator", async () => {
    const { use, fetches } = countedSets();
    await use({ kind: "operator" });
    for (let set = 0; set < 20; set++) await use(tenant("ten_1"), set);
    await use({ kind: "operator" });
    expect(fetches()).toBe(21);
  });
});

describe("fetches under way", () => {
  /** A host that does not answer, and one that answers. */
  async function hosts() {
    const hung = await startKeyServer();
    const held: ServerResponse[] = [];
    hung.respond = (_req, res) => void held.push(res);
    /** Ends what hangs, as its time limit does. */
    const giveUp = () => {
      hung.respond = (_req, res) => void res.destroy();
      for (const res of held) res.destroy();
    };
    const healthy = await startKeyServer(KEY.jwk);
    const { checkToken, advance } = startVerifier({ allowed: [hung.host, healthy.host] });
    const hang = (tenantId: string, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          checkToken(TOKEN, { jwksUrl: `${hung.url}?${tenantId}-${index}`, jwksOwner: { kind: "tenant", tenantId } }),
        ),
      );
    /** For the operator where no tenant is given. */
    const judgeFor = (tenantId: string | null, token = TOKEN) =>
      checkToken(token, {
        jwksUrl: healthy.url,
        jwksOwner: tenantId === null ? { kind: "operator" } : { kind: "tenant", tenantId },
      });
    return { hung, healthy, hang, giveUp, judgeFor, advance };
  }

  test("of one tenant are 64: its own next one fails at once, another's and the operator's do not", async () => {
    const { hung, healthy, hang, giveUp, judgeFor } = await hosts();
    const waiting = hang("greedy", 100);
    expect(await judgeFor("greedy")).toBe("verifier_error");
    expect(healthy.requests).toBe(0);
    // The provider did not fail, so there is no pause before the next fetch.
    expect(await judgeFor("other")).toEqual(CLAIMS);
    expect(await judgeFor("greedy")).toEqual(CLAIMS);
    expect(await judgeFor(null)).toEqual(CLAIMS);
    await expect.poll(() => hung.requests).toBe(64);
    giveUp();
    expect(new Set(await waiting)).toEqual(new Set(["verifier_error"]));
    expect(hung.requests).toBe(64);
  });

  test("for which there is no room keep no other tenant from following the same provider's new key", async () => {
    const { healthy, hang, giveUp, judgeFor } = await hosts();
    expect(await judgeFor("other")).toEqual(CLAIMS);
    const waiting = hang("greedy", 64);
    for (let index = 0; index < 5; index++) {
      expect(await judgeFor("greedy", unknown(index))).toBe("verifier_error");
    }
    expect(healthy.requests).toBe(1);
    healthy.publish(KEY.jwk, NEXT.jwk);
    expect(await judgeFor("other", NEXT_TOKEN)).toEqual(CLAIMS);
    giveUp();
    await waiting;
  });

  test("for which there is no room leave an aged set to be fetched by the next who has some", async () => {
    const { healthy, hang, giveUp, judgeFor, advance } = await hosts();
    await judgeFor("other");
    const waiting = hang("greedy", 64);
    advance(5 * MINUTE_MS);
    for (let index = 0; index < 3; index++) expect(await judgeFor("greedy")).toEqual(CLAIMS);
    expect(healthy.requests).toBe(1);
    await expect.poll(async () => [await judgeFor("other"), healthy.requests]).toEqual([CLAIMS, 2]);
    giveUp();
    await waiting;
  });

  test("of all tenants are 512, and the operator's come besides", async () => {
    const { hang, giveUp, judgeFor } = await hosts();
    const waiting = Promise.all(Array.from({ length: 8 }, (_, index) => hang(`greedy-${index}`, 64)));
    expect(await judgeFor("other")).toBe("verifier_error");
    expect(await judgeFor(null)).toEqual(CLAIMS);
    giveUp();
    await waiting;
    expect(await judgeFor("other")).toEqual(CLAIMS);
  });
});

describe("rotation", () => {
  // threat: F11
  test("a new key is accepted at its first token", async () => {
    const { checkToken, server } = await startProvider(KEY);
    await checkToken(TOKEN);
    server.publish(KEY.jwk, NEXT.jwk);
    expect(await checkToken(NEXT_TOKEN)).toEqual(CLAIMS);
    expect(await checkToken(TOKEN)).toEqual(CLAIMS);
    expect(server.requests).toBe(2);
  });

  // threat: F11
  test("a new key is accepted within 30 s in the midst of a storm", async () => {
    const { checkToken, server, advance } = await startProvider(KEY);
    for (let index = 0; index < 5; index++) await checkToken(unknown(index));
    server.publish(NEXT.jwk);
    expect(await checkToken(NEXT_TOKEN)).toBe("jwt_invalid_signature");
    advance(30_000);
    expect(await checkToken(NEXT_TOKEN)).toEqual(CLAIMS);
    expect(await checkToken(TOKEN)).toBe("jwt_invalid_signature");
  });

  test("a key replaced under its id is followed at the second token, 30 s after the last fetch at the latest", async () => {
    const { checkToken, server, advance } = await startProvider(KEY);
    await checkToken(TOKEN);
    server.publish({ ...NEXT.jwk, kid: "first" });
    const token = signToken(NEXT, CLAIMS, { alg: "ES256", kid: "first" });
    expect(await checkToken(token)).toBe("jwt_invalid_signature");
    advance(30_000);
    expect(await checkToken(token)).toBe("jwt_invalid_signature");
    await expect.poll(() => checkToken(token)).toEqual(CLAIMS);
    expect(await checkToken(TOKEN)).toBe("jwt_invalid_signature");
    expect(server.requests).toBe(2);
  });

  test("forged tokens under a known id cause one fetch in 30 s, wait for none, and leave one for a new id", async () => {
    const { checkToken, server, advance } = await startProvider(KEY);
    const forged = signToken(NEXT, CLAIMS, { alg: "ES256", kid: "first" });
    await checkToken(TOKEN);
    const answer = server.respond;
    const held: (() => void)[] = [];
    server.respond = (req, res) => void held.push(() => answer(req, res));
    advance(30_000);
    for (let index = 0; index < 100; index++) expect(await checkToken(forged)).toBe("jwt_invalid_signature");
    expect(await checkToken(TOKEN)).toEqual(CLAIMS);
    await expect.poll(() => server.requests).toBe(2);
    for (const release of held) release();
    server.publish(KEY.jwk, NEXT.jwk);
    await expect.poll(() => checkToken(NEXT_TOKEN)).toEqual(CLAIMS);
    for (let second = 0; second < 29; second++) {
      advance(1_000);
      expect(await checkToken(forged)).toBe("jwt_invalid_signature");
    }
    expect(server.requests).toBe(3);
  });

  test("keys without ids are followed too", async () => {
    const { checkToken, server } = await startProvider(KEY);
    await checkToken(TOKEN);
    server.publish(NAMELESS.jwk);
    expect(await checkToken(signToken(NAMELESS, CLAIMS, { alg: "ES256" }))).toEqual(CLAIMS);
  });

  test("a caller whose key set is replaced during its attempt tries the new one, without a fetch", async () => {
    const documents = [KEY, NEXT].map(({ jwk }) => JSON.stringify({ keys: [jwk] }));
    const sets = createKeySets({
      clock: () => new Date(START_S * 1_000),
      monotonicMs: () => 0,
      fetchText: async () => documents.shift() ?? "no more is asked for",
      verifiedTokens: createVerifiedTokenCaches(),
      onChange: () => {},
      onFetched: () => {},
    });
    const source = { jwksUrl: "https://idp.example/jwks", jwksOwner: { kind: "operator" } } as const;
    const has = (kid: unknown) => (keys: KeySet) => keys.hasKid(String(kid)) || undefined;
    expect(await sets.use(source, has(KEY.jwk.kid))).toBe(true);
    const { promise: replaced, resolve: goOn } = Promise.withResolvers<void>();
    const slow = sets.use(source, async (keys) => {
      await replaced;
      return has(NEXT.jwk.kid)(keys);
    });
    expect(await sets.use(source, has(NEXT.jwk.kid))).toBe(true);
    goOn();
    expect(await slow).toBe(true);
  });

  test("callers with a new key share the fetch", async () => {
    const { checkToken, server } = await startProvider(KEY);
    await checkToken(TOKEN);
    server.publish(NEXT.jwk);
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => checkToken(NEXT_TOKEN)));
    expect(verdicts).toEqual(Array.from({ length: 50 }, () => CLAIMS));
    expect(server.requests).toBe(2);
  });

  // threat: F12
  test("a removed key is refused after 10 minutes at the latest, used every minute or never", async () => {
    for (const stepMs of [MINUTE_MS, 10 * MINUTE_MS]) {
      const { checkToken, server, advance } = await startProvider(KEY);
      await checkToken(TOKEN);
      server.publish(NEXT.jwk);
      for (let ms = stepMs; ms < 10 * MINUTE_MS; ms += stepMs) {
        advance(stepMs);
        await checkToken(TOKEN);
      }
      advance(stepMs);
      expect(await checkToken(TOKEN)).toBe("jwt_invalid_signature");
    }
  });

  test("a set older than 5 minutes is replaced in the background", async () => {
    const { checkToken, server, advance } = await startProvider(KEY);
    await checkToken(TOKEN);
    server.publish(NEXT.jwk);
    advance(5 * MINUTE_MS);
    expect(await checkToken(TOKEN)).toEqual(CLAIMS);
    await expect.poll(() => checkToken(TOKEN)).toBe("jwt_invalid_signature");
  });

  test("an emptied set empties the cache", async () => {
    const { checkToken, server, advance } = await startProvider(KEY);
    await checkToken(TOKEN);
    server.publish();
    advance(10 * MINUTE_MS);
    expect(await checkToken(TOKEN)).toBe("jwt_invalid_signature");
  });

  test("a clock set back neither prolongs a set nor forbids a fetch", async () => {
    const { checkToken, server, setBack } = await startProvider(KEY);
    await checkToken(TOKEN);
    await checkToken(unknown(1));
    server.publish(NEXT.jwk);
    setBack(1_000);
    expect(await checkToken(TOKEN, { audience: "app" })).toBe("jwt_invalid_signature");
    expect(await checkToken(NEXT_TOKEN)).toEqual(CLAIMS);
  });
});
