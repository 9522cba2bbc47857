// promise: keys.caller-made
// threat: K21
import { createHash, hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type MadeKey, makeKey } from "../../clients/typescript/src/index.ts";
import { eventsOf } from "../harness/audit.ts";
import { expectConflict, expectInvalid } from "../harness/error-answers.ts";
import type { Answer, JsonObject } from "../harness/http.ts";
import { dashboardOf, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);
const DESCRIBED = { name: "made elsewhere", permissions: ["conversations:read"] };

/** Both RPCs that create a key, for a tenant. */
const CREATES: readonly (readonly [string, (tenant: string, body: object) => Promise<Answer>])[] = [
  ["create", (tenant, body) => dashboardOf(latchkey, tenant).call("create", body)],
  ["operator/keys/create", (tenant, body) => operator.call("keys/create", { ...body, tenant_id: tenant })],
];

const sent = ({ secretHash, keyPrefix }: MadeKey): JsonObject => ({
  ...DESCRIBED,
  secret_hash: secretHash,
  key_prefix: keyPrefix,
});

const keysOf = async (tenant: string): Promise<JsonObject[]> =>
  (await dashboardOf(latchkey, tenant).call("list", {})).json.keys;

describe.each(CREATES)("%s with secret_hash", (_, create) => {
  test("makes a key that works at once, also if it was used before, and whose value is in no answer", async () => {
    const tenant = newTenant();
    const made = await makeKey({ brand: "acme" });
    expect(await useKey(latchkey, made.key)).toBe("api_key_not_found");
    const answer = await create(tenant, sent(made));
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toEqual({
      result: { key_id: expect.stringMatching(/^key_/), key: "", key_prefix: made.keyPrefix },
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await useKey(latchkey, made.key)).toBe("admitted");
    expect(await keysOf(tenant)).toMatchObject([{ key_id: answer.json.result.key_id, key_prefix: made.keyPrefix }]);
  });

  test("records in the audit trail that the caller made the secret, and nothing that is derived from it", async () => {
    const tenant = newTenant();
    const made = await makeKey();
    await create(tenant, sent(made));
    const [event] = await eventsOf(latchkey, tenant);
    expect(event).toMatchObject({ action: "api_key.created", changes: { secret_made_by_caller: { new: true } } });
    expect(JSON.stringify(event)).not.toContain(made.secretHash);
    expect(JSON.stringify(event)).not.toContain(made.keyPrefix);
    await dashboardOf(latchkey, tenant).createKey();
    expect((await eventsOf(latchkey, tenant))[0]?.changes).not.toHaveProperty("secret_made_by_caller");
  });

  test("takes digits of both cases, and shows sk_ for a prefix that it was not given", async () => {
    const tenant = newTenant();
    const made = await makeKey();
    const answer = await create(tenant, { ...DESCRIBED, secret_hash: made.secretHash.toUpperCase() });
    expect(answer.json.result.key_prefix).toBe("sk_");
    expect(await useKey(latchkey, made.key)).toBe("admitted");
    const found = await dashboardOf(latchkey, tenant).call("list", { key_prefix: made.keyPrefix });
    expect(found.json.keys).toEqual([]);
  });

  test("is 409 for a hash that a key of any tenant has, in the same words", async () => {
    const [owner, other] = [newTenant(), newTenant()];
    const made = await makeKey();
    const own = await dashboardOf(latchkey, owner).createKey();
    expect((await create(owner, sent(made))).status).toBe(200);
    const ofService = { ...DESCRIBED, secret_hash: hash("sha256", own.key) };
    const answers = [];
    for (const body of [sent(made), ofService])
      for (const tenant of [owner, other]) answers.push(await create(tenant, body));
    for (const { json, ...answer } of answers) {
      expectConflict({ json, ...answer }, "secret_hash", "a key has this hash already");
      expect(json.reason).toBe("secret_hash_taken");
    }
    expect(new Set(answers.map(({ json: { request_id: _id, ...rest } }) => JSON.stringify(rest))).size).toBe(1);
    expect((await keysOf(owner)).length).toBe(2);
    expect(await keysOf(other)).toEqual([]);
    expect((await eventsOf(latchkey, other)).filter(({ action }) => action === "api_key.created")).toEqual([]);
  });

  test("makes one key for one hash, of calls of several tenants at once", async () => {
    const tenants = Array.from({ length: 4 }, newTenant);
    const made = await makeKey();
    const answers = await Promise.all([...tenants, ...tenants].map((tenant) => create(tenant, sent(made))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)]);
    expect((await Promise.all(tenants.map(keysOf))).flat()).toHaveLength(1);
  });

  test("gives a repeated call the first one's answer, and is 409 for another hash with its id", async () => {
    const tenant = newTenant();
    const made = await makeKey();
    const body = { ...sent(made), client_request_id: "apply-7" };
    const inUpperCase = { ...body, secret_hash: made.secretHash.toUpperCase() };
    const answers = await Promise.all([body, body, inUpperCase].map((each) => create(tenant, each)));
    answers.push(await create(tenant, body));
    for (const answer of answers) expect(answer.status, answer.text).toBe(200);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.json.result).not.toHaveProperty("already_created");
    const others = [sent(await makeKey()), DESCRIBED, { ...sent(made), key_prefix: "sk_000000000" }];
    for (const other of others) {
      const { status, json } = await create(tenant, { ...other, client_request_id: "apply-7" });
      expect([status, json.reason]).toEqual([409, "client_request_id_reused"]);
    }
    expect(await keysOf(tenant)).toHaveLength(1);
  });

  const HASH = createHash("sha256").update("x").digest();
  test.each<[string, JsonObject, field: string]>([
    ["a base64 hash", { secret_hash: HASH.toString("base64") }, "secret_hash"],
    ["63 digits", { secret_hash: "a".repeat(63) }, "secret_hash"],
    ["65 digits", { secret_hash: "a".repeat(65) }, "secret_hash"],
    ["another letter", { secret_hash: "g".repeat(64) }, "secret_hash"],
    ["spaces", { secret_hash: " ".repeat(64) }, "secret_hash"],
    ["nothing", { secret_hash: "" }, "secret_hash"],
    ["a publishable key", { ...PUBLISHABLE, secret_hash: HASH.toString("hex") }, "secret_hash"],
    ["a prefix without a hash", { key_prefix: "sk_000000000" }, "key_prefix"],
    ...["", "sk_", "sk_00000000", "sk_0000000000", "pk_000000000", "sk_00000000-", "sk_a\u0131aaaaaaa"].map(
      (key_prefix): [string, JsonObject, string] => [
        `the prefix ${key_prefix}`,
        { secret_hash: HASH.toString("hex"), key_prefix },
        "key_prefix",
      ],
    ),
  ])("is 400 for %s, and makes nothing", async (_what, fields, field) => {
    const tenant = newTenant();
    expectInvalid(await create(tenant, { ...DESCRIBED, ...fields }), field);
    expect(await keysOf(tenant)).toEqual([]);
  });

  test("never lets a text of another form call, since its hash is not looked up", async () => {
    const tenant = newTenant();
    const texts = { [`acme_live_${tenant}`]: "api_key_invalid", [`sk_live_${tenant}`]: "api_key_not_found" };
    for (const [text, reason] of Object.entries(texts)) {
      expect((await create(tenant, { ...DESCRIBED, secret_hash: hash("sha256", text) })).status).toBe(200);
      expect(await useKey(latchkey, text)).toBe(reason);
    }
  });
});

test("a key that its caller made is rotated as any other: the service makes its successor", async () => {
  const dashboard = dashboardOf(latchkey);
  const made = await makeKey();
  const { key_id } = await dashboard.result("create", sent(made));
  const { key } = await dashboard.result("rotate", { key_id });
  expect(await useKey(latchkey, key)).toBe("admitted");
  expect(await useKey(latchkey, made.key)).toBe("admitted");
});
