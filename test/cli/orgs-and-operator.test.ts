// promise: cli.output, cli.refused
import { afterAll, beforeAll, expect, test } from "vitest";
import { newTenant } from "../harness/latchkey.ts";
import { latchkey, succeed } from "./command-line.ts";
import { type CommandTarget, startTarget } from "./services.ts";

let target: CommandTarget;
beforeAll(async () => {
  target = await startTarget("PostgreSQL and Redis");
});
afterAll(() => target.close());

const emailed = (user: string) => ({ sub: user, email: `${user}@example.test`, email_verified: true });

test("an organization is created, and an invited user becomes a member whose role is changed, and is removed", async () => {
  const founder = await target.user({ ...emailed("founder"), tenant_id: undefined });
  const created = (await succeed(["orgs", "create", "Acme", "--json"], { env: founder })).json().result;
  expect((await succeed(["orgs", "list"], { env: founder })).stdout).toContain(created.org_id);
  const owner = await target.user({ ...emailed("founder"), tenant_id: created.tenant_id });
  const run = async (...args: string[]) => (await succeed(["orgs", ...args], { env: owner })).stdout;
  expect(await run("update", "Acme & Co")).toMatch(/^name +Acme & Co$/m);
  expect(await run("get")).toContain(created.tenant_id);

  const invited = await succeed(["orgs", "invitations", "create", "guest@example.test"], { env: owner });
  expect(invited.stdout).toMatch(/^inv_[\w-]+\n$/);
  expect(invited.stderr).not.toContain(invited.stdout.trim());
  const guest = await target.user({ ...emailed("guest"), tenant_id: undefined });
  const accept = ["orgs", "invitations", "accept", "--invitation-file", "-"];
  expect((await succeed(accept, { env: guest, stdin: invited.stdout })).stdout).toContain(created.org_id);
  expect((await succeed(["orgs", "switch", created.org_id], { env: guest })).stdout).toMatch(/^current +yes$/m);

  expect(await run("members", "set-role", "guest", "developer")).toMatch(/^role +developer$/m);
  expect(await run("members", "remove", "guest")).toMatch(/^user_id +guest$/m);
  expect(await run("members", "list")).not.toMatch(/^guest /m);
  const { invitation_id } = (
    await succeed(["orgs", "invitations", "create", "late@example.test", "--json"], { env: owner })
  ).json().result;
  expect(await run("invitations", "revoke", invitation_id)).toMatch(/^status +revoked$/m);
  expect(await run("invitations", "list")).toContain(invitation_id);
});

test("the operator finds a leaked key by its value, switches it off and on, and suspends its tenant", async () => {
  const tenant = newTenant();
  const run = (...args: string[]) => succeed(["operator", ...args], { env: target.operator });
  const { stdout: key } = await run("keys", "create", "--tenant", tenant, "--name", "leaked", "--scope", "plans:read");
  const find = ["operator", "keys", "find", "--value-file", "-", "--json"];
  const found = (await succeed(find, { env: target.operator, stdin: key })).json().keys;
  expect(found).toMatchObject([{ tenant_id: tenant, name: "leaked" }]);
  const [{ key_id }] = found;
  for (const [command, status] of [
    ["disable", "disabled"],
    ["enable", "active"],
    ["revoke", "revoked"],
  ] as const) {
    const { stdout } = await run("keys", command, key_id);
    expect(stdout).toMatch(new RegExp(`^tenant_id +${tenant}$`, "m"));
    expect(stdout).toMatch(new RegExp(`^status +${status}$`, "m"));
  }
  expect((await run("tenants", "suspend", tenant, "--reason", "invoice overdue")).stdout).toContain("invoice overdue");
  expect((await run("tenants", "list", "--suspended")).stdout).toContain(tenant);
  expect((await run("tenants", "resume", tenant)).stdout).not.toContain("suspended_at");
});

test("the operator lists, changes and rotates keys of the tenant that --tenant names, as its users do theirs", async () => {
  const tenant = newTenant();
  const run = (...args: string[]) => succeed(["operator", ...args], { env: target.operator });
  const ofTenant = (command: string, ...args: string[]) => run("keys", command, ...args, "--tenant", tenant);
  await ofTenant("create", "--name", "backend", "--scope", "plans:read");
  const { keys } = (await ofTenant("list", "--status", "active", "--json")).json();
  expect(keys).toMatchObject([{ name: "backend" }]);
  const [{ key_id }] = keys;
  expect((await ofTenant("update", key_id, "--rate-limit", "600/min")).stdout).toMatch(/^rate_limit +600\/min/m);
  const owner = await target.user({ tenant_id: tenant });
  expect((await ofTenant("get", key_id)).stdout).toBe((await succeed(["keys", "get", key_id], { env: owner })).stdout);
  const rotated = await ofTenant("rotate", key_id, "--grace-hours", "0");
  expect(rotated.stdout).toMatch(/^sk_\w+\n$/);
  expect((await ofTenant("usage", key_id)).stdout).toMatch(/^total_verifications +0$/m);
  expect((await run("tenants", "get", tenant)).stdout).toMatch(/^key_count +2$/m);
  const elsewhere = await latchkey(["operator", "keys", "get", key_id, "--tenant", newTenant()], {
    env: target.operator,
  });
  expect([elsewhere.status, elsewhere.stderr]).toEqual([1, expect.stringContaining("key_id: no such API key")]);
  const unnamed = await latchkey(["operator", "keys", "get", key_id], { env: target.operator });
  expect([unnamed.status, unnamed.stderr]).toEqual([2, expect.stringContaining("--tenant")]);
});

test("a denied request is listed to its tenant, and explained by its id, to the operator whatever its tenant", async () => {
  const tenant = newTenant();
  const owner = await target.user({ tenant_id: tenant });
  const create = ["keys", "create", "--name", "narrow", "--scope", "plans:read"];
  const { stdout: key } = await succeed(create, { env: owner });
  const verify = async (secret: string) => {
    const { headers } = await fetch(`${target.url}/auth/check?scope=plans:write`, { headers: { "x-api-key": secret } });
    return headers.get("x-request-id") ?? "";
  };
  const id = await verify(key.trim());
  const listed = await succeed(["requests", "list", "--verdict", "denied"], { env: owner });
  expect(listed.stdout).toMatch(new RegExp(`${id} .*auth/check +plans:write +denied +insufficient_scope`));
  const explained = (await succeed(["requests", "explain", id], { env: owner })).stdout;
  expect(explained).toMatch(/^passed +credentials,key,status,source,rate_limit$/m);
  expect(explained).toMatch(/^failed +scope$/m);
  expect(explained).toMatch(/^remedy +Use a key or a user with the scope it needs\.$/m);
  expect(explained).not.toMatch(/^tenant_id/m);
  const explain = (requestId: string) => succeed(["operator", "explain", requestId], { env: target.operator });
  expect((await explain(id)).stdout).toMatch(new RegExp(`^tenant_id +${tenant}$`, "m"));
  const mistyped = (await explain(await verify(key.trim().slice(0, -1)))).stdout;
  expect(mistyped).toMatch(/^reason +api_key_not_found$/m);
  expect(mistyped).toMatch(/^message +This API key was cut/m);
});

test("the operator erases a user and a tenant, but not without --yes", async () => {
  const tenant = newTenant();
  const run = (...args: string[]) => latchkey(["operator", ...args], { env: target.operator });
  await run("keys", "create", "--tenant", tenant, "--name", "theirs", "--scope", "plans:read");
  for (const command of [
    ["tenants", "erase", tenant],
    ["users", "erase", "user-1", "--tenant", tenant],
  ]) {
    const refused = await run(...command);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("--yes")]);
  }
  const user = await run("users", "erase", "user-1", "--tenant", tenant, "--yes");
  expect(user.stdout).toMatch(/^finished +yes$/m);
  const erased = await run("tenants", "erase", tenant, "--yes");
  expect(erased.stdout).toMatch(/^removed +.*keys=1/m);
});

test("a wrong operator's token is named as that, with the variable, the option or the file that had it", async () => {
  const list = ["operator", "tenants", "list"];
  const wrong = "wrong-operator-token-0123456789012345678";
  for (const [from, args, env, stdin] of [
    ["LATCHKEY_OPERATOR_TOKEN", list, { LATCHKEY_OPERATOR_TOKEN: wrong }, ""],
    ["OPERATOR_TOKEN", list, { OPERATOR_TOKEN: wrong }, ""],
    ["stdin", [...list, "--operator-token-file", "-"], {}, wrong],
  ] as const) {
    const { status, stderr } = await latchkey(args, { env: { LATCHKEY_URL: target.url, ...env }, stdin });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^latchkey: Unauthenticated: The token is neither this service's operator's token nor /m);
    expect(stderr).toContain(`${target.url} did not accept the credentials of ${from}.\n`);
    expect(stderr).not.toContain(wrong);
  }
  const asJson = await latchkey([...list, "--json"], { env: { LATCHKEY_URL: target.url, OPERATOR_TOKEN: wrong } });
  expect(JSON.parse(asJson.stderr)).toMatchObject({ code: "unauthenticated", reason: "jwt_malformed" });
});

test("of two operator's tokens in OPERATOR_TOKEN, as in the service's own environment, the first is sent", async () => {
  const { LATCHKEY_OPERATOR_TOKEN = "" } = target.operator;
  const env = {
    LATCHKEY_URL: target.url,
    OPERATOR_TOKEN: `${LATCHKEY_OPERATOR_TOKEN},the-old-one-0123456789012345678901`,
  };
  expect((await latchkey(["operator", "tenants", "list"], { env })).status).toBe(0);
});

test("the trail shows to a tenant what its users did, and to the operator what was done in all tenants", async () => {
  const tenant = newTenant();
  const env = await target.user({ tenant_id: tenant });
  const created = await succeed(["keys", "create", "--name", "traced", "--scope", "plans:read", "--json"], { env });
  const { key_id } = created.json().result;
  await succeed(["keys", "revoke", key_id], { env });
  const list = ["list", "--target", key_id, "--from", "1h"];
  const own = await succeed(["audit", ...list], { env });
  expect(own.stdout).toMatch(new RegExp(`^\\S+ +user-1 +api_key\\.revoked +${key_id} `, "m"));
  expect(own.stdout).toMatch(new RegExp(`^\\S+ +user-1 +api_key\\.created +${key_id} `, "m"));
  const paged = await succeed(["audit", ...list, "--per-page", "1"], { env });
  const [, token = ""] = /--page-token (\S+)/.exec(paged.stderr) ?? [];
  const next = await succeed(["audit", ...list, "--per-page", "1", "--page-token", token], { env });
  expect(next.stdout).toContain("api_key.created");
  const all = await succeed(["operator", "audit", ...list, "--action", "api_key.revoked"], { env: target.operator });
  expect(all.stdout).toMatch(new RegExp(`^${tenant} +\\S+ +user-1 +api_key\\.revoked `, "m"));
});
