import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { paragraphsOf } from "../protoc-gen-openapi/comments.ts";
import { camelCase, declared, memberName, typeName } from "./names.ts";
import { docComment, listed } from "./text.ts";
import { isRequired, type SwiftType, typeOf } from "./types.ts";

/** A field, as its declaration, its coding and its parameters need it. */
export interface Member {
  readonly field: DescField;
  readonly name: string;
  readonly type: SwiftType;
}

export function membersOf(message: DescMessage, requested: ReadonlySet<DescMessage>): Member[] {
  return message.fields.map((field) => ({ field, name: memberName(field), type: typeOf(field, requested) }));
}

/** A parameter of the member's name, with a default unless every request must have it. */
export function parameter({ field, name, type }: Member, demandsRequired: boolean): string {
  const isDemanded = demandsRequired && isRequired(field);
  const declaration = `${name}: ${type.name}${type.zero === undefined && !isDemanded ? "?" : ""}`;
  return isDemanded ? declaration : `${declaration} = ${type.zero ?? "nil"}`;
}

/** A struct for a message. The initializer of a call's request demands what the service demands. */
export function structOf(message: DescMessage, requested: ReadonlySet<DescMessage>, isRequest: boolean): string[] {
  const members = membersOf(message, requested);
  const name = typeName(message);
  return [
    ...docComment(paragraphsOf(message), 0),
    `public struct ${name}: Codable, Hashable, Sendable${members.some(isSecret) ? ", CustomReflectable" : ""} {`,
    ...members.flatMap(({ field, name, type }) => [
      ...docComment(paragraphsOf(field), 4),
      `    public var ${declared(name)}: ${type.name}${type.zero === undefined ? "?" : ""}`,
    ]),
    ...(members.length === 0 ? [] : [""]),
    ...indent(initializer(members, isRequest)),
    ...(members.length === 0 ? [] : ["", ...indent(coding(members))]),
    ...(members.some(isSecret) ? ["", ...indent(mirror(members))] : []),
    "}",
  ];
}

/** A value that a later version adds is kept as it came. */
export function enumOf(desc: DescEnum): string[] {
  const name = typeName(desc);
  return [
    ...docComment(
      [...paragraphsOf(desc), "A later version of the service may have more values: treat an unknown one as such."],
      0,
    ),
    `public struct ${name}: OpenEnum {`,
    "    public let rawValue: String",
    "",
    "    public init(rawValue: String) {",
    "        self.rawValue = rawValue",
    "    }",
    ...desc.values.flatMap((value) => [
      "",
      ...docComment(paragraphsOf(value), 4),
      `    public static let ${declared(camelCase(value.localName))} = ${name}(rawValue: "${value.name}")`,
    ]),
    "}",
  ];
}

function initializer(members: readonly Member[], isRequest: boolean): string[] {
  if (members.length === 0) return ["public init() {}"];
  const parameters = members.map((member) => parameter(member, isRequest));
  return [
    ...listed("public init", parameters, " {"),
    ...members.map(({ name }) => `    self.${name} = ${declared(name)}`),
    "}",
  ];
}

function coding(members: readonly Member[]): string[] {
  return [
    "enum CodingKeys: String, CodingKey {",
    ...members.map(({ field, name }) =>
      field.jsonName === name ? `    case ${declared(name)}` : `    case ${declared(name)} = "${field.jsonName}"`,
    ),
    "}",
    "",
    "public init(from decoder: any Decoder) throws {",
    "    let members = try decoder.container(keyedBy: CodingKeys.self)",
    ...members.map(({ name, type }) =>
      type.zero === undefined
        ? `    self.${name} = try members.${type.name === "JSONValue" ? "decodeValueIfPresent(" : `decodeIfPresent(${type.name}.self, `}forKey: .${name})`
        : `    self.${name} = try members.decodeIfPresent(${type.name}.self, forKey: .${name}) ?? ${type.zero}`,
    ),
    "}",
    "",
    "public func encode(to encoder: any Encoder) throws {",
    "    var members = encoder.container(keyedBy: CodingKeys.self)",
    ...members.map(({ name, type }) =>
      type.zero === undefined
        ? `    try members.encodeIfPresent(self.${name}, forKey: .${name})`
        : `    try members.encode(self.${name}, forKey: .${name}, unless: ${type.zero})`,
    ),
    "}",
  ];
}

/** Printing, reflection and `dump` show that a secret is there, and nothing of it. */
function mirror(members: readonly Member[]): string[] {
  const children = members.map((member) => {
    const value = `self.${member.name}`;
    const shown = isSecret(member) ? `redacted(${value})` : member.type.zero === undefined ? `${value} as Any` : value;
    return `"${member.name}": ${shown}`;
  });
  return [
    "public var customMirror: Mirror {",
    "    Mirror(",
    "        self,",
    "        children: [",
    ...children.map((child) => `            ${child},`),
    "        ],",
    "        displayStyle: .struct",
    "    )",
    "}",
  ];
}

function isSecret({ field }: Member): boolean {
  return field.proto.options?.debugRedact === true;
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? "" : `    ${line}`));
}
