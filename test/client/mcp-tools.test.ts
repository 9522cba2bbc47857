import { beforeAll, describe, expect, test } from "vitest";
import { createGuard, type McpOptions, type VerifiedCaller } from "../../clients/typescript/src/server/index.ts";
import { compileMcpPolicies, type McpPolicies } from "./mcp-policies.ts";

let policies: McpPolicies;

beforeAll(async () => {
  policies = await compileMcpPolicies();
});

describe("toolsOf", () => {
  const caller = (kind: VerifiedCaller["kind"], ...permissions: string[]): VerifiedCaller => ({
    ...{ kind, tenantId: "ten_1", keyId: undefined, userId: undefined },
    permissions,
  });

  test("names the tools that the guard admits the caller to", () => {
    const { toolsOf } = createGuard({ baseUrl: "https://x" }).mcp({
      tools: {
        search: "conversations:read",
        both: ["plans:read", "plans:write"],
        whoami: [],
        write: policies.method("Write"),
        users: policies.method("Users"),
      },
    });
    expect(toolsOf(caller("secret_key", "*"))).toEqual(["search", "both", "whoami", "write"]);
    expect(toolsOf(caller("secret_key", "plans:*"))).toEqual(["both", "whoami", "write"]);
    expect(toolsOf(caller("publishable_key", "plans:*"))).toEqual(["both", "whoami"]);
    expect(toolsOf(caller("dashboard_user", "plans:read", "plans:write"))).toEqual(["both", "whoami", "users"]);
    expect(toolsOf(caller("dashboard_user", "plans:*", "conversations:read"))).toEqual([
      ...["search", "both", "whoami", "write", "users"],
    ]);
  });
});

test.each<[object, string]>([
  [{}, "tools must name the scopes of each tool"],
  [{ tools: [] }, "tools must name the scopes of each tool"],
  [{ tools: { search: "conversations:raed" } }, 'tools.search: scopes: "conversations:raed" is not a known scope'],
  [{ tools: { search: "conversations:*" } }, "tools.search: scopes must be one"],
  [{ tools: {}, scopes: "plans:reed" }, 'did you mean "plans:read"'],
  [{ tools: {}, cost: 0 }, "cost must be an integer from 1 to 1000"],
  [{ tools: {}, messageBytesMax: 0 }, "messageBytesMax must be an integer"],
  [{ tools: {}, tool: {} }, 'did you mean "tools"?'],
])("a guard of an MCP server with %j ends the start", (options, problem) => {
  const make = () => createGuard({ baseUrl: "https://x" }).mcp(options as McpOptions);
  expect(make).toThrow(TypeError);
  expect(make).toThrow(problem);
});

test("so does a tool whose RPC has no policy", () => {
  const make = () => createGuard({ baseUrl: "https://x" }).mcp({ tools: { none: policies.method("None") } });
  expect(make).toThrow("tools.none: small.v1.PlanService/None declares no (latchkey.v1.policy)");
});
