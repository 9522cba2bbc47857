// promise: access.revoke
import { expect, test } from "vitest";
import { derivingKey } from "../harness/derived-tokens.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

const revoke = (token_id: string, headers: Record<string, string>) =>
  latchkey.call("/api/v1/tokens/revoke", { token_id }, headers);

test("a token of another tenant, of another key and another token of the same key are 404, like one that never was", async () => {
  const key = await derivingKey(latchkey, { permissions: ["*"] });
  const { token, token_id } = await key.derive({ scopes: ["*"] });
  const sibling = await key.derive({ scopes: ["*"] });
  const other = await derivingKey(latchkey, { permissions: ["*"] }, key.tenant);
  const strangers: Record<string, string>[] = [
    await latchkey.dashboard(),
    (await derivingKey(latchkey, { permissions: ["*"] })).headers,
    other.headers,
    { authorization: `Bearer ${sibling.token}` },
  ];
  for (const headers of strangers) {
    const [refused, unknown] = [await revoke(token_id, headers), await revoke("tok_x", headers)];
    expect([refused.status, refused.json.reason]).toEqual([404, "token_not_found"]);
    expect(refused.json).toEqual({ ...unknown.json, request_id: refused.json.request_id });
  }
  const { status } = await latchkey.call("/api/v1/auth/verify", {}, { authorization: `Bearer ${token}` });
  expect(status).toBe(200);
});
