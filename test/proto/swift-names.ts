import type {
  DescriptorProto,
  EnumDescriptorProto,
  FieldDescriptorProto,
  FileDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import { FieldDescriptorProto_Type } from "@bufbuild/protobuf/wkt";

/**
 * The names that SwiftProtobuf 1.38 and connect-swift 1.2 would give, by the rules of their NamingUtils.swift and
 * SwiftProtobufNamer.swift, as far as names like ours need them (ASCII, no groups, no oneofs).
 */
export interface SwiftNames {
  readonly file: string;
  /** Types of the module: messages, enums, and each service's client and its interface. */
  readonly types: readonly string[];
  readonly messages: readonly { readonly name: string; readonly members: readonly SwiftMember[] }[];
  readonly enums: readonly { readonly name: string; readonly cases: readonly SwiftCase[] }[];
  readonly clients: readonly { readonly name: string; readonly methods: readonly string[] }[];
}

export interface SwiftMember {
  readonly proto: string;
  /** As it would be without a clash; `has...` and `clear...` go with it where the field has presence. */
  readonly name: string;
  readonly companions: readonly string[];
}

export interface SwiftCase {
  readonly proto: string;
  readonly name: string;
  /** Whether the enum's own name is taken off the value's, as Swift's readers expect. */
  readonly isStripped: boolean;
}

export function swiftNames(file: FileDescriptorProto): SwiftNames {
  const prefix = typePrefix(file);
  const clients = file.service.map(({ name, method }) => ({
    name: `${prefix}${camelCase(name, true)}Client`,
    methods: method.map((rpc) => camelCase(rpc.name, false)),
  }));
  const messages = file.messageType.map((message) => ({
    name: prefix + message.name,
    members: message.field.map(toMember),
  }));
  const enums = file.enumType.map((type) => ({ name: prefix + type.name, cases: toCases(type) }));
  const interfaces = clients.map(({ name }) => `${name}Interface`);
  const types = [...messages, ...enums, ...clients].map(({ name }) => name);
  const base =
    file.name
      .split("/")
      .at(-1)
      ?.replace(/\.proto$/, "") ?? "";
  return { file: base, types: [...types, ...interfaces], messages, enums, clients };
}

/** `latchkey.v1` is `Latchkey_V1_`; the option `swift_prefix` would take its place. */
function typePrefix({ package: name, options }: FileDescriptorProto): string {
  if (options !== undefined && options.swiftPrefix !== "") return options.swiftPrefix;
  if (name === "") return "";
  const words = name.split(".").map((part) => part.split("_").map(upperFirst).join(""));
  return `${words.join("_")}_`;
}

function toMember(field: FieldDescriptorProto): SwiftMember {
  const upper = camelCase(field.name, true);
  const hasPresence = field.type === FieldDescriptorProto_Type.MESSAGE || field.proto3Optional;
  const companions = hasPresence ? [`has${upper}`, `clear${upper}`] : [];
  return { proto: field.name, name: camelCase(field.name, false), companions };
}

function toCases(type: EnumDescriptorProto): SwiftCase[] {
  const prefix = new RegExp(`^${[...type.name].map((char) => `${char}_*`).join("")}_*(?=[a-z])`, "i");
  return type.value.map(({ name }) => ({
    proto: name,
    name: camelCase(name.replace(prefix, ""), false),
    isStripped: prefix.test(name),
  }));
}

/** Splits at underscores, changes of case and digits; `url`, `http`, `https` and `id` are upper case behind the first. */
function camelCase(name: string, initialUpper: boolean): string {
  const words = name.match(/[A-Z]+[a-z]*|[a-z]+|\d+/g) ?? [];
  return words
    .map((word) => word.toLowerCase())
    .map((word, i) =>
      i === 0 && !initialUpper ? word : ABBREVIATIONS.includes(word) ? word.toUpperCase() : upperFirst(word),
    )
    .join("");
}

const ABBREVIATIONS = ["url", "http", "https", "id"];

function upperFirst(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** Nested types, which have no prefix and so could be called `Type`. Maps make such entries, but no Swift types. */
export function nestedTypes(message: DescriptorProto): string[] {
  return [...message.nestedType.filter(({ options }) => options?.mapEntry !== true), ...message.enumType].map(
    ({ name }) => name,
  );
}
