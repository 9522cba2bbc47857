// promise: webhooks.callers
import { describe, expect, test } from "vitest";
import { expectNotFound } from "../harness/error-answers.ts";
import { dashboardOf, PUBLISHABLE } from "../harness/key-management.ts";
import { sharedWithRoles } from "../harness/roles.ts";
import { type LatchkeyWithWebhooks, webhooksOf } from "../harness/webhooks.ts";
import { observable } from "./foreign-key.suite.ts";

const UNKNOWN = `whk_${"0".repeat(32)}`;
const MALFORMED = ["x", "whk_", `key_${"0".repeat(32)}`, `whk_${"0".repeat(200)}`, "' or '1'='1", "%", "*", "😀", " "];

/** Another tenant's webhook is an unknown one. Each `<rpc>.security.test.ts` about one webhook runs this. */
export function testForeignWebhook(
  latchkey: LatchkeyWithWebhooks,
  method: string,
  body: (webhookId: string) => object,
): void {
  test("another tenant's webhook is the same 404 as an unknown and a malformed one, and stays as it is", async () => {
    const [owner, stranger] = [webhooksOf(latchkey), webhooksOf(latchkey)];
    const { webhook_id } = await owner.create();
    const before = await owner.json("list", {});
    const unknown = await stranger.call(method, body(UNKNOWN));
    expectNotFound(unknown);
    expect(unknown.json.reason).toBe("webhook_not_found");
    for (const id of [webhook_id, webhook_id.toUpperCase(), ` ${webhook_id}`, ...MALFORMED]) {
      expect(observable(await stranger.call(method, body(id))), id.slice(0, 50)).toEqual(observable(unknown));
    }
    expect(await owner.json("list", {})).toEqual(before);
  });
}

/** Each `<rpc>.security.test.ts` of webhooks runs this. `isRead`: viewers may call, too. */
export function testWebhookCallers(latchkey: LatchkeyWithWebhooks, method: string, isRead: boolean): void {
  const path = `/api/v1/webhooks/${method}`;
  const scope = isRead ? "webhooks:read" : "webhooks:write";
  const wrong = isRead ? "webhooks:write" : "webhooks:read";

  describe("it is called", () => {
    test.each([
      ["owner", true],
      ["admin", true],
      ["developer", true],
      ["viewer", isRead],
      ["unknown", false],
    ])("by a user of the role %s: %s", async (role, isAllowed) => {
      const withRoles = await sharedWithRoles();
      const answer = await withRoles.call(path, {}, await withRoles.user(role));
      expect(answer.json.reason === "insufficient_scope").toBe(!isAllowed);
    });

    test("by a secret key with its scope, for the key's own tenant, and by no other key", async () => {
      const dashboard = dashboardOf(latchkey);
      const call = async (permissions: string[]) => {
        const { key } = await dashboard.createKey({ permissions });
        return latchkey.call(path, {}, { "x-api-key": key });
      };
      expect((await call([scope])).json.reason).not.toBe("insufficient_scope");
      for (const other of [wrong, "api_keys:*"]) {
        const { status, json } = await call([other]);
        expect([status, json.reason]).toEqual([403, "insufficient_scope"]);
      }
    });

    test("by no publishable key: none can have the scope", async () => {
      for (const permission of [scope, "webhooks:*", "*"]) {
        const answer = await dashboardOf(latchkey).call("create", {
          ...PUBLISHABLE,
          name: "app",
          permissions: [permission],
        });
        expect([answer.status, answer.json.reason]).toEqual([400, "scope_blocked"]);
      }
    });
  });
}
