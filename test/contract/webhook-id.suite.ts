// promise: webhooks.callers
import { describe, expect, test } from "vitest";
import { expectNotFound } from "../harness/error-answers.ts";
import { dashboardOf, PUBLISHABLE } from "../harness/key-management.ts";
import { sharedWithRoles } from "../harness/roles.ts";
import { RPCS, rpcsNaming } from "../harness/rpcs.ts";
import { type LatchkeyWithWebhooks, webhooksOf } from "../harness/webhooks.ts";
import { observable } from "./foreign-key.suite.ts";

const UNKNOWN = `whk_${"0".repeat(32)}`;
const MALFORMED = ["x", "whk_", `key_${"0".repeat(32)}`, `whk_${"0".repeat(200)}`, "' or '1'='1", "%", "*", "😀", " "];

const WEBHOOKS = "/api/v1/webhooks/";
/** Every other method changes something. */
const READS = ["get", "list", "deliveries/list"];

/** Another tenant's webhook is an unknown one, for every RPC that names one. */
export function testForeignWebhook(latchkey: LatchkeyWithWebhooks): void {
  test.each(rpcsNaming("webhook_id"))(
    "$path: another tenant's webhook is the same 404 as an unknown and a malformed one, and stays as it is",
    async (rpc) => {
      const method = rpc.path.slice(WEBHOOKS.length);
      const body = (webhook_id: string) => ({ ...rpc.body(""), webhook_id });
      const [owner, stranger] = [webhooksOf(latchkey), webhooksOf(latchkey)];
      const { webhook_id } = await owner.create();
      const before = await owner.json("list", {});
      const unknown = await stranger.call(method, body(UNKNOWN));
      expectNotFound(unknown);
      expect(unknown.json.reason).toBe("webhook_not_found");
      // One look-up serves all methods.
      const malformed = method === "get" ? MALFORMED : MALFORMED.slice(0, 2);
      for (const id of [webhook_id, webhook_id.toUpperCase(), ` ${webhook_id}`, ...malformed]) {
        expect(observable(await stranger.call(method, body(id))), id.slice(0, 50)).toEqual(observable(unknown));
      }
      expect(await owner.json("list", {})).toEqual(before);
    },
  );
}

/** Who may have to do with webhooks: viewers only read. */
export function testWebhookCallers(latchkey: LatchkeyWithWebhooks): void {
  const methods = RPCS.flatMap(({ path }) => (path.startsWith(WEBHOOKS) ? [path.slice(WEBHOOKS.length)] : []));

  describe("RPCs of webhooks are called", () => {
    test.each([
      ["owner", methods],
      ["admin", methods],
      ["developer", methods],
      ["viewer", READS],
      ["unknown", []],
    ])("by a user of the role %s: %j", async (role, allowed) => {
      const withRoles = await sharedWithRoles();
      const user = await withRoles.user(role);
      for (const method of methods) {
        const { status, json } = await withRoles.call(WEBHOOKS + method, {}, user);
        const isDenied = status === 403 && json.reason === "insufficient_scope";
        expect([method, isDenied]).toEqual([method, !allowed.includes(method)]);
      }
    });

    test.each([
      ["webhooks:read", READS],
      ["webhooks:write", methods.filter((method) => !READS.includes(method))],
      ["api_keys:*", []],
    ])("by a secret key with %s: %j", async (permission, allowed) => {
      const { key } = await dashboardOf(latchkey).createKey({ permissions: [permission] });
      for (const method of methods) {
        const { status, json } = await latchkey.call(WEBHOOKS + method, {}, { "x-api-key": key });
        const isDenied = status === 403 && json.reason === "insufficient_scope";
        expect([method, isDenied]).toEqual([method, !allowed.includes(method)]);
      }
    });

    test.each(["webhooks:read", "webhooks:write", "webhooks:*", "*"])(
      "by no publishable key: none can have %s",
      async (permission) => {
        const { status, json } = await dashboardOf(latchkey).call("create", {
          ...PUBLISHABLE,
          name: "app",
          permissions: [permission],
        });
        expect([status, json.reason]).toEqual([400, "scope_blocked"]);
      },
    );
  });
}
