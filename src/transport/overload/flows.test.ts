import { expect, test } from "vitest";
import type { PresentedKey } from "../../domain/access/admission.ts";
import type { Principal } from "../../domain/access/principal.ts";
import { createFlows, isManager } from "./flows.ts";

const ADDRESS = "192.0.2.1";

function call(apiKey: string[], authorization: string[] = [], address = ADDRESS) {
  return { credentials: { apiKey, authorization, onBehalfOf: [], dpop: [] }, address };
}

/** What a call has found out, as far as a line depends on it. */
const ofTenant = (tenantId: string) => ({ presented: { key: { tenantId } } as PresentedKey });
const by = (principal: object) => ({ principal: principal as Principal });

test("a key waits in its tenant's line once it is known, whatever its address", () => {
  const flows = createFlows();
  const first = call(["sk_a"]);
  expect(flows.flowOf(first).name).toBe(`address ${ADDRESS}`);
  flows.learn({ ...first, ...ofTenant("ten_1") });
  expect(flows.flowOf(call(["sk_a"], [], "192.0.2.2")).name).toBe("tenant ten_1");
});

test("all keys of a tenant wait in one line, and those of another in another", () => {
  const flows = createFlows();
  for (const [secret, tenantId] of [
    ["sk_a", "ten_1"],
    ["sk_b", "ten_1"],
    ["sk_c", "ten_2"],
  ] as const)
    flows.learn({ ...call([secret]), ...ofTenant(tenantId) });
  const names = ["sk_a", "sk_b", "sk_c"].map((secret) => flows.flowOf(call([secret])).name);
  expect(names).toEqual(["tenant ten_1", "tenant ten_1", "tenant ten_2"]);
});

test("made-up keys and tokens share the line of their address: each more of them gets no turn more", () => {
  const flows = createFlows();
  const madeUp = [...["sk_x", "sk_y"].map((secret) => call([secret])), call([], ["Bearer x"]), call([], ["Bearer y"])];
  const seen = madeUp.map((one) => {
    flows.learn(one);
    return flows.flowOf(one);
  });
  for (const flow of seen) expect(flow).toEqual({ name: `address ${ADDRESS}`, isManager: false });
});

test("a user's token waits in their tenant's line, and the operator's in a line of its own", () => {
  const flows = createFlows();
  flows.learn({ ...call([], ["Bearer user"]), ...by({ kind: "dashboard_user", tenantId: "ten_1" }) });
  flows.learn({ ...call([], ["Bearer operator"]), ...by({ kind: "operator", tenantId: null }) });
  flows.learn({ ...call([], ["Bearer anyone"]), ...by({ kind: "anonymous", tenantId: null }) });
  const names = ["user", "operator", "anyone"].map((token) => flows.flowOf(call([], [`Bearer ${token}`])).name);
  expect(names).toEqual(["tenant ten_1", "operator", `address ${ADDRESS}`]);
});

test("users and the operator manage; keys, tokens that stand for keys, and what is not known yet do not", () => {
  const flows = createFlows();
  const managers = [
    by({ kind: "dashboard_user", tenantId: "ten_1" }),
    by({ kind: "operator", tenantId: null }),
    { ...ofTenant("ten_1"), ...by({ kind: "secret_key", tenantId: "ten_1" }) },
  ].map((caller, n) => {
    const one = { ...call([], [`Bearer ${n}`]), ...caller };
    const before = flows.flowOf(one).isManager;
    flows.learn(one);
    return [before, isManager(one), flows.flowOf(one).isManager];
  });
  expect(managers).toEqual([
    [false, true, true],
    [false, true, true],
    [false, false, false],
  ]);
});

test("what presents nothing waits in the line of its address", () => {
  expect(createFlows().flowOf(call([])).name).toBe(`address ${ADDRESS}`);
});
