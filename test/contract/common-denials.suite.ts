// promise: errors.form, bodies.type, keys.unknown, keys.states, callers.missing, callers.keys-manage-nothing
// promise: callers.key-decides, callers.ids, callers.on-behalf-of, paths.both, paths.exact
import { describe, expect, test } from "vitest";
import { expectNotFound } from "../harness/error-answers.ts";
import { type Latchkey, newTenant } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";
import { isFirstOfItsKind, RPCS, type Rpc } from "../harness/rpcs.ts";
import { HOUR } from "../harness/test-clock.ts";

/**
 * The denials that all RPCs have in common. Four depend on the RPC's own policy. They are a table of all RPCs, called by their
 * procedures: `authorization.test.ts` has the other path. The others depend on the gate and the transport, which treat all RPCs of
 * a kind alike: they run for the first RPC of each kind of policy.
 */
export function testCommonDenials(latchkey: Latchkey): void {
  /** Expects a denial at these paths, which are both of the RPC's unless given, with the same reason. */
  async function expectDenial(
    { path, procedure, body }: Rpc,
    headers: Record<string, string>,
    status: number,
    reason: string,
    paths: readonly string[] = [path, procedure],
  ): Promise<void> {
    for (const path of paths) {
      const answer = await latchkey.call(path, body("key_x"), headers);
      expect({ path, status: answer.status, reason: answer.json.denial_reason }).toEqual({ path, status, reason });
      expect(answer.json.message).toMatch(/\w/);
      expect(answer.json.details[0].type).toBe("latchkey.v1.Denial");
    }
  }

  /** Expects that a dashboard user with this claim has no tenant, or needs none. */
  async function expectNoTenant(rpc: Rpc, tenant: unknown): Promise<void> {
    const token = await latchkey.dashboardToken({ tenant_id: tenant });
    const headers = { authorization: `Bearer ${token}` };
    const paths = [rpc.procedure];
    if (rpc.callers === "operator" || rpc.callers === "key") {
      await expectDenial(rpc, headers, 403, "insufficient_scope", paths);
    } else if (rpc.isTenantOptional) {
      const answer = await latchkey.call(rpc.procedure, rpc.body(""), headers);
      expect(answer.json.denial_reason, rpc.path).not.toBe("tenant_required");
    } else {
      await expectDenial(rpc, headers, 403, "tenant_required", paths);
    }
  }

  /** Headers of a caller that the RPC admits. */
  async function authorized({ callers }: Rpc): Promise<Record<string, string>> {
    if (callers === "operator") return OPERATOR;
    const dashboard = await latchkey.dashboard();
    if (callers !== "key") return dashboard;
    return { "x-api-key": (await latchkey.createKey(dashboard)).key };
  }

  describe("the common denials, at every RPC", () => {
    // threat: K1
    test("a call without credentials is denied with missing_credentials", async () => {
      for (const rpc of RPCS) await expectDenial(rpc, {}, 401, "missing_credentials", [rpc.procedure]);
    });

    test('the API key "sk_unknown" is unknown', async () => {
      const headers = { "x-api-key": "sk_unknown" };
      for (const rpc of RPCS) await expectDenial(rpc, headers, 401, "api_key_not_found", [rpc.procedure]);
    });

    test("a key without the scope, or any API key where none may call, is denied with insufficient_scope", async () => {
      const { key } = await latchkey.createKey(await latchkey.dashboard(), { permissions: ["plans:read"] });
      const headers = { "x-api-key": key };
      for (const rpc of RPCS) {
        const isForAnyKey = rpc.scope === undefined && ["anyone", "backend", "key"].includes(rpc.callers);
        if (!isForAnyKey) {
          await expectDenial(rpc, headers, 403, "insufficient_scope", [rpc.procedure]);
          continue;
        }
        const { status } = await latchkey.call(rpc.procedure, rpc.body("key_x"), headers);
        expect([200, 404], rpc.path).toContain(status);
      }
    });

    test("a dashboard user with the tenant_id undefined has no tenant", async () => {
      for (const rpc of RPCS) await expectNoTenant(rpc, undefined);
    });
  });

  describe.each(RPCS.filter(isFirstOfItsKind))("the common denials of the kind of policy of $path", (rpc) => {
    test("a malformed body without credentials is 401, not 400", async () => {
      const answer = await latchkey.call(rpc.path, "{", {});
      expect(answer.json.denial_reason).toBe("missing_credentials");
    });

    test("a GET is 405 and names POST", async () => {
      const response = await fetch(latchkey.url + rpc.path);
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("POST");
      expect(await response.json()).toMatchObject({
        code: expect.any(String),
        message: expect.stringContaining("POST"),
      });
    });

    // threat: K2, K3
    test.each(["ak_x", "SK_abc", "sk-abc", "sk", "sk_", "", "sk_a, sk_b"])("the API key %j is invalid", (key) =>
      expectDenial(rpc, { "x-api-key": key }, 401, "api_key_invalid", [rpc.path]),
    );

    test.each([`pk_${"a".repeat(36)}`, `sk_${"a".repeat(9_000)}`])("the API key %.20j is unknown", (key) =>
      expectDenial(rpc, { "x-api-key": key }, 401, "api_key_not_found"),
    );

    // threat: R18
    test("revoked is reported before disabled, and disabled before expired", async () => {
      const dashboard = await latchkey.dashboard(newTenant());
      const expiresAt = new Date(latchkey.clock.now().getTime() + 60_000).toISOString();
      const { key, key_id } = await latchkey.createKey(dashboard, { expires_at: expiresAt, permissions: ["*"] });
      latchkey.clock.advance(61_000);
      await expectDenial(rpc, { "x-api-key": key }, 401, "api_key_expired");
      await latchkey.call("/api/v1/api-keys/disable", { key_id }, dashboard);
      await expectDenial(rpc, { "x-api-key": key }, 401, "api_key_disabled");
      await latchkey.call("/api/v1/api-keys/revoke", { key_id }, dashboard);
      await expectDenial(rpc, { "x-api-key": key }, 401, "api_key_revoked");
    });

    // threat: K15
    test("a revoked key is denied even beside a valid dashboard token", async () => {
      const dashboard = await latchkey.dashboard(newTenant());
      const { key, key_id } = await latchkey.createKey(dashboard);
      await latchkey.call("/api/v1/api-keys/revoke", { key_id }, dashboard);
      await expectDenial(rpc, { ...dashboard, "x-api-key": key }, 401, "api_key_revoked");
    });

    // threat: X10, X12
    test("X-On-Behalf-Of from a key without users:impersonate or from a dashboard user is denied", async () => {
      const dashboard = await latchkey.dashboard();
      const { key } = await latchkey.createKey(dashboard, { permissions: ["conversations:*", "users:read"] });
      await expectDenial(rpc, { "x-api-key": key, "x-on-behalf-of": "u1" }, 403, "insufficient_scope");
      await expectDenial(rpc, { ...dashboard, "x-on-behalf-of": "u1" }, 403, "insufficient_scope");
    });

    test("an expired dashboard token is expired", async () => {
      const now = new Date(latchkey.clock.now().getTime() - 2 * HOUR);
      const token = await latchkey.provider.sign({ sub: "u", tenant_id: "t" }, now);
      await expectDenial(rpc, { authorization: `Bearer ${token}` }, 401, "jwt_expired");
    });

    // threat: J20
    test.each(["Basic dTpw", "Bearer", "Bearer a b", "Bearer x.y", "Bearer a, Bearer b"])(
      "the Authorization %j is malformed",
      (authorization) => expectDenial(rpc, { authorization }, 401, "jwt_malformed", [rpc.path]),
    );

    // threat: K7
    test("an API key in Authorization is denied as a malformed token, and is not logged", async () => {
      const { key } = await latchkey.createKey(await latchkey.dashboard());
      await expectDenial(rpc, { authorization: `Bearer ${key}` }, 401, "jwt_malformed");
      expect(latchkey.logLines.join("")).not.toContain(key.slice(3, 20));
    });

    // threat: K17
    test("another path case, a trailing slash, a double slash and an encoded slash are 404", async () => {
      const headers = await latchkey.dashboard();
      const odd = [`${rpc.path}/`, `/${rpc.path}`, rpc.path.toUpperCase(), rpc.path.replace("/v1/", "%2fv1/")];
      for (const path of odd) expectNotFound(await latchkey.call(path, {}, headers));
    });

    // threat: B16
    test.each(["text/plain", "application/json; charset=utf-16", "application/x-www-form-urlencoded"])(
      "the content type %s is 415, but only after the caller is authorized",
      async (type) => {
        await expectDenial(rpc, { "content-type": type }, 401, "missing_credentials", [rpc.path]);
        await expectDenial(rpc, { "content-type": type, "x-api-key": "nope" }, 401, "api_key_invalid", [rpc.path]);
        const headers = { ...(await authorized(rpc)), "content-type": type };
        const answer = await latchkey.call(rpc.path, "{}", headers);
        expect(answer.status).toBe(415);
        expect(answer.json.message).toContain("Content-Type");
      },
    );

    // threat: X15
    test.each(["", " ", null, 5, ["t"], {}, "t".repeat(257), "a\nb"])(
      "a dashboard user with the tenant_id %j has no tenant",
      (tenant) => expectNoTenant(rpc, tenant),
    );
  });
}
