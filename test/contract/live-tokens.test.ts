// promise: access.count
import { sql } from "kysely";
import { expect, test } from "vitest";
import { LIVE_TOKENS_MAX } from "../../src/domain/access-tokens/live-tokens.ts";
import { derivingKey } from "../harness/derived-tokens.ts";
import { expectFault } from "../harness/error-answers.ts";
import { newEmployer, WORKLOAD_KEY } from "../harness/federation.ts";
import { sharedWithWebhooks } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();

/** Stores tokens beside those that were issued, which expire in 30 s by the service's clock, all but one of which are revoked. */
async function store(count: number, tenantId: string, keyId: string, ruleId: string | null): Promise<void> {
  const now = latchkey.clock.now();
  const end = new Date(now.getTime() + 30_000);
  await sql`
    insert into access_tokens
      (token_id, tenant_id, key_id, secret_hash, scopes, audience, rule_id, created_at, expires_at, revoked_at)
    select ${`${keyId}-`} || n, ${tenantId}, ${keyId}, '\\x00', '["plans:read"]', 'a', cast(${ruleId} as text), ${now}, ${end},
      case when n > 1 then cast(${now} as timestamptz) end
    from generate_series(1, ${count}) as n`.execute(latchkey.database.db);
}

// threat: D14
test("a key has at most 1,000 tokens that have not expired, however many calls there are at once, and revoked ones count", async () => {
  const key = await derivingKey(latchkey);
  await store(LIVE_TOKENS_MAX - 3, key.tenant, key.key_id, null);
  const answers = await Promise.all(Array.from({ length: 10 }, () => key.call({ scopes: ["plans:read"] })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  const refused = answers.filter(({ status }) => status !== 200);
  for (const answer of refused) {
    expectFault(answer, 400, "failed_precondition");
    expect([answer.json.reason, answer.json.message]).toEqual([
      "too_many_tokens",
      expect.stringContaining("wait until"),
    ]);
  }
  // Other keys of the tenant have room.
  await (await derivingKey(latchkey, {}, key.tenant)).derive({ scopes: ["plans:read"] });
  latchkey.clock.advance(31_000);
  await key.derive({ scopes: ["plans:read"] });
});

// threat: D14
test("a rule has given at most 1,000 tokens that have not expired, and a workload's token that is refused is not used up", async () => {
  const platform = { issuer: "https://ci.example.com", jwks: { keys: [WORKLOAD_KEY.jwk] }, signer: WORKLOAD_KEY };
  const employer = await newEmployer({ latchkey } as never, { platform: platform as never });
  const { rule_id } = await employer.create({ jwks: platform.jwks });
  await store(LIVE_TOKENS_MAX, employer.tenant, employer.key.key_id, rule_id);
  const assertion = employer.assertion();
  const { status, json, headers } = await employer.exchange(rule_id, assertion);
  expect([status, json.error, headers.get("retry-after")]).toEqual([429, "temporarily_unavailable", "60"]);
  const derived = await latchkey.call(
    "/api/v1/tokens/derive",
    { scopes: ["plans:read"] },
    { "x-api-key": employer.key.key },
  );
  expect(derived.status).toBe(200);
  latchkey.clock.advance(31_000);
  await employer.token(rule_id, assertion);
});
