// promise: access.own, access.signing-keys
import { createHmac } from "node:crypto";
import {
  calculateJwkThumbprint,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  SignJWT,
} from "jose";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { PUBLISHED_AFTER_MS, PUBLISHED_BEFORE_MS, ROTATION_MS } from "../../src/domain/access-tokens/rotation.ts";
import type { NewAccessToken } from "../../src/domain/credentials/access-token.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import { createIssuer, type StoredKeysIssuer } from "../../src/store/jwks/issuer/issuer.ts";
import { createSigningKeyStore } from "../../src/store/sql/access-tokens/signing-keys.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { TestClock } from "../harness/test-clock.ts";
import { TOKEN_ISSUER } from "../harness/token-settings.ts";

const OLD = "old-secret-of-the-signing-keys-0123456789";
const NEW = "new-secret-of-the-signing-keys-0123456789";
const MINUTE = 60_001;

interface Replica extends StoredKeysIssuer {
  /** The lines that it has logged of keys that it cannot decrypt. */
  readonly logged: string[];
  use(...secrets: string[]): Promise<void>;
}

/** What the issuer promises with the signing keys of one database. */
export function tokenIssuerSuite(name: string, open: () => Pick<SqlDatabase, "db" | "history">): void {
  describe(`the issuer of tokens, with keys in ${name}`, () => {
    let database: Pick<SqlDatabase, "db" | "history">;
    let clock: TestClock;
    beforeEach(async () => {
      database = open();
      clock = new TestClock();
      clock.stand();
      await database.db.deleteFrom("signing_keys").execute();
    });

    /** A replica that has not read the keys yet. */
    function create(...initial: string[]): Replica {
      let secrets: readonly string[] = initial;
      const logged: string[] = [];
      const issuer = createIssuer({
        issuer: TOKEN_ISSUER,
        store: createSigningKeyStore(database),
        clock: clock.now,
        secrets: () => secrets,
        onUndecryptable: (message, _err, fields) => void logged.push(`${message} ${JSON.stringify(fields)}`),
      });
      return Object.assign(Object.create(issuer), {
        logged,
        use(...latest: string[]) {
          secrets = latest;
          return issuer.refresh();
        },
      });
    }

    async function start(...secrets: string[]): Promise<Replica> {
      const replica = create(...secrets);
      await replica.refresh();
      return replica;
    }

    const kidsOf = ({ publicJwks }: Replica) => publicJwks.map(({ kid }) => kid).sort();
    const readRows = () => database.db.selectFrom("signing_keys").selectAll().orderBy("created_at").execute();
    const sign = (replica: Replica, token: NewAccessToken = tokenAt(clock)) => replica.sign(token, clock.now());
    const verify = async (replica: Replica, text: string) => replica.verify(text);

    async function denialOf(replica: Replica, text: string): Promise<unknown> {
      try {
        return await replica.verify(text);
      } catch (err) {
        return err instanceof Error && "reason" in err ? err.reason : err;
      }
    }

    test("a token has the claims of RFC 9068, and what it may", async () => {
      const replica = await start(OLD);
      const token = { ...tokenAt(clock), userId: "user-1", confirmationJkt: "x".repeat(43) };
      const text = await sign(replica, token);
      const iat = Math.floor(clock.now().getTime() / 1_000);
      expect(decodeJwt(text)).toEqual({
        ...{ iss: TOKEN_ISSUER, aud: "https://api.example", sub: token.keyId, client_id: token.keyId },
        ...{ tenant_id: "ten_1", scope: "plans:read conversations:*", jti: token.tokenId, iat, exp: iat + 900 },
        ...{ user_id: "user-1", act: { sub: token.keyId }, cnf: { jkt: token.confirmationJkt } },
      });
      expect(decodeProtectedHeader(text)).toEqual({ alg: "ES256", typ: "at+jwt", kid: kidsOf(replica)[0] });
      for (const claim of ["user_id", "act", "cnf"]) expect(decodeJwt(await sign(replica))).not.toHaveProperty(claim);
    });

    test("a token that was verified is found in memory, at once, until it ends", async () => {
      const replica = await start(OLD);
      const token = tokenAt(clock);
      const text = await sign(replica, token);
      const first = replica.verify(text);
      expect(first).toBeInstanceOf(Promise);
      expect(await first).toBe(token.tokenId);
      expect(replica.verify(text)).toBe(token.tokenId);
      clock.advance(900_000);
      expect(() => replica.verify(text)).toThrow(expect.objectContaining({ reason: "jwt_expired" }));
      expect(await denialOf(await start(OLD), text)).toBe("jwt_expired");
    });

    test("a token ends at its exp, without any leeway", async () => {
      const replica = await start(OLD);
      const token = tokenAt(clock);
      const text = await sign(replica, token);
      const frozen = (instant: number) => {
        const issuer = createIssuer({
          ...{ issuer: TOKEN_ISSUER, store: createSigningKeyStore(database), secrets: () => [OLD] },
          ...{ clock: () => new Date(instant), onUndecryptable: () => {} },
        });
        return issuer.refresh().then(() => issuer.verify(text));
      };
      expect(await frozen(token.expiresAt.getTime() - 1)).toBe(token.tokenId);
      await expect(frozen(token.expiresAt.getTime())).rejects.toMatchObject({ reason: "jwt_expired" });
    });

    test("of replicas that start at the same time one makes the key, and all sign and verify with it", async () => {
      const replicas = Array.from({ length: 8 }, () => create(OLD));
      await Promise.all(replicas.map((replica) => replica.refresh()));
      expect(await readRows()).toHaveLength(1);
      for (const replica of replicas) expect(kidsOf(replica)).toEqual(kidsOf(replicas[0] ?? replica));
      const texts = await Promise.all(replicas.map((replica) => sign(replica)));
      for (const replica of replicas)
        for (const text of texts) expect(await verify(replica, text)).toBe(decodeJwt(text).jti);
    });

    test("a key is published for a day before it signs, and until each token that it signed has ended", async () => {
      const [one, two] = [await start(OLD), await start(OLD)];
      const [first] = kidsOf(one);
      clock.advance(ROTATION_MS);
      await Promise.all([one.refresh(), two.refresh()]);
      expect(kidsOf(one)).toHaveLength(2);
      expect(kidsOf(two)).toEqual(kidsOf(one));
      const next = kidsOf(one).find((kid) => kid !== first);
      expect(decodeProtectedHeader(await sign(one)).kid).toBe(first);

      clock.advance(PUBLISHED_BEFORE_MS);
      const last = await sign(two, tokenAt(clock, 3_600));
      await Promise.all([one.refresh(), two.refresh()]);
      expect(await readRows()).toHaveLength(2);
      for (const replica of [one, two]) {
        expect(decodeProtectedHeader(await sign(replica)).kid).toBe(next);
        expect(kidsOf(replica)).toContain(first);
      }

      clock.advance(3_599_000);
      await Promise.all([one.refresh(), two.refresh()]);
      expect(await verify(await start(OLD), last)).toBe(decodeJwt(last).jti);
      clock.advance(PUBLISHED_AFTER_MS - 3_599_000);
      await Promise.all([one.refresh(), two.refresh()]);
      for (const replica of [one, two]) expect(kidsOf(replica)).toEqual([next]);
      expect((await readRows()).map(({ kid }) => kid)).toEqual([next]);
    });

    test("over a year of rotations by three replicas, exactly one key is active, and each token verifies everywhere", async () => {
      const replicas = [await start(OLD), await start(OLD), await start(OLD)];
      const signedBy = new Set<unknown>();
      for (let day = 0; day < 365; day += 5) {
        clock.advance(5 * PUBLISHED_BEFORE_MS);
        await Promise.all(replicas.map((replica) => replica.refresh()));
        await Promise.all(replicas.map((replica) => replica.refresh()));
        const rows = await readRows();
        expect(rows.filter(({ is_active }) => is_active)).toHaveLength(1);
        expect(rows.length).toBeLessThanOrEqual(3);
        const text = await sign(replicas[day % 3] ?? (await start(OLD)));
        signedBy.add(decodeProtectedHeader(text).kid);
        for (const replica of replicas) expect(await verify(replica, text)).toBe(decodeJwt(text).jti);
      }
      expect(signedBy.size).toBeGreaterThanOrEqual(10);
    });

    test("a replica that has not read the keys for a minute reads them before it signs", async () => {
      const [one, two] = [await start(OLD), await start(OLD)];
      clock.advance(ROTATION_MS);
      await one.refresh();
      clock.advance(PUBLISHED_BEFORE_MS);
      await one.refresh();
      expect(decodeProtectedHeader(await sign(two)).kid).toBe(decodeProtectedHeader(await sign(one)).kid);
    });

    test("an unknown kid has the keys read again, at most once a second", async () => {
      // However long it takes to make the other key.
      vi.useFakeTimers({ toFake: ["Date"] });
      onTestFinished(() => void vi.useRealTimers());
      const one = await start(OLD);
      await database.db.deleteFrom("signing_keys").execute();
      const two = await start(OLD);
      const text = await sign(two);
      expect(await denialOf(one, text)).toBe("jwt_invalid_signature");
      clock.advance(1_000);
      expect(await verify(one, text)).toBe(decodeJwt(text).jti);
      expect(kidsOf(one)).toEqual(kidsOf(two));
    });

    test("a key that was removed verifies nothing any more, not even what it had verified", async () => {
      const replica = await start(OLD);
      const text = await sign(replica);
      await verify(replica, text);
      await database.db.deleteFrom("signing_keys").execute();
      await replica.refresh();
      expect(await denialOf(replica, text)).toBe("jwt_invalid_signature");
      expect(await verify(replica, await sign(replica))).toMatch(/^tok_/);
    });

    test("the secret is changed with two, while both sign, and then the old one is of no use", async () => {
      const [one, two] = [await start(OLD), await start(OLD)];
      const before = await sign(one);
      const [sealed] = await readRows();
      await one.use(NEW, OLD);
      const [resealed] = await readRows();
      expect(resealed?.private_key).not.toEqual(sealed?.private_key);
      // The other replica has not got the new secret yet.
      clock.advance(MINUTE);
      expect(await verify(one, await sign(two))).toMatch(/^tok_/);
      await two.use(NEW, OLD);
      for (const replica of [one, two]) await replica.use(NEW);
      for (const replica of [one, two, await start(NEW)]) {
        expect(await verify(replica, before)).toBe(decodeJwt(before).jti);
        expect(await verify(replica, await sign(replica))).toMatch(/^tok_/);
        expect(replica.logged).toEqual([]);
      }
      expect((await start(OLD)).logged).toHaveLength(1);
      expect(await readRows()).toHaveLength(1);
    });

    test("a replica with another secret logs it once, issues nothing, verifies, and replaces no key", async () => {
      const right = await start(OLD);
      const wrong = await start(NEW);
      await wrong.refresh();
      const [kid] = kidsOf(right);
      expect(wrong.logged).toEqual([expect.stringContaining(`TOKEN_SECRET does not decrypt a signing key`)]);
      expect(wrong.logged[0]).toContain(kid);
      await expect(sign(wrong)).rejects.toThrow(StoreUnavailable);
      expect(await verify(wrong, await sign(right))).toMatch(/^tok_/);
      clock.advance(2 * ROTATION_MS);
      await wrong.refresh();
      expect(kidsOf(wrong)).toEqual([kid]);
      await wrong.use(OLD);
      expect(await verify(right, await sign(wrong))).toMatch(/^tok_/);
    });

    test("after the loss of the secret, keys that an operator retires still verify, and a new one signs", async () => {
      const lost = await start(OLD);
      const text = await sign(lost);
      const replica = await start(NEW);
      await expect(sign(replica)).rejects.toThrow(StoreUnavailable);
      const until = new Date(clock.now().getTime() + 7_200_000);
      await database.db
        .updateTable("signing_keys")
        .set({ is_active: false, until })
        .where("until", "is", null)
        .execute();
      await replica.refresh();
      expect(await verify(replica, text)).toBe(decodeJwt(text).jti);
      expect(decodeProtectedHeader(await sign(replica)).kid).not.toBe(decodeProtectedHeader(text).kid);
      expect(replica.logged).toHaveLength(1);
    });

    // threat: D1
    test("a public key that somebody has put in place of another is not used", async () => {
      const replica = await start(OLD);
      const [kid = ""] = kidsOf(replica);
      const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
      const { kty = "", crv = "", x = "", y = "" } = await exportJWK(publicKey);
      const public_jwk = JSON.stringify({ kty, crv, x, y });
      await database.db.updateTable("signing_keys").set({ public_jwk }).execute();
      const forged = await new SignJWT(claimsAt(clock))
        .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid })
        .sign(privateKey);
      expect(await denialOf(await start(OLD), forged)).toBe("jwt_invalid_signature");
    });

    // threat: D2
    test("the database holds no private key in the clear", async () => {
      await start(OLD);
      const [row] = await readRows();
      expect(row?.public_jwk).not.toHaveProperty("d");
      expect(Buffer.from(row?.private_key ?? []).toString("latin1")).not.toContain("PRIVATE KEY");
      expect(row?.kid).toBe(await calculateJwkThumbprint({ ...row?.public_jwk }));
    });

    test("tokens of other issuers are left to others", async () => {
      const replica = await start(OLD);
      const { privateKey } = await generateKeyPair("ES256");
      const header = { alg: "ES256", typ: "at+jwt", kid: "k" };
      for (const iss of ["https://idp.example", `${TOKEN_ISSUER}/`, undefined, 1, [TOKEN_ISSUER]]) {
        const text = await new SignJWT({ ...claimsAt(clock), iss } as never)
          .setProtectedHeader(header)
          .sign(privateKey);
        expect(replica.verify(text), String(iss)).toBeUndefined();
      }
      for (const text of ["", "opaque", "a.b", "..", "a.e30.c", `a.${"x".repeat(20_000)}.c`, "é.é.é"])
        expect(replica.verify(text)).toBeUndefined();
    });

    // threat: D1
    test("no token that was changed, or signed in another way, is accepted", async () => {
      const replica = await start(OLD);
      const [{ kid = "", ...published } = {}] = replica.publicJwks;
      const text = await sign(replica);
      const [header = "", payload = "", signature = ""] = text.split(".");
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
      const withHeader = (changes: object) => encode({ alg: "ES256", typ: "at+jwt", kid, ...changes });
      const hmac = (key: string | Buffer) => {
        const signed = `${withHeader({ alg: "HS256" })}.${payload}`;
        return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
      };
      const publicKey = await importJWK(published, "ES256");
      const spki = publicKey instanceof Uint8Array ? "" : await exportSPKI(publicKey);
      const other = await generateKeyPair("ES256");
      const signedBy = (changes: object) =>
        new SignJWT(claimsAt(clock))
          .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid, ...changes })
          .sign(other.privateKey);
      const wider = encode({ ...decodeJwt(text), scope: "*" });
      const own = await exportJWK(other.publicKey);
      const bad = {
        "alg none": `${withHeader({ alg: "none" })}.${payload}.`,
        "alg none, with the signature": `${withHeader({ alg: "none" })}.${payload}.${signature}`,
        "HS256 with the public key as PEM": hmac(spki),
        "HS256 with the public key as JWK": hmac(JSON.stringify(published)),
        "HS256 with nothing": hmac(""),
        "typ JWT": `${withHeader({ typ: "JWT" })}.${payload}.${signature}`,
        "no typ": `${withHeader({ typ: undefined })}.${payload}.${signature}`,
        "another key with our kid": await signedBy({}),
        "another key with its own kid": await signedBy({ kid: "other" }),
        "no kid": await signedBy({ kid: undefined }),
        "its own key in the header": await signedBy({ jwk: own }),
        "another payload": `${header}.${wider}.${signature}`,
        "no signature": `${header}.${payload}.`,
        "half a signature": `${header}.${payload}.${signature.slice(0, 43)}`,
        "a longer signature": `${header}.${payload}.${signature}AA`,
        padding: `${text}==`,
        "an extension": `${withHeader({ crit: ["b64"], b64: false })}.${payload}.${signature}`,
        "a fourth part": `${text}.e30`,
      };
      for (const [what, forged] of Object.entries(bad))
        expect(await denialOf(replica, forged), what).toMatch(/^jwt_(malformed|invalid_signature)$/);
      expect(await verify(replica, text)).toMatch(/^tok_/);
    });
  });
}

function tokenAt(clock: TestClock, ttlSeconds = 900): NewAccessToken {
  const issuedAt = Math.floor(clock.now().getTime() / 1_000);
  return {
    ...{
      tokenId: newId("tok"),
      tenantId: "ten_1",
      keyId: newId("key"),
      secretHash: "" as NewAccessToken["secretHash"],
    },
    ...{ scopes: ["plans:read", "conversations:*"], userId: null, audience: "https://api.example" },
    ...{ confirmationJkt: null, ruleId: null, expiresAt: new Date((issuedAt + ttlSeconds) * 1_000) },
  };
}

function claimsAt(clock: TestClock) {
  const iat = Math.floor(clock.now().getTime() / 1_000);
  return {
    iss: TOKEN_ISSUER,
    aud: "x",
    sub: "key_1",
    tenant_id: "ten_1",
    scope: "*",
    jti: "tok_1",
    iat,
    exp: iat + 900,
  };
}
