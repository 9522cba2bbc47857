// promise: rotation.grace
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { TIMES as LEASE_TIMES } from "../../src/store/replicas/times.ts";
import { DERIVE } from "../harness/derived-tokens.ts";
import { EXCHANGE, JWT_TYPE, postForm, WORKLOAD_KEY } from "../harness/federation.ts";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import type { Answer } from "../harness/http.ts";
import { newSender } from "../harness/proofs.ts";
import { HOUR } from "../harness/test-clock.ts";
import { TOKEN_ISSUER, TOKEN_SECRET } from "../harness/token-settings.ts";
import { signToken } from "../jwks/provider.ts";
import { openSharedDatabase, type SharedDatabase } from "./database.ts";

/**
 * The expiry of a key is set, checked and reported by PostgreSQL's clock, which each look brings to each replica, and the times
 * of users' tokens are checked by it. The wall clock of a replica must make no difference.
 */

const VERIFY = "/api/v1/auth/verify";
const KEY = { name: "k", permissions: ["conversations:read"] };
const WALL_CLOCK = fileURLToPath(new URL("fixtures/wall-clock.ts", import.meta.url));
const NAMES = ["ahead", "behind"] as const;
const OFFSETS_MS = { right: 0, ahead: HOUR, behind: -HOUR };

describe("with the wall clock of one replica an hour ahead, and of another one an hour behind", () => {
  let fleet: Fleet;
  let replicas: Record<keyof typeof OFFSETS_MS, Replica>;

  beforeAll(async () => {
    fleet = await startFleet("");
    const start = (offsetMs: number) =>
      fleet.start({
        ...{ NODE_OPTIONS: `--import=${WALL_CLOCK}`, TEST_WALL_CLOCK_MS: String(offsetMs) },
        ...{ TOKEN_ISSUER, TOKEN_SECRET },
      });
    const [right, ahead, behind] = await Promise.all([start(0), start(HOUR), start(-HOUR)]);
    replicas = { right, ahead, behind };
  });
  afterAll(() => fleet.close());

  async function manage(name: keyof typeof OFFSETS_MS, verb: string, body: object): Promise<Answer> {
    const headers = await fleet.dashboard();
    return replicas[name].call(`/api/v1/api-keys/${verb}`, body, headers);
  }

  async function outcomes(key: string): Promise<string[]> {
    const answers = Object.values(replicas).map((replica) => replica.call(VERIFY, {}, { "x-api-key": key }));
    return (await Promise.all(answers)).map(({ status, json }) => (status === 200 ? "200" : json.denial_reason));
  }

  const all = (outcome: string) => [outcome, outcome, outcome];

  test("their clocks are off", () => {
    for (const name of ["right", ...NAMES] as const) {
      const offMs = Date.parse(replicas[name].log()[0]?.time) - Date.now();
      expect(Math.abs(offMs - OFFSETS_MS[name])).toBeLessThan(HOUR / 2);
    }
  });

  // threat: H14
  test.each(NAMES)("a rotation without grace through the one %s ends the old key at once on all", async (name) => {
    for (let n = 0; n < 5; n++) {
      const { key, key_id } = (await manage(name, "create", KEY)).json.result;
      expect(await outcomes(key)).toEqual(all("200"));
      const successor = (await manage(name, "rotate", { key_id, grace_period_hours: 0 })).json.result;
      expect(await outcomes(key)).toEqual(all("api_key_expired"));
      expect(await outcomes(successor.key)).toEqual(all("200"));
      for (const each of ["right", ...NAMES] as const) {
        expect((await manage(each, "get", { key_id })).json.result.status).toBe("KEY_STATUS_EXPIRED");
      }
    }
  });

  // threat: H14
  test("a user's token that was issued now is accepted by all, and one that has ended by none", async () => {
    for (const replica of Object.values(replicas)) {
      const list = async (issuedAt?: Date) => {
        const { status, json } = await replica.call("/api/v1/api-keys/list", {}, await fleet.dashboard(issuedAt));
        return status === 200 ? "200" : json.denial_reason;
      };
      expect(await list()).toBe("200");
      // The provider's tokens live for an hour at most.
      expect(await list(new Date(Date.now() - 1.5 * HOUR))).toBe("jwt_expired");
      expect(await list(new Date(Date.now() + HOUR / 2))).toBe("jwt_malformed");
    }
  });

  test("a token that any of them derives, or issues for a workload's token of now, is accepted by all, and by DPoP with a proof of now", async () => {
    const permissions = ["api_keys:admin", "plans:read"];
    const { key, key_id } = (await manage("right", "create", { name: "k", permissions })).json.result;
    const [platform, audience] = ["https://ci.example.com", "https://latchkey.example/acme"];
    const rule = {
      ...{ name: "CI", issuer: platform, audience, key_id, scopes: ["plans:read"], jwks: { keys: [WORKLOAD_KEY.jwk] } },
      claimRules: [{ claim: "sub", equals: "repo:acme/shop" }],
    };
    const created = await replicas.right.call("/api/v1/federation/rules/create", rule, { "x-api-key": key });
    const assertion = () => {
      const nowS = Math.floor(Date.now() / 1_000);
      const times = { iat: nowS, exp: nowS + 600, jti: randomUUID() };
      return signToken(WORKLOAD_KEY, { iss: platform, aud: audience, sub: "repo:acme/shop", ...times });
    };
    const sender = await newSender();
    const verdicts = async (headersOf: () => Promise<Record<string, string>>) => {
      const each = async (replica: Replica) => (await replica.call(VERIFY, {}, await headersOf())).status;
      return Promise.all(Object.values(replicas).map(each));
    };
    for (const replica of Object.values(replicas)) {
      const derived = await replica.call(DERIVE, { scopes: ["plans:read"] }, { "x-api-key": key });
      const form = { grant_type: EXCHANGE, client_id: created.json.result.rule_id, subject_token_type: JWT_TYPE };
      const exchanged = await postForm(replica, { ...form, subject_token: assertion() });
      for (const token of [derived.json.result?.token, exchanged.json.access_token]) {
        expect(await verdicts(async () => ({ authorization: `Bearer ${token}` }))).toEqual([200, 200, 200]);
      }
      const bound = { scopes: ["plans:read"], confirmation_jkt: sender.jkt };
      const { token } = (await replica.call(DERIVE, bound, { "x-api-key": key })).json.result;
      const proven = async () => ({
        authorization: `DPoP ${token}`,
        dpop: await sender.prove("POST", TOKEN_ISSUER + VERIFY, token),
      });
      expect(await verdicts(proven)).toEqual([200, 200, 200]);
    }
  });

  test("each says in its metrics how far its clock is off", async () => {
    for (const name of ["right", ...NAMES] as const) {
      const text = await (await fetch(`${replicas[name].url}/metrics`)).text();
      const [, skew] = /^latchkey_clock_skew_seconds (.*)$/m.exec(text) ?? [];
      expect(Math.abs(Number(skew) * 1_000 - OFFSETS_MS[name])).toBeLessThan(HOUR / 10);
    }
  });

  // threat: R13
  test("a key that expires soon ends at the same time on all", async () => {
    const expires_at = new Date(Date.now() + 6_000).toISOString();
    const { key } = (await manage("behind", "create", { ...KEY, expires_at })).json.result;
    expect(await outcomes(key)).toEqual(all("200"));
    await expect.poll(() => outcomes(key), { timeout: 13_000 }).toEqual(all("api_key_expired"));
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires_at));
  });

  test("an expired key is listed as expired, and stays expired, by the one behind", async () => {
    const { key, key_id } = (await manage("right", "create", KEY)).json.result;
    await manage("right", "rotate", { key_id, grace_period_hours: 0 });
    const listed = await manage("behind", "list", { status: "KEY_STATUS_EXPIRED", per_page: 1 });
    expect(listed.json.keys.map((one: { key_id: string }) => one.key_id)).toContain(key_id);
    const later = new Date(Date.now() + 24 * HOUR).toISOString();
    const revived = await manage("behind", "update", { key_id, update_mask: "expires_at", expires_at: later });
    expect([revived.status, revived.json.message]).toEqual([400, expect.stringContaining("has expired")]);
    expect(await outcomes(key)).toEqual(all("api_key_expired"));
  });

  test("the one behind creates no key that has already expired", async () => {
    const past = new Date(Date.now() - HOUR / 2).toISOString();
    const { status, json } = await manage("behind", "create", { ...KEY, expires_at: past });
    expect([status, json.message]).toEqual([400, expect.stringMatching(/^expires_at: /)]);
  });

  test.each(NAMES)("the time of last use is when the one %s checked the key, by PostgreSQL's clock", async (name) => {
    const { key, key_id } = (await manage("right", "create", KEY)).json.result;
    expect((await replicas[name].call(VERIFY, {}, { "x-api-key": key })).status).toBe(200);
    // Stores the counts.
    await manage(name, "usage", { key_id });
    const { created_at, last_used_at } = (await manage("right", "get", { key_id })).json.result;
    const passedMs = Date.parse(last_used_at) - Date.parse(created_at);
    // A replica's clock is late by what its last look took, at most a lease. The wall clocks are an hour off.
    expect(passedMs).toBeGreaterThan(-LEASE_TIMES.lease);
    expect(passedMs).toBeLessThan(HOUR / 2);
  });
});

describe("on a replica whose last look was slow, so that its clock is late", () => {
  /** What each look of the slow replica takes. */
  const SLOW_MS = 300;
  /** Changes wait until it has seen their marks. */
  const TIMES = { mark: 5_000 };

  let database: SharedDatabase;
  beforeEach(async () => {
    database = await openSharedDatabase();
  });
  afterEach(() => database.close());

  async function openPair() {
    const rotator = await database.open({ times: TIMES });
    const slow = await database.open({ times: TIMES }, { afterLook: () => sleep(SLOW_MS) });
    const key = await database.storedKey();
    expect((await slow.verify(key)).status).toBe("active");
    return { rotator, slow, key };
  }

  test("a rotation without grace ends the old key at once", async () => {
    const { rotator, slow, key } = await openPair();
    await rotator.change("rotate", key);
    expect((await slow.verify(key)).status).toBe("expired");
  });
});
