import { describe, expect, test } from "vitest";
import { expectNotFound } from "../harness/error-answers.ts";
import { type Employer, newEmployer } from "../harness/federation.ts";
import { dashboardOf } from "../harness/key-management.ts";
import type { PublishableService } from "../harness/publishable.ts";
import { sharedWithRoles } from "../harness/roles.ts";
import { observable } from "./foreign-key.suite.ts";

const UNKNOWN = `fed_${"0".repeat(32)}`;
const MALFORMED = ["x", "fed_", `key_${"0".repeat(32)}`, `fed_${"0".repeat(200)}`, "' or '1'='1", "%", "*", "😀", " "];

/** Another tenant's rule is an unknown one. Each `<rpc>.security.test.ts` about one rule runs this. */
export function testForeignRule(
  service: PublishableService,
  method: string,
  body: (ruleId: string, employer: Employer) => object,
): void {
  test("another tenant's rule is the same 404 as an unknown and a malformed one, and stays as it is", async () => {
    const [owner, stranger] = [await newEmployer(service), await newEmployer(service)];
    const { rule_id } = await owner.create();
    const before = await owner.json("list", {});
    const unknown = await stranger.call(method, body(UNKNOWN, stranger));
    expectNotFound(unknown);
    expect(unknown.json.reason).toBe("rule_not_found");
    for (const id of [rule_id, rule_id.toUpperCase(), ` ${rule_id}`, ...MALFORMED]) {
      expect(observable(await stranger.call(method, body(id, stranger))), id.slice(0, 50)).toEqual(observable(unknown));
    }
    expect(await owner.json("list", {})).toEqual(before);
  });
}

/** Who may have to do with rules. Each `<rpc>.security.test.ts` of them runs this. */
export function testRuleCallers({ latchkey }: PublishableService, method: string): void {
  const path = `/api/v1/federation/rules/${method}`;

  describe("it is called", () => {
    test.each([
      ["owner", true],
      ["admin", true],
      ["developer", true],
      ["viewer", false],
      ["unknown", false],
    ])("by a user of the role %s: %s", async (role, isAllowed) => {
      const withRoles = await sharedWithRoles();
      const answer = await withRoles.call(path, {}, await withRoles.user(role));
      expect(answer.json.reason === "insufficient_scope").toBe(!isAllowed);
    });

    test("by a secret key with api_keys:admin, and by no other key", async () => {
      const dashboard = dashboardOf(latchkey);
      const call = async (permissions: string[]) => {
        const { key } = await dashboard.createKey({ permissions });
        return latchkey.call(path, {}, { "x-api-key": key });
      };
      expect((await call(["api_keys:admin"])).json.reason).not.toBe("insufficient_scope");
      for (const other of ["api_keys:write", "api_keys:read", "conversations:*"]) {
        const { status, json } = await call([other]);
        expect([status, json.reason]).toEqual([403, "insufficient_scope"]);
      }
    });
  });
}
