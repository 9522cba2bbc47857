import { describe, expect, test } from "vitest";
import { expectNotFound } from "../harness/error-answers.ts";
import { newEmployer } from "../harness/federation.ts";
import { dashboardOf } from "../harness/key-management.ts";
import type { PublishableService } from "../harness/publishable.ts";
import { sharedWithRoles } from "../harness/roles.ts";
import { RPCS, rpcsNaming } from "../harness/rpcs.ts";
import { observable } from "./foreign-key.suite.ts";

const UNKNOWN = `fed_${"0".repeat(32)}`;
const MALFORMED = ["x", "fed_", `key_${"0".repeat(32)}`, `fed_${"0".repeat(200)}`, "' or '1'='1", "%", "*", "😀", " "];

const RULES = "/api/v1/federation/rules/";

/** Another tenant's rule is an unknown one, for every RPC that names one. */
export function testForeignRule(service: PublishableService): void {
  test.each(rpcsNaming("rule_id").filter(({ path }) => path.startsWith(RULES)))(
    "$path: another tenant's rule is the same 404 as an unknown and a malformed one, and stays as it is",
    async (rpc) => {
      const method = rpc.path.slice(RULES.length);
      const [owner, stranger] = [await newEmployer(service), await newEmployer(service)];
      const { rule_id } = await owner.create();
      const example = rpc.body("");
      const assertion = "assertion" in example && { assertion: stranger.assertion() };
      const call = (id: string) => stranger.call(method, { ...example, ...assertion, rule_id: id });
      const before = await owner.json("list", {});
      const unknown = await call(UNKNOWN);
      expectNotFound(unknown);
      expect(unknown.json.reason).toBe("rule_not_found");
      // One look-up serves all methods.
      const malformed = method === "get" ? MALFORMED : MALFORMED.slice(0, 2);
      for (const id of [rule_id, rule_id.toUpperCase(), ` ${rule_id}`, ...malformed]) {
        expect(observable(await call(id)), id.slice(0, 50)).toEqual(observable(unknown));
      }
      expect(await owner.json("list", {})).toEqual(before);
    },
  );
}

/** Who may have to do with rules. */
export function testRuleCallers({ latchkey }: PublishableService): void {
  const paths = RPCS.flatMap(({ path }) => (path.startsWith(RULES) ? [path] : []));

  describe("RPCs of federation rules are called", () => {
    test.each([
      ["owner", true],
      ["admin", true],
      ["developer", true],
      ["viewer", false],
      ["unknown", false],
    ])("by a user of the role %s: %s", async (role, isAllowed) => {
      const withRoles = await sharedWithRoles();
      const user = await withRoles.user(role);
      for (const path of paths) {
        const { json } = await withRoles.call(path, {}, user);
        expect([path, json.reason === "insufficient_scope"]).toEqual([path, !isAllowed]);
      }
    });

    test.each([
      ["api_keys:admin", true],
      ["api_keys:write", false],
      ["api_keys:read", false],
      ["conversations:*", false],
    ])("by a secret key with %s: %s", async (permission, isAllowed) => {
      const { key } = await dashboardOf(latchkey).createKey({ permissions: [permission] });
      for (const path of paths) {
        const { status, json } = await latchkey.call(path, {}, { "x-api-key": key });
        const isDenied = status === 403 && json.reason === "insufficient_scope";
        expect([path, isDenied]).toEqual([path, !isAllowed]);
      }
    });
  });
}
