// promise: errors.key-as-id
// threat: K19
import { expect, test } from "vitest";
import { loadPolicies } from "../../src/interceptors/policies.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";
import { RPCS, rpcNamed } from "../harness/rpcs.ts";
import { SERVICES } from "../harness/services.ts";
import { generateKey } from "../jwks/provider.ts";

const latchkey = await sharedLatchkey();
const dashboard = await latchkey.dashboard();
const { key, key_id } = await latchkey.createKey(dashboard, { permissions: ["*"] });
const createRule = rpcNamed("CreateFederationRule");
const jwks = { keys: [generateKey("ES256", { kid: "workload-key" }).jwk] };
const created = await latchkey.call(
  createRule.path,
  { ...createRule.body(key_id), jwks_url: undefined, jwks },
  dashboard,
);

/** Members that make the RPC look at the id. */
const BESIDE: Readonly<Record<string, object>> = {
  Verify: { explain: true },
  CheckOidc: { oidc: undefined },
  UpdateFederationRule: { rule_id: created.json.result?.rule_id, update_mask: "key_id" },
};

/** Every RPC that takes the id of a key. */
const TAKING_AN_ID = [...loadPolicies(SERVICES).keys()].flatMap(({ name, parent, input }) =>
  input.fields.some((field) => field.name === "key_id") ? [{ name, procedure: `/${parent.typeName}/${name}` }] : [],
);

test("the rule to update is there", () => expect(created.status, created.text).toBe(200));
test("many RPCs take the id of a key", () => expect(TAKING_AN_ID.length).toBeGreaterThan(10));

test.each(TAKING_AN_ID)(
  "$name refuses a key in the place of its id, and repeats none of it",
  async ({ name, procedure }) => {
    const rpc = RPCS.find((each) => each.procedure === procedure);
    if (rpc === undefined) throw new Error(`RPCS lacks ${name}`);
    const body = { ...rpc.body(key), key_id: key, ...BESIDE[name] };
    const { status, json, text } = await latchkey.call(
      rpc.path,
      body,
      rpc.callers === "operator" ? OPERATOR : dashboard,
    );
    expect([status, json.reason, json.field, json.message]).toEqual([
      400,
      "invalid_value",
      "key_id",
      "key_id: holds an API key; send the id of the key, which begins with key_, and rotate the key if others can read this request",
    ]);
    expect(text).not.toContain(key.slice(0, 13));
    for (const line of latchkey.logLines) expect(line).not.toContain(key);
  },
);
