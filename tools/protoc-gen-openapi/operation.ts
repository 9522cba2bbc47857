import { type DescMethod, type DescService, getOption, hasOption } from "@bufbuild/protobuf";
import { securityOf } from "../../clients/typescript/src/policy/security.ts";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { statuses } from "../../gen/latchkey/v1/documentation_pb.ts";
import { Caller, type Policy, policy as policyOption } from "../../gen/latchkey/v1/policy_pb.ts";
import { descriptionOf, summaryOf } from "./comments.ts";
import { errorRefs } from "./errors.ts";
import { EXAMPLES, NAMED_EXAMPLES } from "./examples.ts";
import type { JsonObject } from "./json.ts";
import type { Schemas } from "./schemas.ts";

/** The path of an RPC's annotation; undefined where it has none. */
export function pathOf(method: DescMethod): string | undefined {
  if (!hasOption(method, http)) return undefined;
  const { pattern, body } = getOption(method, http);
  if (pattern.case !== "post" || body !== "*") throw new Error(`${nameOf(method)} is no post with body "*"`);
  return pattern.value;
}

export function policyOf(method: DescMethod): Policy {
  if (!hasOption(method, policyOption)) throw new Error(`${nameOf(method)} declares no (latchkey.v1.policy)`);
  return getOption(method, policyOption);
}

/** What the document says of one RPC. */
export function operationOf(method: DescMethod, schemas: Schemas): JsonObject {
  const policy = policyOf(method);
  return {
    operationId: method.localName,
    ...(method.deprecated && { deprecated: true }),
    summary: summaryOf(method),
    description: description(method, policy),
    tags: [tagOf(method.parent)],
    security: securityOf(policy),
    ...(policy.scope !== "" && { "x-required-scope": policy.scope }),
    ...(policy.userScope !== "" && { "x-required-user-scope": policy.userScope }),
    parameters: parameterRefs(method, policy),
    requestBody: {
      required: true,
      content: { "application/json": content(schemas.requestRef(method.input), method.input.name) },
    },
    responses: { "200": success(method, policy, schemas), ...errorRefs(getOption(method, statuses)) },
  };
}

export function tagOf(service: DescService): string {
  return service.name.replace(/Service$/, "");
}

function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

function description(method: DescMethod, policy: Policy): string {
  const notes = [
    policy.scope === "" ? "" : `An API key needs the scope \`${policy.scope}\`.`,
    tokenNote(policy),
    userNote(policy),
    `Over Connect, gRPC and gRPC-Web: \`/${nameOf(method)}\`.`,
  ];
  return [descriptionOf(method), notes.filter((note) => note !== "").join(" ")].join("\n\n");
}

function tokenNote({ callers, tokens }: Policy): string {
  if (!callers.includes(Caller.SECRET_KEY)) return "";
  return `A token that stands for a secret key may ${tokens ? "" : "not "}call it.`;
}

function userNote({ callers, userScope, tenantOptional }: Policy): string {
  if (!callers.includes(Caller.DASHBOARD_USER)) return "";
  const needs = [...(tenantOptional ? [] : ["a tenant"]), ...(userScope === "" ? [] : [`the scope \`${userScope}\``])];
  return needs.length === 0 ? "" : `A dashboard user needs ${needs.join(" and ")}.`;
}

function parameterRefs({ input }: DescMethod, { callers }: Policy): JsonObject[] {
  const names = [
    ...(callers.includes(Caller.SECRET_KEY) ? ["OnBehalfOf"] : []),
    ...(input.fields.some(({ name }) => name === "client_request_id") ? ["IdempotencyKey"] : []),
    "RequestId",
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function success({ output }: DescMethod, { callers, noStore }: Policy, schemas: Schemas): JsonObject {
  const takesKeys = callers.includes(Caller.SECRET_KEY) || callers.includes(Caller.PUBLISHABLE_KEY);
  const headers = [
    "X-Request-Id",
    ...(takesKeys ? ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"] : []),
    ...(noStore ? ["Cache-Control"] : []),
  ];
  return {
    description: descriptionOf(output),
    headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: { "application/json": content(schemas.answerRef(output), output.name) },
  };
}

/** An example, or several by name. */
function content(schema: JsonObject, messageName: string): JsonObject {
  const several = NAMED_EXAMPLES[messageName];
  if (several !== undefined) return { schema, examples: several };
  const example = EXAMPLES[messageName];
  return { schema, ...(example !== undefined && { example }) };
}
