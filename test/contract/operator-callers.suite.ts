import { describe, expect, test } from "vitest";
import { EXAMPLES } from "../../tools/protoc-gen-openapi/examples.ts";
import { type Latchkey, newTenant } from "../harness/latchkey.ts";
import { OPERATOR, OPERATOR_TOKEN } from "../harness/operator.ts";
import { type LatchkeyWithRoles, OPERATOR_TENANT } from "../harness/roles.ts";
import { RPCS, type Rpc, rpcNamed } from "../harness/rpcs.ts";

const TENANT_ROLES = ["owner", "admin", "developer", "viewer", "ops", "unknown"];

const OPERATORS = RPCS.filter(({ callers }) => callers === "operator");
/** For callers whose answer the table of `docs/authorization.md` has for every RPC, and for malformed tokens, which the gate denies. */
const ONE = OPERATORS.slice(0, 1);

/** Who may call the RPCs of the operator's, on both of their paths. */
export function testOperatorCallers(latchkey: Latchkey, withRoles: LatchkeyWithRoles): void {
  /** The reason or status of a call on both paths. */
  async function outcomes(
    service: Latchkey,
    rpc: Rpc,
    headers: Record<string, string>,
    keyIdOf = async () => "key_x",
  ): Promise<readonly unknown[]> {
    const answers = [rpc.path, rpc.procedure].map(async (path) => {
      const keyId = "key_id" in rpc.body("") ? await keyIdOf() : "";
      const { status, json } = await service.call(path, rpc.body(keyId), headers);
      return json.denial_reason ?? status;
    });
    return Promise.all(answers);
  }

  /** Of calls that are admitted: the formats are too weak, and not there, since others would be made and deleted once. */
  const ADMITTED: Readonly<Record<string, number>> = {
    "/api/v1/operator/key-formats/create": 400,
    "/api/v1/operator/key-formats/delete": 404,
  };

  /** Expects that these RPCs answer a caller with this reason or status. */
  async function expectOf(
    rpcs: readonly Rpc[],
    service: Latchkey,
    headers: Record<string, string>,
    outcome: string | number,
    keyIdOf?: () => Promise<string>,
  ): Promise<void> {
    for (const rpc of rpcs) {
      const expected = outcome === 200 ? (ADMITTED[rpc.path] ?? outcome) : outcome;
      expect([rpc.path, ...(await outcomes(service, rpc, headers, keyIdOf))]).toEqual([rpc.path, expected, expected]);
    }
  }

  /** Makes what the requests name: a request to explain, which others may push out of the trail, and a tenant to erase. */
  async function makeSubjects(service: Latchkey): Promise<void> {
    const { request_id: id } = EXAMPLES.ExplainAnyRequestRequest ?? {};
    await service.call("/api/v1/auth/verify", {}, { "x-request-id": String(id) });
    await service.call("/api/v1/operator/tenants/suspend", rpcNamed("EraseTenant").body(""), OPERATOR);
  }

  /** A key of the tenant that the requests name: each call has one of its own, since a key is rotated once. */
  async function newKeyId(service: Latchkey, owner: Record<string, string>): Promise<string> {
    return (await service.createKey(owner, { permissions: ["plans:read"] })).key_id;
  }

  const DENIED = "insufficient_scope";

  describe("of callers, an RPC of the operator's", () => {
    test("admits the operator's token, and a user of the operator's tenant with system:*", async () => {
      await makeSubjects(withRoles);
      const owner = await withRoles.user("owner", "ten_keys");
      const keyId = () => newKeyId(withRoles, owner);
      await expectOf(OPERATORS, withRoles, OPERATOR, 200, keyId);
      await expectOf(OPERATORS, withRoles, await withRoles.user("owner", OPERATOR_TENANT), 200, keyId);
    });

    test("admits the operator's token where no tenant is the operator's", async () => {
      await makeSubjects(latchkey);
      const dashboard = await latchkey.dashboard("ten_keys");
      await expectOf(OPERATORS, latchkey, OPERATOR, 200, () => newKeyId(latchkey, dashboard));
    });

    test.each(["viewer", "developer", "unknown"])("denies a %s of the operator's tenant", async (role) => {
      await expectOf(ONE, withRoles, await withRoles.user(role, OPERATOR_TENANT), DENIED);
    });

    test.each(TENANT_ROLES)("denies a user of another tenant with the role %s", async (role) => {
      await expectOf(ONE, withRoles, await withRoles.user(role), DENIED);
    });

    test("denies a user without a tenant, whatever the role", async () => {
      const token = await withRoles.dashboardToken({ tenant_id: undefined, roles: ["owner", "ops"] });
      await expectOf(ONE, withRoles, { authorization: `Bearer ${token}` }, DENIED);
    });

    test("denies every user where no tenant is the operator's, and says for whom the scope is reserved", async () => {
      const user = await latchkey.dashboard(OPERATOR_TENANT);
      for (const rpc of OPERATORS) {
        const { json } = await latchkey.call(rpc.path, rpc.body("key_x"), user);
        expect(json, rpc.path).toMatchObject({
          code: "permission_denied",
          denial_reason: "insufficient_scope",
          message:
            "This user lacks the scope system:*, which is reserved for the operator's own tenant; call with a user of that tenant. See /docs/errors#insufficient_scope",
        });
      }
    });

    test("names the roles that have system:* to users of a service with an operator's tenant", async () => {
      const admin = await withRoles.user("admin");
      for (const rpc of OPERATORS) {
        const { json } = await withRoles.call(rpc.path, rpc.body("key_x"), admin);
        expect(json.message, rpc.path).toBe(
          "This user lacks the scope system:*, which is reserved for the operator's own tenant; call with a user of that tenant who has one of the roles owner, admin, ops. See /docs/errors#insufficient_scope",
        );
      }
    });

    test("denies every secret key, also one of the operator's tenant with *", async () => {
      for (const tenant of [OPERATOR_TENANT, newTenant()]) {
        const { key } = await withRoles.createKey(await withRoles.user("owner", tenant), { permissions: ["*"] });
        await expectOf(OPERATORS, withRoles, { "x-api-key": key }, DENIED);
      }
      const { key } = await latchkey.createKey(await latchkey.dashboard(), { permissions: ["*", "system:*"] });
      await expectOf(OPERATORS, latchkey, { "x-api-key": key }, DENIED);
    });

    test("denies a key with the operator's token beside it", async () => {
      const { key } = await latchkey.createKey(await latchkey.dashboard(), { permissions: ["*"] });
      await expectOf(OPERATORS, latchkey, { ...OPERATOR, "x-api-key": key }, DENIED);
      await expectOf(OPERATORS, latchkey, { ...OPERATOR, "x-api-key": "sk_unknown" }, "api_key_not_found");
    });

    test("denies the operator's token with X-On-Behalf-Of", async () => {
      await expectOf(ONE, latchkey, { ...OPERATOR, "x-on-behalf-of": "u1" }, DENIED);
    });

    test.each([
      ["in another case", OPERATOR_TOKEN.toUpperCase()],
      ["that is too short", OPERATOR_TOKEN.slice(0, -1)],
      ["that is too long", `${OPERATOR_TOKEN}0`],
    ])("denies a token %s as a malformed token of a user", async (_, token) => {
      await expectOf(ONE, latchkey, { authorization: `Bearer ${token}` }, "jwt_malformed");
    });

    test("logs each use of the token as a warning, without the token", async () => {
      for (const rpc of OPERATORS) {
        const logged = latchkey.logLines.length;
        const answer = await latchkey.call(rpc.path, rpc.body("key_x"), OPERATOR);
        const lines = latchkey.logLines.slice(logged);
        const uses = lines
          .map((line) => JSON.parse(line))
          .filter(({ level, request_id }) => level === 40 && request_id === answer.headers.get("x-request-id"));
        expect(uses).toEqual([
          expect.objectContaining({
            msg: "the operator's token is used",
            procedure: rpc.procedure.slice(1),
            token: 1,
          }),
        ]);
        expect(lines.join("") + answer.text).not.toContain(OPERATOR_TOKEN.slice(0, 20));
      }
    });
  });
}
