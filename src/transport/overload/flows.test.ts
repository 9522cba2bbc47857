// promise: overload.probes, overload.strangers
import { expect, test } from "vitest";
import { UNCHECKED } from "../../domain/access/facts.ts";
import type { Principal } from "../../domain/access/principal.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import { createFlows, isManager } from "./flows.ts";

const ADDRESS = "192.0.2.1";
const OF_ADDRESS = `address ${ADDRESS}`;

function call(apiKey: string[], authorization: string[] = [], address = ADDRESS) {
  return { credentials: { apiKey, authorization, onBehalfOf: [], dpop: [] }, address };
}

/** What a call has found out, as far as a line depends on it. */
const by = (kind: Principal["kind"], tenantId: string | null = "ten_1") => ({
  verdict: { ...UNCHECKED, principal: { kind, tenantId } as Principal },
});
const REVOKED = { denial: new Denial("api_key_revoked") };

test("a key waits in its tenant's line once it was accepted from an address, and there only", () => {
  const flows = createFlows();
  expect(flows.flowOf(call(["sk_a"])).name).toBe(OF_ADDRESS);
  flows.learn({ ...call(["sk_a"]), ...by("secret_key") });
  expect(flows.flowOf(call(["sk_a"])).name).toBe("tenant ten_1");
  expect(flows.flowOf(call(["sk_a"], [], "192.0.2.2")).name).toBe("address 192.0.2.2");
});

test("all secret keys of a tenant wait in one line, and those of another in another", () => {
  const flows = createFlows();
  for (const [secret, tenantId] of [
    ["sk_a", "ten_1"],
    ["sk_b", "ten_1"],
    ["sk_c", "ten_2"],
  ] as const)
    flows.learn({ ...call([secret]), ...by("secret_key", tenantId) });
  const names = ["sk_a", "sk_b", "sk_c"].map((secret) => flows.flowOf(call([secret])).name);
  expect(names).toEqual(["tenant ten_1", "tenant ten_1", "tenant ten_2"]);
});

test("apps wait in a line beside their tenant's backend, and only with the token that was accepted", () => {
  const flows = createFlows();
  flows.learn({ ...call(["pk_a"], ["Bearer user"]), ...by("publishable_key") });
  expect(flows.flowOf(call(["pk_a"], ["Bearer user"])).name).toBe("apps of ten_1");
  for (const stranger of [call(["pk_a"]), call(["pk_a"], ["Bearer made up"]), call(["pk_a", "pk_a"], ["Bearer user"])])
    expect(flows.flowOf(stranger).name).toBe(OF_ADDRESS);
});

// threat: Q10
test("a denied call teaches nothing, whatever is known of its caller", () => {
  const flows = createFlows();
  expect(flows.learn({ ...call(["sk_a"]), ...REVOKED })).toBeUndefined();
  expect(flows.learn({ ...call(["sk_a"]), ...by("secret_key"), ...REVOKED })).toBeUndefined();
  expect(flows.flowOf(call(["sk_a"])).name).toBe(OF_ADDRESS);
});

// threat: Q10
test("credentials that are not accepted any more are forgotten; those that a limit or a scope refuses are not", () => {
  const flows = createFlows();
  flows.learn({ ...call(["sk_a"]), ...by("secret_key") });
  flows.learn({ ...call(["sk_a"]), ...by("secret_key"), denial: new Denial("rate_limited") });
  expect(flows.flowOf(call(["sk_a"])).name).toBe("tenant ten_1");
  flows.learn({ ...call(["sk_a"], [], "192.0.2.2"), ...REVOKED });
  expect(flows.flowOf(call(["sk_a"])).name).toBe("tenant ten_1");
  flows.learn({ ...call(["sk_a"]), ...REVOKED });
  expect(flows.flowOf(call(["sk_a"])).name).toBe(OF_ADDRESS);
});

test("made-up keys and tokens share the line of their address: each more of them gets no turn more", () => {
  const flows = createFlows();
  const madeUp = [...["sk_x", "sk_y"].map((secret) => call([secret])), call([], ["Bearer x"]), call([], ["Bearer y"])];
  const seen = madeUp.map((one) => {
    flows.learn({ ...one, denial: new Denial("api_key_not_found") });
    return flows.flowOf(one);
  });
  for (const flow of seen) expect(flow).toEqual({ name: OF_ADDRESS, isManager: false });
});

test("a user's token waits in their tenant's line, and the operator's in a line of its own", () => {
  const flows = createFlows();
  flows.learn({ ...call([], ["Bearer user"]), ...by("dashboard_user") });
  flows.learn({ ...call([], ["Bearer operator"]), ...by("operator", null) });
  flows.learn({ ...call([], ["Bearer anyone"]), ...by("anonymous", null) });
  const names = ["user", "operator", "anyone"].map((token) => flows.flowOf(call([], [`Bearer ${token}`])).name);
  expect(names).toEqual(["tenant ten_1", "operator", OF_ADDRESS]);
});

test("users and the operator manage; keys, access tokens and unknown callers do not", () => {
  const flows = createFlows();
  const managers = [by("dashboard_user"), by("operator", null), by("secret_key")].map((caller, n) => {
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
  expect(createFlows().flowOf(call([])).name).toBe(OF_ADDRESS);
});
