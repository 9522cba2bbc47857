// promise: rules.concurrent
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../harness/http.ts";
import { dashboardOf, instant } from "../harness/key-management.ts";
import { policyOf } from "../harness/key-policy.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

// What a rule allows is computed here from the records that responses have, and not by the code that decides requests.

const HOUR = 3_600_000;
const latchkey = await sharedLatchkey();

const permissions = fc.constantFrom(["plans:read"], ["plans:*"], ["users:read", "plans:read"], ["*"]);
const limit = fc.constantFrom(0, 5, 50);
const caps = { requests_per_minute: limit, requests_per_hour: limit, burst_size: limit };
const rate_limit = fc.record({ ...caps, per_user: fc.record(caps) });
/** Hours from now; 0: never. */
const expiry = fc.constantFrom(0, 1, 3);
const policy = fc.record({
  max_lifetime_hours: fc.constantFrom(0, 0, 2),
  expiry_required: fc.boolean(),
  allowed_ips_required: fc.boolean(),
  max_rate_limit: fc.record({
    requests_per_minute: fc.constantFrom(0, 0, 10),
    requests_per_hour: fc.constantFrom(0, 0, 10),
    burst_size: fc.constantFrom(0, 0, 10),
    per_user: fc.record({ requests_per_minute: fc.constantFrom(0, 0, 0, 10) }),
  }),
  permissions: fc.constantFrom([], [], ["plans:*"], ["plans:read", "users:read"]),
  max_keys: fc.constantFrom(2, 4, 6),
});
const allowed_ips = fc.constantFrom([], ["192.0.2.0/24"]);
const fields = fc.record({ permissions, rate_limit, expiry, allowed_ips });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ verb: fc.constant("create" as const), fields }) },
  {
    weight: 3,
    arbitrary: fc.record({
      verb: fc.constant("update" as const),
      key: fc.nat(9),
      fields,
      mask: fc.subarray(
        [
          "permissions",
          "rate_limit",
          "rate_limit.requests_per_minute",
          "rate_limit.per_user",
          "expires_at",
          "allowed_ips",
        ],
        { minLength: 1 },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ verb: fc.constant("rotate" as const), key: fc.nat(9), grace: fc.constantFrom(0, 1) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      verb: fc.constantFrom("disable" as const, "enable" as const, "enable" as const),
      key: fc.nat(9),
    }),
  },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant("revoke" as const), key: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ verb: fc.constant("set" as const), policy }) },
);
type Drawn = typeof fields extends fc.Arbitrary<infer One> ? One : never;
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const create = fc.record({ verb: fc.constant("create" as const), fields });
const disable = (key: number): Step => ({ verb: "disable", key });
/** Begins with keys from before all rules, two of them disabled. */
const sequence: fc.Arbitrary<Step[][]> = fc
  .tuple(
    fc.array(create, { minLength: 4, maxLength: 4 }),
    fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 6, maxLength: 12 }),
  )
  .map(([first, others]) => [first, [disable(0), disable(1)], ...others]);

/** The members of a key's record that go beyond rules. */
function beyond(rules: JsonObject, key: JsonObject): string[] {
  const found: string[] = [];
  const granted = (scope: string) =>
    rules.permissions.some(
      (one: string) => one === scope || (one.endsWith(":*") && scope.startsWith(one.slice(0, -1))),
    );
  if (rules.permissions.length > 0 && !key.permissions.every(granted)) found.push("permissions");
  const life =
    key.expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(key.expires_at) - Date.parse(key.created_at);
  if (rules.max_lifetime_hours > 0 && life > rules.max_lifetime_hours * HOUR) found.push("expires_at");
  else if (rules.expiry_required && key.expires_at === undefined) found.push("expires_at");
  if (rules.allowed_ips_required && key.allowed_ips === undefined) found.push("allowed_ips");
  const { per_user: most = {}, ...own } = rules.max_rate_limit;
  const exceeds = areAbove(key.rate_limit, own) || areAbove(key.rate_limit.per_user ?? {}, most);
  if (exceeds) found.push("rate_limit");
  return found;
}

function areAbove(
  { requests_per_minute = 0, requests_per_hour = 0, burst_size = 0 }: JsonObject,
  most: JsonObject,
): boolean {
  const cap = requests_per_minute > 0 ? requests_per_minute : requests_per_hour;
  const limits = { requests_per_minute, requests_per_hour, burst_size: cap > 0 && burst_size > 0 ? burst_size : cap };
  return Object.entries(limits).some(([name, value]) => most[name] > 0 && (value === 0 || value > most[name]));
}

test("no sequence of changes, one by one or at once, leads beyond the rules that are in force", async () => {
  const tally = { done: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(sequence, async (batches) => {
      const rulesOf = policyOf(latchkey);
      const dashboard = dashboardOf(latchkey, rulesOf.tenant);
      const records = async (): Promise<JsonObject[]> => (await dashboard.call("list", { per_page: 100 })).json.keys;
      const membersOf = (drawn: Drawn) => ({
        permissions: drawn.permissions,
        rate_limit: drawn.rate_limit,
        allowed_ips: drawn.allowed_ips,
        ...(drawn.expiry > 0 && { expires_at: instant(latchkey, drawn.expiry * HOUR) }),
      });

      async function act(one: Step, before: readonly JsonObject[]): Promise<{ one: Step; status: number; id: string }> {
        const target = "key" in one ? before[one.key % Math.max(1, before.length)]?.key_id : undefined;
        const key_id: string = target ?? "key_none";
        switch (one.verb) {
          case "set": {
            const { status } = await rulesOf.call("set", { policy: one.policy });
            return { one, status, id: "" };
          }
          case "create": {
            const { status, json } = await dashboard.call("create", { name: "a key", ...membersOf(one.fields) });
            return { one, status, id: json.result?.key_id ?? "" };
          }
          case "update": {
            const body = { key_id, ...membersOf(one.fields), update_mask: one.mask.join(",") };
            return { one, status: (await dashboard.call("update", body)).status, id: key_id };
          }
          case "rotate": {
            const { status, json } = await dashboard.call("rotate", { key_id, grace_period_hours: one.grace });
            return { one, status, id: json.result?.key_id ?? "" };
          }
          default:
            return { one, status: (await dashboard.call(one.verb, { key_id })).status, id: key_id };
        }
      }

      for (const batch of batches) {
        const [rulesBefore, before] = [await rulesOf.get(), await records()];
        const results = await Promise.all(batch.map((one) => act(one, before)));
        const after = new Map((await records()).map((key) => [key.key_id, key] as const));
        const old = new Map(before.map((key) => [key.key_id, key] as const));
        const set = results.flatMap(({ one, status }) => (one.verb === "set" && status === 200 ? [one.policy] : []));
        // Of changes at once, each may have been made under the rules before the batch or under any that it set.
        const rules: JsonObject[] = [rulesBefore, ...set];
        for (const { one, status } of results) {
          expect([200, 400, 404], one.verb).toContain(status);
          tally[status === 200 ? "done" : "refused"] += 1;
        }
        for (const [id, key] of after) {
          const known = old.get(id);
          const isEnabled = known?.status === "KEY_STATUS_DISABLED" && key.status === "KEY_STATUS_ACTIVE";
          const changed = ["permissions", "rate_limit", "expires_at", "allowed_ips"].filter(
            (member) => JSON.stringify(known?.[member]) !== JSON.stringify(key[member]),
          );
          // The end of a rotated key is the rotation's, and never later than its own.
          const named = key.rotated_to !== undefined ? changed.filter((member) => member !== "expires_at") : changed;
          const isBeyond = (each: JsonObject) =>
            beyond(each, key).some((member) => known === undefined || isEnabled || named.includes(member));
          const wasChangedTwice = results.filter((each) => each.id === id && each.status === 200).length > 1;
          if (!(isEnabled && wasChangedTwice))
            expect(rules.every(isBeyond), JSON.stringify({ rules, known, key })).toBe(false);
        }
        // A disabled key that has expired is shown as disabled, and can never be used again.
        const nowMs = latchkey.clock.now().getTime();
        const isUsable = ({ status, expires_at }: JsonObject) =>
          status !== "KEY_STATUS_REVOKED" && !(Date.parse(expires_at) <= nowMs);
        const usable = (keys: Iterable<JsonObject>) => [...keys].filter(isUsable).length;
        const most = Math.max(...rules.map(({ max_keys }) => max_keys));
        expect(usable(after.values())).toBeLessThanOrEqual(Math.max(most, usable(before)));
      }
    }),
    { numRuns: 12 },
  );
  expect(tally.done).toBeGreaterThan(20);
  expect(tally.refused).toBeGreaterThan(20);
});
