// promise: dpop.replay
import { createHash, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { newBoundToken } from "../harness/bound-tokens.ts";
import { EXCHANGE, JWT_TYPE, newEmployer, postForm, WORKLOAD_KEY } from "../harness/federation.ts";
import { newSender } from "../harness/proofs.ts";
import { TOKEN_ISSUER } from "../harness/token-settings.ts";
import { sharedWithWebhooks } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();
const VERIFY = "/api/v1/auth/verify";

/** A bound token of a key that may be used so often in a minute, once of which it was derived. */
async function limited(requests_per_minute: number) {
  const bound = await newBoundToken(latchkey, { rate_limit: { requests_per_minute } });
  const verify = async (headers: Record<string, string>) => {
    const { status, headers: answered } = await latchkey.call(VERIFY, {}, headers);
    return { status, remaining: Number(answered.get("x-ratelimit-remaining")) };
  };
  return { ...bound, verify };
}

/** How many of these proofs are stored. */
async function stored(jkt: string, jtis: readonly string[]): Promise<number> {
  const hashes = jtis.map((jti) => createHash("sha256").update(`dpop ${jkt} ${jti}`).digest("hex"));
  const { rows } = await sql`
    select from used_once where encode(hash, 'hex') = any(array(
      select jsonb_array_elements_text(cast(${JSON.stringify(hashes)} as text)::jsonb)
    ))`.execute(latchkey.database.db);
  return rows.length;
}

// threat: D15
test("proofs beyond the limit of the key are not stored", async () => {
  const { headers, verify, sender } = await limited(4);
  const jtis = Array.from({ length: 20 }, () => randomUUID());
  const answers = await Promise.all(jtis.map(async (jti) => verify(await headers(VERIFY, { claims: { jti } }))));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(17);
  expect(await stored(sender.jkt, jtis)).toBe(3);
});

// threat: D15
test("a proof that comes again spends nothing, one after the other or 20 at once", async () => {
  const { headers, verify } = await limited(10);
  const first = await headers(VERIFY);
  expect(await verify(first)).toEqual({ status: 200, remaining: 8 });
  expect(await verify(first)).toEqual({ status: 401, remaining: 8 });
  const second = await headers(VERIFY);
  const answers = await Promise.all(Array.from({ length: 20 }, () => verify(second)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
  expect(await verify(await headers(VERIFY))).toEqual({ status: 200, remaining: 6 });
});

// threat: D15
test("a workload's token that was exchanged before stores no proof", async () => {
  const platform = { issuer: "https://ci.example.com", jwks: { keys: [WORKLOAD_KEY.jwk] }, signer: WORKLOAD_KEY };
  const employer = await newEmployer({ latchkey } as never, { platform: platform as never });
  const { rule_id: client_id } = await employer.create({ jwks: platform.jwks });
  const [sender, subject_token, jtis] = [await newSender(), employer.assertion(), [randomUUID(), randomUUID()]];
  const answers: unknown[] = [];
  for (const jti of jtis) {
    const iat = Math.floor(latchkey.clock.now().getTime() / 1_000);
    const dpop = await sender.prove("POST", `${TOKEN_ISSUER}/oauth/token`, undefined, { claims: { jti, iat } });
    const form = { grant_type: EXCHANGE, client_id, subject_token, subject_token_type: JWT_TYPE };
    const { json } = await postForm(latchkey, form, { dpop });
    answers.push(json.token_type ?? json.error);
  }
  expect(answers).toEqual(["DPoP", "invalid_grant"]);
  expect(await stored(sender.jkt, jtis)).toBe(1);
});
