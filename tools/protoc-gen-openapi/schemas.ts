import { type DescEnum, type DescField, type DescMessage, getOption, ScalarType } from "@bufbuild/protobuf";
import { json_member as jsonMember } from "../../gen/latchkey/v1/documentation_pb.ts";
import { descriptionOf } from "./comments.ts";
import { PARTS } from "./examples.ts";
import type { JsonObject } from "./json.ts";
import { type RuleKeywords, ruleKeywords } from "./rules.ts";

/**
 * A request's members may be left out and unknown ones are refused; an answer has all its members, and a later version
 * more of them. So a message of both is two schemas.
 */
type Direction = "request" | "answer";

/** The component schemas of a document: every message and enum that its operations can meet. */
export interface Schemas {
  readonly components: JsonObject;
  requestRef(message: DescMessage): JsonObject;
  answerRef(message: DescMessage): JsonObject;
}

export interface SchemasInput {
  readonly requests: readonly DescMessage[];
  /** Those of the requests whose unknown members are ignored. */
  readonly openRequests: ReadonlySet<DescMessage>;
  readonly answers: readonly DescMessage[];
}

export function createSchemas({ requests, openRequests, answers }: SchemasInput): Schemas {
  const inRequests = reachable(requests, "request");
  const inAnswers = reachable(answers, "answer");
  const refs: References = {
    request: (type) => ref(inAnswers.has(type) && type.kind === "message" ? `${type.name}Input` : type.name),
    answer: (type) => ref(type.name),
  };
  const components: [string, JsonObject][] = [];
  for (const type of inAnswers) {
    const part = PARTS[type.name];
    const schema = type.kind === "enum" ? enumSchema(type) : messageSchema(type, "answer", refs, false);
    components.push([type.name, { ...schema, ...(part !== undefined && { examples: [part] }) }]);
  }
  for (const type of inRequests) {
    if (type.kind === "message") {
      const schema = messageSchema(type, "request", refs, openRequests.has(type));
      components.push([inAnswers.has(type) ? `${type.name}Input` : type.name, schema]);
    } else if (!inAnswers.has(type)) components.push([type.name, enumSchema(type)]);
  }
  components.sort(([a], [b]) => (a < b ? -1 : 1));
  return { components: Object.fromEntries(components), requestRef: refs.request, answerRef: refs.answer };
}

type References = Readonly<Record<Direction, (type: DescMessage | DescEnum) => JsonObject>>;

function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

function reachable(roots: readonly DescMessage[], direction: Direction): Set<DescMessage | DescEnum> {
  const seen = new Set<DescMessage | DescEnum>();
  const visit = (type: DescMessage | DescEnum): void => {
    if (seen.has(type) || type.typeName.startsWith("google.protobuf.")) return;
    seen.add(type);
    if (type.kind === "enum") return;
    for (const field of type.fields) {
      // An enum of which only some values are allowed is written out in its place.
      if (field.enum !== undefined && rulesOf(field, direction).enumNumbers === undefined) visit(field.enum);
      if (field.message !== undefined) visit(field.message);
    }
  };
  for (const root of roots) visit(root);
  return seen;
}

function messageSchema(message: DescMessage, direction: Direction, refs: References, isOpen: boolean): JsonObject {
  if (message.oneofs.some((oneof) => oneof.fields.length > 0)) {
    throw new Error(`${message.typeName} has a oneof, of which this generator knows nothing`);
  }
  const required = message.fields.filter((field) => isRequired(field, direction)).map((field) => field.jsonName);
  return {
    type: "object",
    description: descriptionOf(message),
    properties: Object.fromEntries(
      message.fields.map((field) => [
        field.jsonName,
        { ...memberSchema(field, direction, refs), ...(field.deprecated && { deprecated: true }) },
      ]),
    ),
    ...(required.length > 0 && { required }),
    ...(direction === "request" && { additionalProperties: isOpen }),
  };
}

function isRequired(field: DescField, direction: Direction): boolean {
  const member = getOption(field, jsonMember);
  if (direction === "request") return member.required || ruleKeywords(field).required;
  return !member.absent && !field.proto.proto3Optional;
}

function memberSchema(field: DescField, direction: Direction, refs: References): JsonObject {
  const description = descriptionOf(field);
  const rules = rulesOf(field, direction);
  switch (field.fieldKind) {
    case "list":
      return {
        type: "array",
        description,
        items: { ...(isNamed(field) ? itemsOf(field) : typeSchema(field, refs[direction])), ...rules.items },
        ...rules.own,
      };
    case "map":
      return { type: "object", description, additionalProperties: typeSchema(field, refs[direction]), ...rules.own };
    case "enum":
      return { ...enumMember(field.enum, rules.enumNumbers, refs[direction]), description };
    default:
      return { ...typeSchema(field, refs[direction]), description, ...rules.own };
  }
}

/** Answers have no rules: their values were validated before, and a rule that is relaxed must not make old clients reject them. */
function rulesOf(field: DescField, direction: Direction): Pick<RuleKeywords, "own" | "items" | "enumNumbers"> {
  return direction === "request" ? ruleKeywords(field) : { own: {}, items: {}, enumNumbers: undefined };
}

function enumMember(
  type: DescEnum,
  numbers: RuleKeywords["enumNumbers"],
  refTo: (type: DescEnum) => JsonObject,
): JsonObject {
  if (numbers === undefined) return refTo(type);
  return { type: "string", enum: type.values.filter(({ number }) => numbers.includes(number)).map(({ name }) => name) };
}

/** The schema of one value: of a list its items', of a map its values'. */
function typeSchema(field: DescField, refTo: (type: DescMessage | DescEnum) => JsonObject): JsonObject {
  if (field.message !== undefined) {
    if (field.message.typeName === "google.protobuf.Timestamp") return { type: "string", format: "date-time" };
    if (field.message.typeName === "google.protobuf.ListValue") return { type: "array", items: itemsOf(field) };
    if (field.message.typeName === "google.protobuf.Struct") return { type: "object", additionalProperties: true };
    if (field.message.typeName === "google.protobuf.Value") return {};
    if (field.message.typeName.startsWith("google.protobuf.")) throw unknownType(field, field.message.typeName);
    return refTo(field.message);
  }
  if (field.enum !== undefined) return refTo(field.enum);
  return scalarSchema(field);
}

/** Whether the items of a list of strings have a schema by name. */
function isNamed(field: DescField): boolean {
  return field.scalar === ScalarType.STRING && getOption(field, jsonMember).items !== "";
}

/** Another response that has the message makes its schema: the document's linter rejects a reference to none. */
function itemsOf(field: DescField): JsonObject {
  const { items } = getOption(field, jsonMember);
  return items === "" ? {} : ref(items);
}

function scalarSchema(field: DescField): JsonObject {
  switch (field.scalar) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.INT32:
      return { type: "integer", format: "int32" };
    case ScalarType.DOUBLE:
      return { type: getOption(field, jsonMember).integer ? "integer" : "number" };
    default:
      throw unknownType(field, ScalarType[field.scalar ?? 0] ?? "unknown");
  }
}

function unknownType(field: DescField, type: string): Error {
  return new Error(
    `${field.parent.typeName}.${field.name} has the type ${type}, of which this generator knows nothing`,
  );
}

/** The zero value means "not said": it is never in an answer, and a request says it by leaving the member out. */
function enumSchema(type: DescEnum): JsonObject {
  const values = type.values.filter(({ number }) => number !== 0);
  const list = values.map((value) => `- \`${value.name}\`: ${descriptionOf(value)}`).join("\n");
  return {
    type: "string",
    description: `${descriptionOf(type)}\n\n${list}`,
    enum: values.map(({ name }) => name),
  };
}
