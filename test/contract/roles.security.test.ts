import { describe, expect, test } from "vitest";
import { accessRules } from "../harness/access-rules.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { OPERATOR_TENANT, sharedWithRoles } from "../harness/roles.ts";
import { RPCS } from "../harness/rpcs.ts";

const VERIFY = "/api/v1/auth/verify";
const MANAGEMENT = "/api/v1/api-keys/";

const withRoles = await sharedWithRoles();

/** The roles that have what a management RPC needs. */
const ROLES_WITH = {
  "api_keys:read": "owner, admin, developer, viewer, keymaker",
  "api_keys:write": "owner, admin, developer, keymaker",
  "api_keys:admin": "owner, admin, developer, keymaker",
} as Record<string, string>;

async function check(query: string, headers: Record<string, string>) {
  const { status, headers: answered } = await fetch(`${withRoles.url}/auth/check${query}`, { headers });
  return {
    status,
    reason: answered.get("x-auth-denial-reason"),
    permissions: answered.get("x-auth-permissions"),
  };
}

describe("a management RPC", () => {
  const management = RPCS.filter(({ path }) => path.startsWith(MANAGEMENT));

  test.each(management)("at $path denies a user without its scope, naming the scope and the roles", async (rpc) => {
    const tenant = newTenant();
    const { key_id } = await withRoles.createKey(await withRoles.user("owner", tenant), {
      permissions: ["plans:read"],
    });
    const { userScope: scope = "" } = rpc;
    for (const role of ["reporter", "unknown", "", ...(scope === "api_keys:read" ? [] : ["viewer"])]) {
      for (const path of [rpc.path, rpc.procedure]) {
        const { status, json } = await withRoles.call(path, rpc.body(key_id), await withRoles.user(role, tenant));
        expect([status, json.denial_reason, json.message]).toEqual([
          403,
          "insufficient_scope",
          `This user lacks the scope ${scope}; have an administrator give them one of the roles that have it: ${ROLES_WITH[scope]}. See /docs/errors#insufficient_scope`,
        ]);
      }
    }
    const { json } = await withRoles.call(`${MANAGEMENT}get`, { key_id }, await withRoles.user("owner", tenant));
    expect(json.result).toMatchObject({ status: "KEY_STATUS_ACTIVE", name: "test key" });
  });

  test.each(management)("at $path admits a user with it", async (rpc) => {
    const tenant = newTenant();
    const permissions = ["conversations:read"];
    for (const role of ["owner", "admin", "developer", ...(rpc.userScope === "api_keys:read" ? ["viewer"] : [])]) {
      const { key_id } = await withRoles.createKey(await withRoles.user("owner", tenant), { permissions });
      const { status, text } = await withRoles.call(rpc.path, rpc.body(key_id), await withRoles.user(role, tenant));
      expect([role, status], text).toEqual([role, 200]);
    }
  });

  test("explain needs api_keys:read", async () => {
    const tenant = newTenant();
    const { key_id } = await withRoles.createKey(await withRoles.user("owner", tenant));
    const explain = async (role: string) =>
      (await withRoles.call(VERIFY, { explain: true, key_id }, await withRoles.user(role, tenant))).json;
    expect(await explain("viewer")).toMatchObject({ explanation: { allowed: true } });
    expect(await explain("reporter")).toMatchObject({ denial_reason: "insufficient_scope" });
    expect((await explain("reporter")).message).toContain("api_keys:read");
  });

  test("denies a user without a tenant as one who needs a tenant, whatever the role", async () => {
    for (const roles of [["owner"], []]) {
      const token = await withRoles.dashboardToken({ tenant_id: undefined, roles });
      const { json } = await withRoles.call(`${MANAGEMENT}list`, {}, { authorization: `Bearer ${token}` });
      expect(json.denial_reason).toBe("tenant_required");
    }
  });
});

describe("the gateway", () => {
  test.each([
    ["list-threads", {}, "conversations:read", { viewer: 200, reporter: 403 }],
    ["send-message", undefined, "conversations:write", { developer: 200, viewer: 403, reporter: 403 }],
  ] as const)("at %s needs of a user what it needs of a key", async (method, body, scope, roles) => {
    const rpc = RPCS.find(({ path }) => path.endsWith(method));
    for (const [role, status] of Object.entries(roles)) {
      const answer = await withRoles.call(rpc?.path ?? "", body ?? rpc?.body(""), await withRoles.user(role));
      expect([role, answer.status]).toEqual([role, status]);
      if (status === 403) expect(answer.json.message).toContain(`lacks the scope ${scope}`);
    }
  });
});

describe("verify and /auth/check ask a user's scopes as a key's", () => {
  const PERMISSIONS = {
    owner: ["*"],
    admin: ["*"],
    developer: ["api_keys:*", "conversations:*", "org:read", "plans:*", "usage:read", "users:read", "webhooks:*"],
    viewer: [
      ...["conversations:read", "plans:read", "users:read", "billing:read", "invoices:read", "api_keys:read"],
      ...["webhooks:read", "org:read", "usage:read", "reports:read"],
    ],
    reporter: ["reports:*"],
    ops: [],
    unknown: [],
  };

  test.each(Object.entries(PERMISSIONS))("and return those of the role %s", async (role, permissions) => {
    const headers = await withRoles.user(role);
    expect((await withRoles.call(VERIFY, {}, headers)).json.permissions).toEqual(permissions);
    expect(await check("", headers)).toMatchObject({ status: 200, permissions: permissions.join(" ") });
  });

  test.each([
    ["owner", "billing:write", 200],
    ["owner", "reports:write", 200],
    ["developer", "plans:write", 200],
    ["developer", "billing:read", 403],
    ["developer", "users:impersonate", 403],
    ["viewer", "billing:read", 200],
    ["viewer", "plans:write", 403],
    ["reporter", "reports:write", 200],
    ["reporter", "plans:read", 403],
    ["unknown", "plans:read", 403],
    ["owner", "system:write", 403],
    ["admin", "tenants:read", 403],
    ["ops", "system:read", 403],
  ] as const)("a user with the role %s who is asked for %s gets %i", async (role, scope, status) => {
    const headers = await withRoles.user(role);
    for (const body of [{ scope }, { scopes: [scope] }]) {
      const answer = await withRoles.call(VERIFY, body, headers);
      expect([answer.status, answer.json.denial_reason]).toEqual([
        status,
        status === 200 ? undefined : "insufficient_scope",
      ]);
    }
    expect((await check(`?scope=${scope}`, headers)).status).toBe(status);
  });

  test.each([
    ["owner", "system:write", 200],
    ["ops", "system:write", 200],
    ["ops", "tenants:read", 403],
    ["viewer", "tenants:read", 200],
  ] as const)("a %s of the operator's tenant who is asked for %s gets %i", async (role, scope, status) => {
    const headers = await withRoles.user(role, OPERATOR_TENANT);
    expect((await withRoles.call(VERIFY, { scope }, headers)).status).toBe(status);
  });

  test("all scopes are needed, and the message names the first that is lacking", async () => {
    const body = { scopes: ["plans:read", "billing:write"] };
    const { json } = await withRoles.call(VERIFY, body, await withRoles.user("viewer"));
    expect(json.message).toBe(
      "This user lacks the scope billing:write; have an administrator give them one of the roles that have it: owner, admin. See /docs/errors#insufficient_scope",
    );
  });
});

describe("roles in a token", () => {
  const permissions = async (roles: unknown, tenant_id: string | undefined = newTenant()) => {
    const token = await withRoles.dashboardToken({ tenant_id, roles });
    const body = { tenant_optional: true };
    return (await withRoles.call(VERIFY, body, { authorization: `Bearer ${token}` })).json.permissions;
  };

  test.each([
    [
      ["reporter", "viewer"],
      ["reports:*", "conversations:read"],
    ],
    ["reporter,viewer", ["reports:*", "conversations:read"]],
    ["viewer reporter", ["reports:*", "conversations:read"]],
    [{ reporter: {}, viewer: { org: "x" } }, ["reports:*", "conversations:read"]],
  ])("written as %j are all of them", async (roles, expected) => {
    expect(await permissions(roles)).toEqual(expect.arrayContaining(expected));
  });

  test.each([
    undefined,
    null,
    [],
    {},
    "",
    5,
    true,
    [5],
    [["owner"]],
    "OWNER",
    "Owner",
    ["*"],
    "*",
    "api_keys:*",
    "__proto__",
  ])("written as %j grant nothing", async (roles) => {
    expect(await permissions(roles)).toEqual([]);
  });

  test("in another claim grant nothing", async () => {
    const token = await withRoles.dashboardToken({ role: "owner", groups: ["owner"], "app.roles": ["owner"] });
    const { json } = await withRoles.call(VERIFY, {}, { authorization: `Bearer ${token}` });
    expect(json.permissions).toEqual([]);
  });
});

describe("without OIDC_ROLES_CLAIM", () => {
  test("each user with a tenant is admin, whatever roles the token has", async () => {
    const latchkey = await sharedLatchkey();
    for (const roles of [undefined, ["viewer"], "nobody"]) {
      const token = await latchkey.dashboardToken({ roles });
      const { json } = await latchkey.call(VERIFY, { scope: "billing:write" }, { authorization: `Bearer ${token}` });
      expect(json.permissions).toEqual(["*"]);
    }
  });

  test("a user without a tenant has no scope, and can make an organization", async () => {
    const latchkey = await sharedLatchkey();
    const headers = { authorization: `Bearer ${await latchkey.dashboardToken({ tenant_id: undefined })}` };
    const { json } = await latchkey.call(VERIFY, { tenant_optional: true }, headers);
    expect(json.permissions).toEqual([]);
    const denied = await latchkey.call(VERIFY, { tenant_optional: true, scope: "plans:read" }, headers);
    expect(denied.json.denial_reason).toBe("insufficient_scope");
    expect((await latchkey.call("/api/v1/orgs/create", { name: "Acme" }, headers)).status).toBe(200);
  });

  test("no user has a reserved scope; a key has those that it holds, as the specification says", async () => {
    const latchkey = await sharedLatchkey();
    const dashboard = dashboardOf(latchkey);
    const user = await latchkey.call(VERIFY, { scope: "system:read" }, await latchkey.dashboard(dashboard.tenant));
    expect([user.status, user.json.denial_reason]).toEqual([403, "insufficient_scope"]);
    for (const scope of ["*", "system:*", "system:read"]) {
      const { key } = await dashboard.createKey({ permissions: [scope] });
      expect((await latchkey.call(VERIFY, { scope: "system:read" }, { "x-api-key": key })).status).toBe(200);
    }
  });
});

test("a role of the file replaces the built-in one of its name", async () => {
  const access = accessRules({ roles: { admin: ["plans:read"] }, rolesClaim: "roles" });
  const own = await startLatchkey({ config: { access } });
  const token = await own.dashboardToken({ roles: ["admin"] });
  const { json } = await own.call(VERIFY, {}, { authorization: `Bearer ${token}` });
  await own.close();
  expect(json.permissions).toEqual(["plans:read"]);
});
