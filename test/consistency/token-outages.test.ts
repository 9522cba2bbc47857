import { afterEach, describe, expect, inject, test } from "vitest";
import { newBoundToken } from "../harness/bound-tokens.ts";
import { DERIVE, type DerivingKey, derivingKey } from "../harness/derived-tokens.ts";
import { newEmployer } from "../harness/federation.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { type PublishableService, startPublishable } from "../harness/publishable.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { TOKEN_ISSUER } from "../harness/token-settings.ts";
import { type CuttableProxy, startProxy } from "../servers/cuttable-proxy.ts";
import { copyDatabase } from "../servers/postgres.ts";

const VERIFY = "/api/v1/auth/verify";
const SCOPE = "plans:read";
const RECOVERY_MS = 15_000;

/** Two services over one database. The ways of the other one to PostgreSQL and Redis can be cut. */
interface Pair {
  readonly databaseUrl: string;
  readonly one: Latchkey;
  readonly other: Latchkey;
  readonly service: PublishableService;
  readonly postgres: CuttableProxy;
  readonly redis: CuttableProxy;
}

const cleanUps: (() => Promise<unknown>)[] = [];

async function startPair(): Promise<Pair> {
  const database = new URL(await copyDatabase(inject("servingTemplate").adminUrl));
  const postgres = await startProxy(Number(database.port));
  const redis = await startProxy(Number(new URL(inject("redisUrl")).port));
  const proxied = new URL(database);
  proxied.port = String(postgres.port);
  const one = await startLatchkey({ config: { storage: { kind: "postgres", url: database.href } } });
  const service = await startPublishable({
    storage: { kind: "postgres", url: proxied.href },
    redis: redisAt(`redis://127.0.0.1:${redis.port}`),
  });
  const other = service.latchkey;
  cleanUps.push(
    postgres.stop,
    redis.stop,
    () => other.close(),
    () => one.close(),
  );
  return { databaseUrl: database.href, one, other, service, postgres, redis };
}

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function deriveOf(key: DerivingKey): Promise<{ readonly token: string; readonly tokenId: string }> {
  const { token, token_id } = await key.derive({ scopes: [SCOPE] });
  return { token: String(token), tokenId: String(token_id) };
}

async function outcome(latchkey: Latchkey, headers: Record<string, string>): Promise<string> {
  const { status, json } = await latchkey.call(VERIFY, { scope: SCOPE }, headers);
  return status === 200 ? "200" : `${status} ${json.denial_reason}`;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("while PostgreSQL is away", () => {
  test("a token is never a 401 if it is valid and never a 200 if it was revoked, and the outage ends by itself", async () => {
    const { one, other, postgres } = await startPair();
    const key = await derivingKey(one);
    const [warm, cold, revoked] = [await deriveOf(key), await deriveOf(key), await deriveOf(key)];
    for (const { token } of [warm, revoked]) expect(await outcome(other, bearer(token))).toBe("200");
    const answer = await one.call(
      "/api/v1/tokens/revoke",
      { token_id: revoked.tokenId },
      await one.dashboard(key.tenant),
    );
    expect(answer.status, answer.text).toBe(200);
    postgres.cut();
    const seen = new Set<string>();
    const warmOutcome = async () => {
      const found = await outcome(other, bearer(warm.token));
      seen.add(found);
      expect(await outcome(other, bearer(cold.token))).toBe("500 verifier_error");
      expect(["401 token_revoked", "500 verifier_error"]).toContain(await outcome(other, bearer(revoked.token)));
      return found;
    };
    // Until its lease ends, the replica uses what it has cached.
    await expect.poll(warmOutcome, { timeout: RECOVERY_MS }).toBe("500 verifier_error");
    expect([...seen].sort()).toEqual(["200", "500 verifier_error"]);
    // What is no token of the service's own needs no look-up.
    const forged = warm.token.replace(/.{8}$/, "AAAAAAAA");
    expect(await outcome(other, bearer(forged))).toBe("401 jwt_invalid_signature");
    expect((await fetch(`${other.url}/.well-known/jwks.json`)).status).toBe(200);
    postgres.mend();
    await expect.poll(() => outcome(other, bearer(cold.token)), { timeout: RECOVERY_MS }).toBe("200");
    expect(await outcome(other, bearer(warm.token))).toBe("200");
    expect(await outcome(other, bearer(revoked.token))).toBe("401 token_revoked");
  });

  test("a bound token is neither accepted nor refused, even one that is cached: its proof cannot be used up", async () => {
    const { other, postgres } = await startPair();
    const bound = await newBoundToken(other);
    expect(await outcome(other, await bound.headers(VERIFY))).toBe("200");
    const proven = await bound.headers(VERIFY);
    postgres.cut();
    expect(await outcome(other, proven)).toBe("500 verifier_error");
    postgres.mend();
    // The proof was not used.
    await expect.poll(() => outcome(other, proven), { timeout: RECOVERY_MS }).toBe("200");
    expect(await outcome(other, proven)).toBe("401 jwt_malformed");
  });

  test("no token is issued, and the answer says to retry", async () => {
    const { other, service, postgres } = await startPair();
    const [key, employer] = [await derivingKey(other), await newEmployer(service)];
    const { rule_id } = await employer.create({ scopes: [SCOPE] });
    await deriveOf(key);
    postgres.cut();
    const assertion = employer.assertion();
    const derived = await other.call(DERIVE, { scopes: [SCOPE] }, key.headers);
    // The key is checked first, and may not be in the cache any more.
    expect([503, 500]).toContain(derived.status);
    const exchanged = await employer.exchange(String(rule_id), assertion);
    expect([exchanged.status, exchanged.json.error]).toEqual([503, "temporarily_unavailable"]);
    expect(Number(exchanged.headers.get("retry-after"))).toBeGreaterThan(0);
    postgres.mend();
    const again = async () => (await employer.exchange(String(rule_id), assertion)).status;
    await expect.poll(again, { timeout: RECOVERY_MS }).toBe(200);
  });
});

test("while Redis is away, tokens are checked as keys are, and a revocation binds", async () => {
  const { one, other, redis } = await startPair();
  const key = await derivingKey(one, { rate_limit: { requests_per_minute: 1_000 } });
  const [kept, revoked] = [await deriveOf(key), await deriveOf(key)];
  for (const { token } of [kept, revoked]) expect(await outcome(other, bearer(token))).toBe("200");
  redis.cut();
  expect(await outcome(other, bearer(kept.token))).toBe(await outcome(other, { "x-api-key": key.key }));
  const answer = await one.call(
    "/api/v1/tokens/revoke",
    { token_id: revoked.tokenId },
    await one.dashboard(key.tenant),
  );
  expect(answer.status, answer.text).toBe(200);
  expect(await outcome(other, bearer(revoked.token))).toBe("401 token_revoked");
  expect(await outcome(other, bearer(kept.token))).toBe("200");
});

test("a replica whose TOKEN_SECRET decrypts no signing key checks tokens, issues none and says why", async () => {
  const { databaseUrl, one } = await startPair();
  const key = await derivingKey(one);
  const { token, tokenId } = await deriveOf(key);
  const accessTokens = { issuer: TOKEN_ISSUER, secrets: ["another-secret-than-the-one-of-the-others-0123456789"] };
  const wrong = await startLatchkey({ config: { storage: { kind: "postgres", url: databaseUrl }, accessTokens } });
  cleanUps.push(() => wrong.close());
  expect(await outcome(wrong, bearer(token))).toBe("200");
  const derived = await wrong.call(DERIVE, { scopes: [SCOPE] }, key.headers);
  expect([derived.status, derived.json.code]).toEqual([503, "unavailable"]);
  expect(wrong.logLines.join("\n")).toContain("TOKEN_SECRET does not decrypt a signing key");
  expect(wrong.logLines.join("\n")).not.toContain(accessTokens.secrets[0]);
  await wrong.call("/api/v1/tokens/revoke", { token_id: tokenId }, await wrong.dashboard(key.tenant));
  for (const latchkey of [wrong, one]) expect(await outcome(latchkey, bearer(token))).toBe("401 token_revoked");
  expect(await deriveOf(key)).toMatchObject({ token: expect.any(String) });
});
