import { type DescService, getOption } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { ApiKeyService } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { GatewayService } from "../../gen/latchkey/v1/gateway_service_pb.ts";
import { OrgService } from "../../gen/latchkey/v1/org_service_pb.ts";
import { RPCS } from "../../test/harness/rpcs.ts";
import { loadPolicies } from "./policies.ts";

const SERVICES = [ApiKeyService, AuthService, GatewayService, OrgService];
const METHODS = SERVICES.flatMap((service) => service.methods);

/** The service with the options of its first method replaced. */
function withOptions(service: DescService, options: unknown): DescService {
  const [first, ...rest] = service.methods;
  const changed = { ...first, proto: { ...first?.proto, options } };
  return { ...service, methods: [changed, ...rest] } as unknown as DescService;
}

describe("the policies", () => {
  test("cover every RPC, each on a path of its own under /api/v1", () => {
    const policies = loadPolicies(SERVICES);
    expect([...policies.keys()]).toEqual(METHODS);
    const paths = [...policies.values()].map(({ path }) => path);
    expect(new Set(paths).size).toBe(METHODS.length);
    for (const path of paths) expect(path).toMatch(/^\/api\/v1\/[a-z/-]+$/);
  });

  test("are those of the RPCs that the contract tests cover", () => {
    const procedures = METHODS.map(({ parent, name }) => `/${parent.typeName}/${name}`);
    expect(RPCS.map(({ procedure }) => procedure).sort()).toEqual(procedures.sort());
    const paths = [...loadPolicies(SERVICES).values()].map(({ path }) => path);
    expect(RPCS.map(({ path }) => path).sort()).toEqual(paths.sort());
  });

  test("admit a secret key to the gateway and to Verify only", () => {
    for (const [method, { callers, scope }] of loadPolicies(SERVICES)) {
      const isGateway = method.parent === GatewayService;
      expect(callers.has("secret_key")).toBe(isGateway || method.parent === AuthService);
      expect(scope?.startsWith("conversations:") ?? false).toBe(isGateway);
    }
  });

  test("make the tenant optional for orgs/create, and for verify, whose request decides", () => {
    const optional = [...loadPolicies(SERVICES)].filter(([, { tenantOptional }]) => tenantOptional);
    expect(optional.map(([method]) => getOption(method, http).pattern.value)).toEqual([
      "/api/v1/auth/verify",
      "/api/v1/orgs/create",
    ]);
  });

  test("an RPC without a policy prevents the server's start", () => {
    expect(() => loadPolicies([withOptions(OrgService, undefined)])).toThrow("CreateOrg declares no");
  });
});
