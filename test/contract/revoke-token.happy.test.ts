// promise: access.revoke
import { describe, expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import { derivingKey } from "../harness/derived-tokens.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();
const REVOKE = "/api/v1/tokens/revoke";

/** A key with a token that was accepted just now, on this replica's caches. */
async function usedToken(fields: Record<string, unknown> = {}) {
  const key = await derivingKey(latchkey, fields);
  const { token, token_id } = await key.derive({ scopes: ["plans:read"] });
  const bearer = { authorization: `Bearer ${token}` };
  const verify = async () => {
    const { status, json } = await latchkey.call("/api/v1/auth/verify", { scope: "plans:read" }, bearer);
    return status === 200 ? "accepted" : json.denial_reason;
  };
  expect(await verify()).toBe("accepted");
  return { ...key, bearer, token_id, verify };
}

describe("a token that was revoked", () => {
  test("by its key is refused from the answer on, and stays so", async () => {
    const { headers, token_id, verify, key_id } = await usedToken();
    const { status, json } = await latchkey.call(REVOKE, { token_id }, headers);
    expect(status).toBe(200);
    expect(json.result).toMatchObject({ token_id, key_id, scopes: ["plans:read"], revoked_at: expect.any(String) });
    expect(await verify()).toBe("token_revoked");
    latchkey.clock.advance(1_000);
    expect((await latchkey.call(REVOKE, { token_id }, headers)).json).toEqual(json);
    expect(await verify()).toBe("token_revoked");
  });

  test("by a dashboard user of its tenant is refused", async () => {
    const { tenant, token_id, verify } = await usedToken();
    expect((await latchkey.call(REVOKE, { token_id }, await latchkey.dashboard(tenant))).status).toBe(200);
    expect(await verify()).toBe("token_revoked");
  });

  test("by itself is refused", async () => {
    const { bearer, token_id, verify } = await usedToken();
    expect((await latchkey.call(REVOKE, { token_id }, bearer)).status).toBe(200);
    expect(await verify()).toBe("token_revoked");
    expect((await latchkey.call(REVOKE, { token_id }, bearer)).json.denial_reason).toBe("token_revoked");
  });

  test("leaves its key and the key's other tokens as they are", async () => {
    const { headers, token_id, derive } = await usedToken();
    const other = await derive({ scopes: ["plans:read"] });
    await latchkey.call(REVOKE, { token_id }, headers);
    for (const credentials of [headers, { authorization: `Bearer ${other.token}` }]) {
      expect((await latchkey.call("/api/v1/auth/verify", {}, credentials)).status).toBe(200);
    }
  });

  test("is in the audit trail, once, with who did it", async () => {
    const { tenant, headers, token_id, key_id } = await usedToken();
    for (let n = 0; n < 2; n++) await latchkey.call(REVOKE, { token_id }, headers);
    const events = await eventsOf(latchkey, tenant, { target_id: token_id });
    expect(events.map(({ action }) => action)).toEqual(["token.revoked", "token.derived"]);
    expect(events[0]).toMatchObject({ actor: { kind: "secret_key", key_id }, target_id: token_id });
    expect(Object.keys(events[0]?.changes ?? {})).toEqual(["revoked_at"]);
  });
});
