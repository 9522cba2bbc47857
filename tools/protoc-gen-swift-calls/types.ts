import { type DescField, type DescMessage, getOption, ScalarType } from "@bufbuild/protobuf";
import { json_member as jsonMember } from "../../gen/latchkey/v1/documentation_pb.ts";
import { Narrowing, narrowing } from "../../gen/latchkey/v1/narrowing_pb.ts";
import { ruleKeywords } from "../protoc-gen-openapi/rules.ts";
import { typeName } from "./names.ts";

/** How a member is declared. */
export interface SwiftType {
  /** Without `?`. */
  readonly name: string;
  /** The value that is the same as none; undefined for a member that can be absent. */
  readonly zero: string | undefined;
}

/** What lists hold whose items no message describes: their protos say it in words. */
const ITEMS_OF_LISTS: Readonly<Record<string, string>> = {
  "latchkey.v1.OidcConfig.authorized_parties": "String",
  "latchkey.v1.OidcConfig.claim_rules": "[String: JSONValue]",
  "latchkey.v1.FederationRule.claim_rules": "[String: JSONValue]",
  "latchkey.v1.FederationRule.former_claim_rules": "[String: JSONValue]",
  "latchkey.v1.CreateFederationRuleRequest.claim_rules": "[String: JSONValue]",
  "latchkey.v1.UpdateFederationRuleRequest.claim_rules": "[String: JSONValue]",
};

/**
 * The type of a field. A message or an instant is optional wherever a request may leave it out. In responses alone it is
 * there, unless the proto says that it may be absent.
 */
export function typeOf(field: DescField, requested: ReadonlySet<DescMessage>): SwiftType {
  const canBeAbsent = requested.has(field.parent) || getOption(field, jsonMember).absent;
  switch (field.fieldKind) {
    case "list":
      // An empty list is refused where it would widen the request, so it must differ from none.
      return { name: `[${elementName(field)}]`, zero: narrows(field) ? undefined : "[]" };
    case "map":
      return { name: `[String: ${elementName(field)}]`, zero: "[:]" };
    case "message":
      return messageType(field, field.message, canBeAbsent);
    case "enum":
      return { name: typeName(field.enum), zero: isOptionalScalar(field) ? undefined : ".unspecified" };
    case "scalar":
      return { name: scalarName(field, field.scalar), zero: isOptionalScalar(field) ? undefined : zeroOf(field) };
  }
}

function narrows(field: DescField): boolean {
  return getOption(field, narrowing) === Narrowing.BY_ABSENCE;
}

/** Whether every request must have the member. */
export function isRequired(field: DescField): boolean {
  const { required, enumNumbers } = ruleKeywords(field);
  return required || enumNumbers?.length === 1 || getOption(field, jsonMember).required;
}

/** The messages that a request of a call may hold. */
export function messagesWithin(roots: readonly DescMessage[]): ReadonlySet<DescMessage> {
  const found = new Set<DescMessage>();
  const add = (message: DescMessage): void => {
    if (found.has(message)) return;
    found.add(message);
    for (const { message: inner } of message.fields) if (inner?.file.proto.package === "latchkey.v1") add(inner);
    for (const name of message.fields.map((field) => getOption(field, jsonMember).items)) {
      const item = message.file.messages.concat(...message.file.dependencies.map(({ messages }) => messages));
      for (const each of item) if (each.name === name) add(each);
    }
  };
  for (const root of roots) add(root);
  return found;
}

function messageType(field: DescField, message: DescMessage, canBeAbsent: boolean): SwiftType {
  switch (message.typeName) {
    case "google.protobuf.Timestamp":
      return { name: "Date", zero: canBeAbsent ? undefined : "Date(timeIntervalSince1970: 0)" };
    case "google.protobuf.Struct":
      return { name: "[String: JSONValue]", zero: undefined };
    case "google.protobuf.Value":
      return { name: "JSONValue", zero: undefined };
    case "google.protobuf.ListValue":
      return { name: `[${itemName(field)}]`, zero: undefined };
    default:
      return { name: typeName(message), zero: canBeAbsent ? undefined : `${typeName(message)}()` };
  }
}

function itemName(field: DescField): string {
  const full = `${field.parent.typeName}.${field.name}`;
  const name = getOption(field, jsonMember).items || ITEMS_OF_LISTS[full];
  if (name === undefined) throw new Error(`${full} is a list of anything: say in types.ts what its items are`);
  return name;
}

function elementName(field: DescField & { fieldKind: "list" | "map" }): string {
  if (field.message !== undefined) return messageType(field, field.message, true).name;
  return field.enum === undefined ? scalarName(field, field.scalar) : typeName(field.enum);
}

function isOptionalScalar(field: DescField): boolean {
  return field.proto.proto3Optional;
}

function scalarName(field: DescField, scalar: ScalarType | undefined): string {
  switch (scalar) {
    case ScalarType.STRING:
      return "String";
    case ScalarType.BOOL:
      return "Bool";
    case ScalarType.INT32:
      return "Int";
    // An `Int` of a watch has 32 bits.
    case ScalarType.DOUBLE:
      return getOption(field, jsonMember).integer ? "Int64" : "Double";
    default:
      throw new Error(`${field.parent.typeName}.${field.name} has a type that types.ts does not know`);
  }
}

function zeroOf(field: DescField): string {
  const name = scalarName(field, field.scalar);
  return name === "String" ? '""' : name === "Bool" ? "false" : "0";
}
