// promise: access.revoke
import { describe, expect, test } from "vitest";
import { type DerivingKey, derivingKey } from "../harness/derived-tokens.ts";
import type { JsonObject } from "../harness/http.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { TOKEN_ISSUER } from "../harness/token-settings.ts";

const latchkey = await sharedLatchkey();
const LIST = "/api/v1/tokens/list";
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

async function list(headers: Record<string, string>, body: object = {}) {
  const answer = await latchkey.call(LIST, body, headers);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

const idsOf = ({ tokens }: JsonObject): string[] => tokens.map((token: JsonObject) => token.token_id);

async function derived(key: DerivingKey, fields: object = {}): Promise<{ token: string; token_id: string }> {
  const { token, token_id } = await key.derive({ scopes: ["plans:read"], ...fields });
  return { token, token_id };
}

describe("a key lists its tokens", () => {
  test("as they were issued, without the tokens themselves", async () => {
    const key = await derivingKey(latchkey, { permissions: ["plans:*", "users:impersonate"] });
    const plain = await derived(key);
    const confirmation_jkt = "a".repeat(43);
    const full = await derived(key, { user_id: "jo", audience: "https://x.example", confirmation_jkt });
    const common = { key_id: key.key_id, scopes: ["plans:read"], created_at: INSTANT, expires_at: INSTANT };
    const { tokens, next_page_token } = await list(key.headers);
    expect(next_page_token).toBe("");
    expect(tokens).toEqual([
      { token_id: full.token_id, ...common, user_id: "jo", audience: "https://x.example", confirmation_jkt },
      { token_id: plain.token_id, ...common, audience: TOKEN_ISSUER },
    ]);
    expect(JSON.stringify(tokens)).not.toContain(plain.token.split(".")[2]);
  });

  test("newest first, page by page, without those that have expired", async () => {
    const key = await derivingKey(latchkey);
    await derived(key, { ttl_seconds: 60 });
    latchkey.clock.advance(60_000);
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.unshift((await derived(key)).token_id);
    const first = await list(key.headers, { per_page: 2 });
    expect(idsOf(first)).toEqual(ids.slice(0, 2));
    const second = await list(key.headers, { per_page: 2, page_token: first.next_page_token });
    expect([idsOf(second), second.next_page_token]).toEqual([ids.slice(2), ""]);
  });

  test("also those that were revoked", async () => {
    const key = await derivingKey(latchkey);
    const { token_id } = await derived(key);
    await latchkey.call("/api/v1/tokens/revoke", { token_id }, key.headers);
    expect((await list(key.headers)).tokens).toMatchObject([{ token_id, revoked_at: INSTANT }]);
  });
});

test("a dashboard user lists the tokens of all keys of the tenant, or of one", async () => {
  const one = await derivingKey(latchkey);
  const other = await derivingKey(latchkey, {}, one.tenant);
  const [first, second] = [await derived(one), await derived(other)];
  const dashboard = await latchkey.dashboard(one.tenant);
  expect(idsOf(await list(dashboard))).toEqual([second.token_id, first.token_id]);
  expect(idsOf(await list(dashboard, { key_id: one.key_id }))).toEqual([first.token_id]);
});

test("a token lists only itself", async () => {
  const key = await derivingKey(latchkey);
  const [{ token, token_id }] = [await derived(key), await derived(key)];
  const headers = { authorization: `Bearer ${token}` };
  expect(idsOf(await list(headers))).toEqual([token_id]);
  expect(idsOf(await list(headers, { key_id: key.key_id }))).toEqual([token_id]);
});
