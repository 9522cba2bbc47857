import { argon2Sync, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createLatchkeyClient } from "../../clients/typescript/src/index.ts";
import { createGuard } from "../../clients/typescript/src/server/index.ts";
import { firstUse } from "../../examples/migrate/first-use.ts";
import { createFormat, drawText } from "../harness/imports.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { OPERATOR_TOKEN } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const format = await createFormat(latchkey);
const dashboard = dashboardOf(latchkey);
const guard = createGuard({ baseUrl: latchkey.url, timeoutMs: 60_000 });
const client = createLatchkeyClient({ baseUrl: latchkey.url, getUserToken: () => OPERATOR_TOKEN });
const nonce = randomBytes(16);
const hashOf = (message: string) =>
  argon2Sync("argon2id", { message, nonce, parallelism: 1, tagLength: 32, memory: 1_024, passes: 1 }).toString("hex");

/** A service whose table has one key, by argon2. */
function serviceOf(name: string, permissions = ["plans:read"]) {
  const key = drawText(format);
  const table = new Map([[hashOf(key), { tenantId: dashboard.tenant, name, permissions }]]);
  const verified: string[] = [];
  const check = firstUse({
    guard,
    client,
    async verify(text) {
      verified.push(text);
      return table.get(hashOf(text));
    },
  });
  return { key, check, verified };
}

test("a key of an argon2 table is imported at its first use, and Latchkey decides from then on", async () => {
  const { key, check, verified } = serviceOf("moved");
  const first = await Promise.all([1, 2, 3].map(() => check(key, "plans:read")));
  const { json } = await dashboard.call("list", { imported: true, search: "moved" });
  const [{ key_id }] = json.keys;
  expect(json.keys).toHaveLength(1);
  for (const verdict of first)
    expect(verdict).toMatchObject({ kind: "admitted", caller: { tenantId: dashboard.tenant, keyId: key_id } });
  const count = verified.length;
  expect(await check(key, "plans:read")).toMatchObject({ kind: "admitted" });
  expect(await check(key, "plans:write")).toMatchObject({ kind: "refused", status: 403 });
  await dashboard.result("revoke", { key_id });
  expect(await check(key, "plans:read")).toMatchObject({ kind: "refused", status: 401 });
  expect(verified).toHaveLength(count);
});

test("a text that neither knows is denied, and the table is asked only for texts of the format", async () => {
  const { check, verified } = serviceOf("other");
  const unknown = drawText(format);
  for (const text of [unknown, `${unknown}0`, "acme_x", "Bearer x"])
    expect(await check(text, "plans:read")).toMatchObject({ kind: "refused", status: 401 });
  expect(verified).toEqual([unknown]);
});

test("a key that cannot be imported is an error that names its row", async () => {
  const { key, check } = serviceOf("too much", ["no:scope"]);
  await expect(check(key, "plans:read")).rejects.toThrow('The key "too much" was not imported: ');
});
