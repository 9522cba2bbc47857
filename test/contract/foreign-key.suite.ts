// promise: keys.not-found
import { describe, expect, test } from "vitest";
import { expectNotFound } from "../harness/error-answers.ts";
import type { Answer } from "../harness/http.ts";
import { dashboardOf, instant, KEY_VERBS, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import type { Latchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";

export const UNKNOWN = `key_${"0".repeat(32)}`;
const MALFORMED = [
  "x",
  "key_",
  "key_0",
  "KEY_00000000000000000000000000000000",
  `org_${"0".repeat(32)}`,
  `key_${"g".repeat(32)}`,
  `key_${"0".repeat(100_000)}`,
  "' or '1'='1",
  "%",
  "*",
  "../create",
  "😀",
  " ",
];

/** Another tenant's key is an unknown one, for every verb that names one. */
export function testForeignKey(latchkey: Latchkey): void {
  describe("another tenant's key", () => {
    // threat: E2, X1
    test("is the same 404 as an unknown and a malformed key_id, byte for byte", async () => {
      const owner = dashboardOf(latchkey);
      const stranger = dashboardOf(latchkey);
      const { key_id } = await owner.createKey();
      for (const { method, body } of KEY_VERBS) {
        const unknown = await stranger.call(method, body(UNKNOWN));
        expectNotFound(unknown);
        // One look-up serves all verbs.
        const malformed = method === "get" ? MALFORMED : MALFORMED.slice(0, 2);
        for (const keyId of [key_id, key_id.toUpperCase(), ` ${key_id}`, ...malformed]) {
          const answer = await stranger.call(method, body(keyId));
          expect(observable(answer), `${method} ${keyId.slice(0, 50)}`).toEqual(observable(unknown));
        }
      }
    });

    // threat: X2, X3, X5
    test("is left unchanged and keeps working", async () => {
      const owner = dashboardOf(latchkey);
      const stranger = dashboardOf(latchkey);
      const { key, key_id } = await owner.createKey();
      const seen = async () => [await owner.result("get", { key_id }), (await owner.call("list", {})).text];
      const before = await seen();
      for (const { method, body } of KEY_VERBS) {
        expectNotFound(await stranger.call(method, body(key_id)));
        expect(await seen(), method).toEqual(before);
      }
      expect(await useKey(latchkey, key)).toBe("admitted");
    });

    // threat: X4
    test("has the same answer whether it is revoked, disabled, expired, rotated or publishable", async () => {
      const owner = dashboardOf(latchkey);
      const stranger = dashboardOf(latchkey);
      const ids = {
        revoked: (await owner.createKey()).key_id,
        disabled: (await owner.createKey()).key_id,
        expired: (await owner.createKey({ expires_at: instant(latchkey, HOUR) })).key_id,
        rotated: (await owner.createKey()).key_id,
        publishable: (await owner.createKey(PUBLISHABLE)).key_id,
      };
      await owner.result("revoke", { key_id: ids.revoked });
      await owner.result("disable", { key_id: ids.disabled });
      await owner.result("rotate", { key_id: ids.rotated });
      latchkey.clock.advance(HOUR);
      for (const { method, body } of KEY_VERBS) {
        const unknown = observable(await stranger.call(method, body(UNKNOWN)));
        for (const keyId of Object.values(ids))
          expect(observable(await stranger.call(method, body(keyId))), method).toEqual(unknown);
      }
    });
  });
}

/** Everything in an answer but its id and date. */
export function observable({ status, headers, text }: Answer): object {
  const kept = [...headers].filter(([name]) => name !== "x-request-id" && name !== "date");
  return { status, headers: kept, text };
}
