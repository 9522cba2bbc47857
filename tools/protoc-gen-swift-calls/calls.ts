import type { DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { paragraphsOf } from "../protoc-gen-openapi/comments.ts";
import { pathOf, policyOf } from "../protoc-gen-openapi/operation.ts";
import { type Member, membersOf, parameter } from "./models.ts";
import { callName, declared, typeName } from "./names.ts";
import { docComment, docItem, indented, listed } from "./text.ts";

const MESSAGE_ID = "client_message_id";
/** A call that has one of these is done once, however often it is sent. */
const OWN_IDS = [MESSAGE_ID, "client_org_id", "client_request_id"];

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
    ...(hasMessageID(method) ? ["    let request = request.named()"] : []),
    `    ${hasMessageID(method) ? "return " : ""}try await caller.call("${pathOf(method)}", request, isRepeatable: ${repeatability(method, members)})`,
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

function hasMessageID({ input }: DescMethod): boolean {
  return input.fields.some(({ name }) => name === MESSAGE_ID);
}

function repeatability(method: DescMethod, members: readonly Member[]): string {
  if (method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) return "true";
  const own = members.find(({ field }) => OWN_IDS.includes(field.name));
  return own === undefined ? "false" : `!request.${own.name}.isEmpty`;
}
