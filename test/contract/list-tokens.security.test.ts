// promise: access.revoke
import { describe, expect, test } from "vitest";
import { derivingKey } from "../harness/derived-tokens.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

const list = async (headers: Record<string, string>, body: object = {}) =>
  (await latchkey.call("/api/v1/tokens/list", body, headers)).json.tokens;

describe("tokens are not listed", () => {
  test("to another key of the tenant, also one with all scopes that names the key", async () => {
    const key = await derivingKey(latchkey);
    await key.derive({ scopes: ["plans:read"] });
    const other = await derivingKey(latchkey, { permissions: ["*"] }, key.tenant);
    expect(await list(other.headers)).toEqual([]);
    expect(await list(other.headers, { key_id: key.key_id })).toEqual([]);
  });

  test("to users of another tenant, also if they name the key", async () => {
    const key = await derivingKey(latchkey);
    await key.derive({ scopes: ["plans:read"] });
    const stranger = await latchkey.dashboard();
    expect(await list(stranger)).toEqual([]);
    expect(await list(stranger, { key_id: key.key_id })).toEqual([]);
  });

  test("to another token of the key", async () => {
    const key = await derivingKey(latchkey, { permissions: ["*"] });
    const { token } = await key.derive({ scopes: ["*"] });
    await key.derive({ scopes: ["plans:read"] });
    expect(await list({ authorization: `Bearer ${token}` })).toHaveLength(1);
  });
});
