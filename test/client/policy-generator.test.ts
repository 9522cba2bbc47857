import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { create, type DescFile, fromBinary, toBinary } from "@bufbuild/protobuf";
import { CodeGeneratorRequestSchema, CodeGeneratorResponseSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../harness/http.ts";
import { compile } from "../openapi/compile.ts";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const PLUGIN = at("clients/typescript/src/server/protoc-gen-latchkey-policy.ts");

/** The plugin's output for RPCs with these policies, called as protoc calls it. */
async function generate(policies: Record<string, string>, parameter = "") {
  const rpcs = Object.entries(policies).map(([name, policy]) => {
    const option = policy === "" ? "" : `option (latchkey.v1.policy) = { ${policy} };`;
    return `rpc ${name}(M) returns (M) { ${option} }`;
  });
  const file = await compile(`message M {} service Plans { ${rpcs.join("\n")} }`);
  const input = create(CodeGeneratorRequestSchema, {
    fileToGenerate: [file.proto.name],
    parameter,
    protoFile: withImports(file),
  });
  const stdout = await new Promise<Buffer>((resolve, reject) => {
    const child = execFile(process.execPath, [PLUGIN], { encoding: "buffer" }, (err, out) =>
      err === null ? resolve(out) : reject(err),
    );
    child.stdin?.end(toBinary(CodeGeneratorRequestSchema, input));
  });
  const { error, file: files } = fromBinary(CodeGeneratorResponseSchema, stdout);
  return { error, files: new Map(files.map(({ name, content }) => [name, content])) };
}

function withImports(file: DescFile): DescFile["proto"][] {
  return [...new Set([...file.dependencies.flatMap(withImports), file.proto])];
}

describe("the generator of proxies' configurations", () => {
  test.each([
    [{ Get: "" }, "", "small.v1.Plans/Get declares no (latchkey.v1.policy)"],
    [{ Get: "callers: []" }, "", "small.v1.Plans/Get admits no caller"],
    [{ Get: "callers: [CALLER_OPERATOR]" }, "", "small.v1.Plans/Get admits the operator"],
    [
      { Get: "callers: [CALLER_ANYONE]" },
      "upstream=x",
      'the option "upstream=x" is unknown or empty; use upstream_cluster=',
    ],
    [{ Get: "callers: [CALLER_ANYONE]" }, "latchkey_cluster=", 'the option "latchkey_cluster=" is unknown or empty'],
  ])("fails for %j with %j", async (policies, parameter, problem) => {
    const { error, files } = await generate(policies, parameter);
    expect(error).toContain(problem);
    expect([...files]).toEqual([]);
  });

  test("names a scope of the platform's own, and the size that nginx needs for a long name", async () => {
    const name = `Get${"A".repeat(120)}`;
    const { files } = await generate({ [name]: 'callers: [CALLER_SECRET_KEY] scope: "reports:read"' });
    const map = files.get("latchkey.nginx.conf");
    expect(map).toContain("# map_hash_bucket_size 256;");
    expect(map).toContain(`"secret_key /small.v1.Plans/${name}" "scope=reports:read";`);
    expect(map).not.toContain("dashboard_user /");
  });
});

interface Route {
  readonly match: { path?: string; prefix?: string; headers?: { present_match?: boolean }[] };
  readonly direct_response?: { status: number };
  readonly route?: { cluster: string };
  readonly typed_per_filter_config: Record<string, JsonObject>;
}

describe("the routes for Envoy", () => {
  /** The first route that matches, as Envoy chooses it, and what it does: asks, refuses, or lets pass. */
  function outcome(routes: readonly Route[], path: string, key: string | undefined): string {
    const found = routes.find(({ match }) => {
      if (match.path !== undefined && match.path !== path) return false;
      return (match.headers ?? []).every((header: JsonObject) => {
        const matches = header.string_match ? key?.startsWith(header.string_match.prefix) : key !== undefined;
        return Boolean(matches) !== (header.invert_match ?? false);
      });
    });
    if (found?.direct_response !== undefined) return `refuse with ${found.direct_response.status}`;
    const filter = found?.typed_per_filter_config["envoy.filters.http.ext_authz"];
    if (filter?.disabled) return "pass";
    const { http_service, context_extensions } = filter?.check_settings ?? {};
    if (http_service !== undefined) return `ask ${http_service.path_prefix}`;
    // As the check over HTTP would be asked.
    return `ask /auth/check?${Object.entries(context_extensions).map(([name, value]) => `${name}=${value}&`)}path=`;
  }

  test.each(["envoy", "envoy-grpc"])("ask for each RPC and kind of caller what nginx asks, by %s", async (name) => {
    const { resources } = JSON.parse(await readFile(at(`examples/plans/gen/latchkey.${name}.json`), "utf8"));
    const map = await readFile(at("examples/plans/gen/latchkey.nginx.conf"), "utf8");
    const entries = new Map(
      [...map.matchAll(/^ {2}"(\w+ \/\S+)" "([^"]*)";$/gm)].map(([, key = "", query = ""]) => [key, query]),
    );
    const [{ routes }] = resources[0].virtual_hosts;
    const methods = ["ListPlans", "CreatePlan", "WatchPlans", "RemoveAllPlans", "WhoAmI", "GetCurrencies"];
    for (const name of methods) {
      for (const [kind, key] of [
        ["publishable_key", "pk_1"],
        ["secret_key", "sk_1"],
        ["secret_key", "nonsense"],
        ["dashboard_user", undefined],
      ] as const) {
        const path = `/acme.plans.v1.PlanService/${name}`;
        const query = entries.get(`${kind} ${path}`);
        const asked = query === "" ? "ask /auth/check?path=" : `ask /auth/check?${query}&path=`;
        const expected = query === undefined ? "refuse with 403" : query === "anyone" ? "pass" : asked;
        expect([name, kind, outcome(routes, path, key)]).toEqual([name, kind, expected]);
      }
    }
    expect(outcome(routes, "/acme.plans.v1.PlanService/Unknown", "sk_1")).toBe("refuse with 404");
    expect(entries.size).toBe(12);
    expect(new Set(routes.flatMap(({ route }: Route) => route?.cluster ?? []))).toEqual(new Set(["plans"]));
  });
});

test("the security of OpenAPI lists each RPC's scopes, and only schemes that are used", async () => {
  const { files } = await generate({
    Get: 'callers: [CALLER_SECRET_KEY, CALLER_DASHBOARD_USER] scope: "plans:read" user_scope: "plans:*"',
    Open: "callers: [CALLER_ANYONE]",
  });
  const { paths, components } = JSON.parse(files.get("latchkey.openapi.json") ?? "");
  expect(paths).toEqual({
    "/small.v1.Plans/Get": { post: { security: [{ SecretKey: ["plans:read"] }, { DashboardJwt: ["plans:*"] }] } },
    "/small.v1.Plans/Open": { post: { security: [] } },
  });
  expect(Object.keys(components.securitySchemes).sort()).toEqual(["DashboardJwt", "SecretKey"]);
});
