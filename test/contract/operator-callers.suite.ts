import { describe, expect, test } from "vitest";
import { type Latchkey, newTenant } from "../harness/latchkey.ts";
import { OPERATOR, OPERATOR_TOKEN } from "../harness/operator.ts";
import { type LatchkeyWithRoles, OPERATOR_TENANT } from "../harness/roles.ts";
import { rpcNamed } from "../harness/rpcs.ts";

const TENANT_ROLES = ["owner", "admin", "developer", "viewer", "ops", "unknown"];

/** Who may call an RPC of the operator's, on both of its paths. Each `<rpc>.security.test.ts` of these runs it. */
export function testOperatorCallers(latchkey: Latchkey, withRoles: LatchkeyWithRoles, name: string): void {
  const rpc = rpcNamed(name);

  /** The reasons or statuses of a call on both paths. */
  async function outcomes(
    service: Latchkey,
    headers: Record<string, string>,
    keyIdOf = async () => "key_x",
  ): Promise<Set<unknown>> {
    const answers = await Promise.all(
      [rpc.path, rpc.procedure].map(async (path) => service.call(path, rpc.body(await keyIdOf()), headers)),
    );
    return new Set(answers.map(({ status, json }) => json.denial_reason ?? status));
  }

  /** A key of the tenant that the requests name: each call has one of its own, since a key is rotated once. */
  async function newKeyId(service: Latchkey, owner: Record<string, string>): Promise<string> {
    return (await service.createKey(owner, { permissions: ["plans:read"] })).key_id;
  }

  const DENIED = new Set(["insufficient_scope"]);

  describe("of callers, an RPC of the operator's", () => {
    test("admits the operator's token, and a user of the operator's tenant with system:*", async () => {
      const keyId = async () => newKeyId(withRoles, await withRoles.user("owner", "ten_keys"));
      expect(await outcomes(withRoles, OPERATOR, keyId)).toEqual(new Set([200]));
      expect(await outcomes(withRoles, await withRoles.user("owner", OPERATOR_TENANT), keyId)).toEqual(new Set([200]));
    });

    test("admits the operator's token where no tenant is the operator's", async () => {
      const keyId = async () => newKeyId(latchkey, await latchkey.dashboard("ten_keys"));
      expect(await outcomes(latchkey, OPERATOR, keyId)).toEqual(new Set([200]));
    });

    test.each(["viewer", "developer", "unknown"])("denies a %s of the operator's tenant", async (role) => {
      expect(await outcomes(withRoles, await withRoles.user(role, OPERATOR_TENANT))).toEqual(DENIED);
    });

    test.each(TENANT_ROLES)("denies a user of another tenant with the role %s", async (role) => {
      expect(await outcomes(withRoles, await withRoles.user(role))).toEqual(DENIED);
    });

    test("denies a user without a tenant, whatever the role", async () => {
      const token = await withRoles.dashboardToken({ tenant_id: undefined, roles: ["owner", "ops"] });
      expect(await outcomes(withRoles, { authorization: `Bearer ${token}` })).toEqual(DENIED);
    });

    test("denies every user where no tenant is the operator's, and says for whom the scope is reserved", async () => {
      const { json } = await latchkey.call(rpc.path, rpc.body("key_x"), await latchkey.dashboard(OPERATOR_TENANT));
      expect(json).toMatchObject({
        code: "permission_denied",
        denial_reason: "insufficient_scope",
        message:
          "This user lacks the scope system:*, which is reserved for the operator's own tenant; call with a user of that tenant. See /docs/errors#insufficient_scope",
      });
    });

    test("names the roles that have system:* to users of a service with an operator's tenant", async () => {
      const { json } = await withRoles.call(rpc.path, rpc.body("key_x"), await withRoles.user("admin"));
      expect(json.message).toBe(
        "This user lacks the scope system:*, which is reserved for the operator's own tenant; call with a user of that tenant who has one of the roles owner, admin, ops. See /docs/errors#insufficient_scope",
      );
    });

    test("denies every secret key, also one of the operator's tenant with *", async () => {
      for (const tenant of [OPERATOR_TENANT, newTenant()]) {
        const { key } = await withRoles.createKey(await withRoles.user("owner", tenant), { permissions: ["*"] });
        expect(await outcomes(withRoles, { "x-api-key": key })).toEqual(DENIED);
      }
      const { key } = await latchkey.createKey(await latchkey.dashboard(), { permissions: ["*", "system:*"] });
      expect(await outcomes(latchkey, { "x-api-key": key })).toEqual(DENIED);
    });

    test("denies a key with the operator's token beside it", async () => {
      const { key } = await latchkey.createKey(await latchkey.dashboard(), { permissions: ["*"] });
      expect(await outcomes(latchkey, { ...OPERATOR, "x-api-key": key })).toEqual(DENIED);
      expect(await outcomes(latchkey, { ...OPERATOR, "x-api-key": "sk_unknown" })).toEqual(
        new Set(["api_key_not_found"]),
      );
    });

    test("denies the operator's token with X-On-Behalf-Of", async () => {
      expect(await outcomes(latchkey, { ...OPERATOR, "x-on-behalf-of": "u1" })).toEqual(DENIED);
    });

    test.each([
      ["in another case", OPERATOR_TOKEN.toUpperCase()],
      ["that is too short", OPERATOR_TOKEN.slice(0, -1)],
      ["that is too long", `${OPERATOR_TOKEN}0`],
    ])("denies a token %s as a malformed token of a user", async (_, token) => {
      expect(await outcomes(latchkey, { authorization: `Bearer ${token}` })).toEqual(new Set(["jwt_malformed"]));
    });

    test("logs each use of the token as a warning, without the token", async () => {
      const answer = await latchkey.call(rpc.path, rpc.body("key_x"), OPERATOR);
      const uses = latchkey.logLines
        .filter((line) => line.includes(answer.headers.get("x-request-id") ?? "none"))
        .map((line) => JSON.parse(line))
        .filter(({ level }) => level === 40);
      expect(uses).toEqual([
        expect.objectContaining({
          msg: "the operator's token is used",
          procedure: rpc.procedure.slice(1),
          request_id: answer.headers.get("x-request-id"),
          token: 1,
        }),
      ]);
      expect(latchkey.logLines.join("")).not.toContain(OPERATOR_TOKEN.slice(0, 20));
      expect(answer.text).not.toContain(OPERATOR_TOKEN.slice(0, 20));
    });
  });
}
