// promise: access.ends, dpop.bound, workloads.rules
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { newBoundToken } from "../harness/bound-tokens.ts";
import { derivingKey } from "../harness/derived-tokens.ts";
import { newEmployer } from "../harness/federation.ts";
import { post } from "../harness/http.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";
import { type PublishableService, startPublishable } from "../harness/publishable.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";

const VERIFY = "/api/v1/auth/verify";
const SCOPE = "plans:read";
/** Requests that begin after the answer to a change, of all turns of a test. `npm run test:faults` runs the long form. */
const REQUESTS = inject("longForm") ? 10_000 : 600;
const TURNS = 4;
/** On each replica. */
const LOOPS = 3;

let url: string;
let service: PublishableService;
/** Two services over one database and one Redis. */
let pair: readonly [Latchkey, Latchkey];

beforeAll(async () => {
  url = await copyDatabase(inject("servingTemplate").adminUrl);
  const config = { storage: { kind: "postgres", url }, redis: redisAt(inject("redisUrl")) } as const;
  service = await startPublishable(config);
  const jwksAllowedHosts = [service.keyHost.host];
  pair = [service.latchkey, await startLatchkey({ config: { ...config, jwksAllowedHosts } })];
});
afterAll(async () => {
  for (const latchkey of pair) await latchkey.close();
  await dropDatabase(inject("postgresUrl"), url);
});

/** A token in use, with what a change needs. */
interface Subject {
  readonly tenant: string;
  readonly keyId: string;
  readonly token: string;
  readonly tokenId: string;
  readonly ruleId: string;
}

async function derived(latchkey: Latchkey): Promise<Subject> {
  const key = await derivingKey(latchkey);
  const { token, token_id } = await key.derive({ scopes: [SCOPE] });
  return { tenant: key.tenant, keyId: key.key_id, token: String(token), tokenId: String(token_id), ruleId: "" };
}

/** A workload's. */
async function exchanged(): Promise<Subject> {
  const employer = await newEmployer(service);
  const { rule_id } = await employer.create({ scopes: [SCOPE] });
  const token = await employer.token(rule_id);
  return { tenant: employer.tenant, keyId: employer.key.key_id, token, tokenId: "", ruleId: String(rule_id) };
}

async function outcome(latchkey: Latchkey, { token }: Subject): Promise<string> {
  const { status, json } = await post(latchkey.url, VERIFY, { scope: SCOPE }, { authorization: `Bearer ${token}` });
  return status === 200 ? "200" : `${status} ${json.denial_reason}`;
}

/** Makes a change on a replica, by a dashboard user of the tenant. */
async function change(on: Latchkey, { tenant }: Subject, path: string, body: object): Promise<void> {
  const headers = path.startsWith("operator/") ? OPERATOR : await on.dashboard(tenant);
  const answer = await on.call(`/api/v1/${path}`, body, headers);
  expect(answer.status, answer.text).toBe(200);
}

type Change = (of: Subject) => readonly [path: string, body: object];

const ofKey =
  (verb: string, fields: object = {}): Change =>
  ({ keyId }) => [`api-keys/${verb}`, { key_id: keyId, ...fields }];
const updated = (field: string, value: unknown): Change => ofKey("update", { [field]: value, update_mask: field });

/** Uses the token on both replicas without a break while it changes, and counts what is answered after the change was. */
async function useWhile(subject: Subject, makeChange: () => Promise<void>): Promise<Map<string, number>> {
  const after = new Map<string, number>();
  let isChanged = false;
  let counted = 0;
  const use = async (latchkey: Latchkey) => {
    while (counted < REQUESTS / TURNS) {
      const isAfter = isChanged;
      const found = await outcome(latchkey, subject);
      if (!isAfter) continue;
      counted += 1;
      after.set(found, (after.get(found) ?? 0) + 1);
    }
  };
  const using = Promise.all(pair.flatMap((latchkey) => Array.from({ length: LOOPS }, () => use(latchkey))));
  using.catch(() => {});
  try {
    await makeChange();
  } finally {
    isChanged = true;
  }
  await using;
  return after;
}

// threat: D4
describe("no request with a token that begins after the answer is admitted on either replica, once", () => {
  test.each<readonly [what: string, made: "derived" | "exchanged", change: Change, expected: string]>([
    ["the token is revoked", "derived", ({ tokenId }) => ["tokens/revoke", { token_id: tokenId }], "401 token_revoked"],
    ["its key is revoked", "derived", ofKey("revoke"), "401 api_key_revoked"],
    ["its key is disabled", "derived", ofKey("disable"), "401 api_key_disabled"],
    ["its key is rotated without grace", "derived", ofKey("rotate", { grace_period_hours: 0 }), "401 api_key_expired"],
    ["its key is narrowed", "derived", updated("permissions", ["conversations:read"]), "403 insufficient_scope"],
    ["its key is fenced", "derived", updated("allowed_ips", ["192.0.2.0/24"]), "403 origin_not_allowed"],
    [
      "its tenant is suspended",
      "derived",
      ({ tenant }) => ["operator/tenants/suspend", { tenant_id: tenant, reason: "unpaid" }],
      "401 api_key_disabled",
    ],
    [
      "its rule is disabled",
      "exchanged",
      ({ ruleId }) => [
        "federation/rules/update",
        { rule_id: ruleId, status: "FEDERATION_RULE_STATUS_DISABLED", update_mask: "status" },
      ],
      "401 token_revoked",
    ],
    [
      "its rule is deleted",
      "exchanged",
      ({ ruleId }) => ["federation/rules/delete", { rule_id: ruleId }],
      "401 token_revoked",
    ],
    ["the key of its rule is revoked", "exchanged", ofKey("revoke"), "401 api_key_revoked"],
  ])("%s", async (_what, made, changeOf, expected) => {
    for (let turn = 0; turn < TURNS; turn++) {
      const [from] = turn % 2 === 0 ? pair : pair.toReversed();
      if (from === undefined) throw new Error("there are two replicas");
      const subject = made === "derived" ? await derived(pair[0]) : await exchanged();
      for (const latchkey of pair) expect(await outcome(latchkey, subject)).toBe("200");
      const after = await useWhile(subject, () => change(from, subject, ...changeOf(subject)));
      expect([...after.keys()]).toEqual([expected]);
      expect(after.get(expected)).toBeGreaterThanOrEqual(REQUESTS / TURNS);
    }
  });

  test("and are counted at all: a change that ends no token leaves them admitted", async () => {
    const subject = await derived(pair[0]);
    const after = await useWhile(subject, () => change(pair[0], subject, ...updated("name", "another name")(subject)));
    expect([...after.keys()]).toEqual(["200"]);
  });
});

describe("of what may be used once, two replicas to which it is sent at once accept it once:", () => {
  const AT_ONCE = 20;
  const turns = Array.from({ length: 10 });

  // threat: D8
  test("the assertion of a workload", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create();
    for (const _ of turns) {
      const assertion = employer.assertion();
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_each, n) =>
          employer.exchange(String(rule_id), assertion, {}, pair[n % 2 === 0 ? 0 : 1]),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ json }) => json.error === "invalid_grant")).toHaveLength(AT_ONCE - 1);
    }
  });

  // threat: D7
  test("the proof of a bound token's sender", async () => {
    const bound = await newBoundToken(pair[0]);
    for (const _ of turns) {
      const headers = await bound.headers(VERIFY);
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_each, n) => post(pair[n % 2 === 0 ? 0 : 1].url, VERIFY, {}, headers)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ json }) => json.denial_reason === "jwt_malformed")).toHaveLength(AT_ONCE - 1);
    }
  });
});
