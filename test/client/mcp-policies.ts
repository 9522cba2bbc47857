import type { DescMethod } from "@bufbuild/protobuf";
import { compile } from "../openapi/compile.ts";

/** RPCs of a service that the tools of an MCP server call. */
const POLICIES = `message Plan {}
service PlanService {
  rpc Write(Plan) returns (Plan) { option (latchkey.v1.policy) = {
    callers: [CALLER_SECRET_KEY, CALLER_DASHBOARD_USER] scope: "plans:write" user_scope: "plans:*" tokens: true }; }
  rpc Make(Plan) returns (Plan) { option (latchkey.v1.policy) = { callers: [CALLER_SECRET_KEY] scope: "plans:write" }; }
  rpc Me(Plan) returns (Plan) { option (latchkey.v1.policy) = { callers: [CALLER_ANYONE] }; }
  rpc Users(Plan) returns (Plan) { option (latchkey.v1.policy) = {
    callers: [CALLER_DASHBOARD_USER] user_scope_waiver: "their own" }; }
  rpc None(Plan) returns (Plan);
}
`;

export interface McpPolicies {
  method(name: string): DescMethod;
}

export async function compileMcpPolicies(): Promise<McpPolicies> {
  const [service] = (await compile(POLICIES)).services;
  return {
    method(name) {
      const found = service?.methods.find((each) => each.name === name);
      if (found === undefined) throw new Error(`no RPC ${name}`);
      return found;
    },
  };
}
