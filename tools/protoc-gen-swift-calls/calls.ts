import type { DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { paragraphsOf } from "../protoc-gen-openapi/comments.ts";
import { pathOf, policyOf } from "../protoc-gen-openapi/operation.ts";
import { type Member, membersOf, parameter } from "./models.ts";
import { callName, declared, memberName, typeName } from "./names.ts";
import { docComment, docItem, indented, listed } from "./text.ts";

const REQUEST_ID = "client_request_id";
/** A call that has one of these is done once, however often it is sent. The client gives it one. */
const NAMED_BY_CLIENT = ["client_message_id", REQUEST_ID];
/** The same, where only the caller gives one. */
const ORG_ID = "client_org_id";

/** A struct whose functions are the calls of a service. */
export function serviceOf(service: DescService, requested: ReadonlySet<DescMessage>): string[] {
  return [
    ...docComment(paragraphsOf(service), 0),
    `public struct ${typeName(service)}: Sendable {`,
    "    let caller: HTTPCaller",
    ...service.methods.flatMap((method) => ["", ...indented(callOf(method, requested), 4)]),
    "}",
  ];
}

/** The call by its parameters, and by a request that was made before. */
function callOf(method: DescMethod, requested: ReadonlySet<DescMessage>): string[] {
  const name = declared(callName(method));
  const [input, output] = [typeName(method.input), typeName(method.output)];
  const members = membersOf(method.input, requested);
  const parameters = members.map((member) => parameter(member, true));
  const given = members.map((member) => `${member.name}: ${declared(member.name)}`);
  return [
    ...docComment([...paragraphsOf(method), ...rightsOf(method)], 0),
    ...parametersDoc(members),
    ...listed(`public func ${name}`, parameters, ` async throws -> ${output} {`),
    ...indented(listed(`try await ${name}`, [`${input}(${given.join(", ")})`], ""), 4),
    "}",
    "",
    `/// ${method.name}, with a request that was made before.`,
    `public func ${name}(_ request: ${input}) async throws -> ${output} {`,
    ...indented(bodyOf(method, members), 4),
    "}",
  ];
}

function rightsOf(method: DescMethod): string[] {
  const { scope, userScope } = policyOf(method);
  const rights = [
    scope === "" ? "" : `An API key needs the scope \`${scope}\`.`,
    userScope === "" ? "" : `A dashboard user needs \`${userScope}\`.`,
  ].filter((right) => right !== "");
  return rights.length === 0 ? [] : [rights.join(" ")];
}

function parametersDoc(members: readonly Member[]): string[] {
  if (members.length === 0) return [];
  const items = members.flatMap(({ field, name }) => docItem(`${name}: ${paragraphsOf(field).join(" ")}`, 0));
  return ["///", "/// - Parameters:", ...items];
}

/** A secret is handed over once: an empty one, of an attempt that was a repetition, must not look like it. */
function bodyOf(method: DescMethod, members: readonly Member[]): string[] {
  const id = members.find(({ field }) => NAMED_BY_CLIENT.includes(field.name));
  const request = id === undefined ? "request" : `named(request, \\.${id.name})`;
  const isRepeatable = id === undefined ? repeatability(method, members) : "true";
  const call = `try await caller.call("${pathOf(method)}", ${request}, isRepeatable: ${isRepeatable})`;
  if (id?.field.name !== REQUEST_ID) return [call];
  const { flag, made } = repetitionIn(method.output);
  return [
    `let response: ${typeName(method.output)} = ${call}`,
    `if request.${id.name}.isEmpty, response.${flag} == true { throw LatchkeyError.secretLost(of: response.${made}) }`,
    "return response",
  ];
}

/** What says that the answer is that of an earlier call, and the id of what that one made. */
function repetitionIn(output: DescMessage): { readonly flag: string; readonly made: string } {
  const flagOf = ({ fields }: DescMessage) => fields.find(({ name }) => name === "already_created");
  const result = output.fields.find(({ name }) => name === "result");
  const id = result?.message?.fields.find(({ name }) => name.endsWith("_id"));
  const own = flagOf(output);
  const inner = result?.message && flagOf(result.message);
  const flag = own ?? inner;
  if (result === undefined || id === undefined || flag === undefined) throw new Error(`${output.name} has no result`);
  const path = (field: DescField) => `${memberName(result)}.${memberName(field)}`;
  return { flag: own === undefined ? path(flag) : memberName(flag), made: path(id) };
}

function repeatability(method: DescMethod, members: readonly Member[]): string {
  if (method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) return "true";
  const own = members.find(({ field }) => field.name === ORG_ID);
  return own === undefined ? "false" : `!request.${own.name}.isEmpty`;
}
