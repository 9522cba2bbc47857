import type { FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import { nestedTypes, type SwiftNames, swiftNames } from "./swift-names.ts";

/** SwiftProtobuf appends `_p` to a property of these names: each message has one of its own, or Swift has. */
const RESERVED_PROPERTIES = new Set(
  `isInitialized unknownFields debugDescription description dynamicType hashValue init self Type Protocol Bool Data Double
   Float Int Int32 Int64 String UInt UInt32 UInt64`.split(/\s+/),
);
/** It appends `_` to a case of these names, whatever quoting does. */
const RESERVED_CASES = new Set(
  "allCases debugDescription description dynamicType hashValue init rawValue self".split(" "),
);
/** Names that must stand in backticks wherever they are written. */
const KEYWORDS = new Set(
  `associatedtype class deinit enum extension fileprivate func import init inout internal let open operator private
   protocol public static struct subscript typealias var break case continue default defer do else fallthrough for guard
   if in repeat return switch where while as Any catch false is nil rethrows super self Self throw throws true try
   associativity dynamicType optional required`.split(/\s+/),
);

/** What SwiftProtobuf and connect-swift would refuse, rename or generate badly, one sentence each. */
export function swiftProblems(files: readonly FileDescriptorProto[]): string[] {
  const names = files.map(swiftNames);
  return [
    ...files.flatMap(unsupported),
    // A Swift module has no two files of one name, whatever their folders.
    ...twice(names.map(({ file }) => file)).map((name) => `two files are ${name}.pb.swift`),
    // All generated code is one module, so each type has one name in it, the clients' among them.
    ...twice(names.flatMap(({ types }) => types)).map((name) => `two types are ${name}`),
    ...names.flatMap(memberProblems),
    ...names.flatMap(caseProblems),
    ...names.flatMap(methodProblems),
  ];
}

/** What the generators take, but not to the good of those who call. */
function unsupported(file: FileDescriptorProto): string[] {
  const problems: string[] = [];
  const report = (holds: boolean, problem: string): void => void (holds && problems.push(`${file.name}: ${problem}`));
  // An empty prefix removes the namespace, and another renames every type that apps use.
  report((file.options?.swiftPrefix ?? "") !== "", "swift_prefix renames every type");
  report(file.package === "", "without a package, types have no prefix");
  // proto2's defaults, required fields and groups have APIs of their own; editions need the newest generators.
  report(file.syntax !== "proto3", "is not proto3");
  // An extension needs a registry at run time, and the options it extends are of no use to a client.
  report(file.extension.length > 0, "has extensions");
  // SwiftProtobuf brings the well-known types; any other file would have to be generated into the app, too.
  const foreign = file.dependency.filter((name) => !/^(google\/protobuf|latchkey)\//.test(name));
  for (const name of foreign) report(true, `imports ${name}`);
  for (const message of file.messageType) {
    // Nested types get no prefix, so `Type`, `Protocol` or `Error` would hide Swift's own.
    for (const nested of nestedTypes(message)) report(true, `${message.name}.${nested} is nested`);
    // A oneof becomes an enum and a property, and its cases clash with other rules than these.
    for (const { name } of message.oneofDecl) report(!name.startsWith("_"), `${message.name}.${name} is a oneof`);
  }
  for (const { name, method } of file.service) {
    // URLSession cannot stream both ways, so such an RPC would work on some of the clients only.
    for (const rpc of method) report(rpc.clientStreaming || rpc.serverStreaming, `${name}.${rpc.name} streams`);
  }
  return problems;
}

function memberProblems({ messages }: SwiftNames): string[] {
  return messages.flatMap(({ name, members }) => [
    ...twice(members.flatMap((member) => [member.name, ...member.companions])).map(
      (n) => `${name} has two members ${n}`,
    ),
    ...members
      // `hasX` and `clearX` are what SwiftProtobuf calls the companions of a field `x`.
      .filter((member) => RESERVED_PROPERTIES.has(member.name) || /^(has|clear)[A-Z]/.test(member.name))
      .map((member) => `${name}.${member.proto} is ${member.name}_p`),
    ...members.filter((member) => KEYWORDS.has(member.name)).map((member) => `${name}.${member.proto} is a keyword`),
  ]);
}

/** Cases that come out alike would get their numbers appended, but the compiler refuses those before. */
function caseProblems({ enums }: SwiftNames): string[] {
  return enums.flatMap(({ name, cases }) => [
    ...cases.filter((each) => !each.isStripped).map((each) => `${name}: ${each.proto} lacks the enum's name as prefix`),
    ...cases.filter((each) => RESERVED_CASES.has(each.name)).map((each) => `${name}: ${each.proto} is ${each.name}_`),
    ...cases.filter((each) => KEYWORDS.has(each.name)).map((each) => `${name}: ${each.proto} is a keyword`),
  ]);
}

function methodProblems({ clients }: SwiftNames): string[] {
  return clients.flatMap(({ name, methods }) => [
    ...twice(methods).map((method) => `${name} has two methods ${method}`),
    ...methods.filter((method) => KEYWORDS.has(method)).map((method) => `${name}.${method} is a keyword`),
  ]);
}

function twice(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))];
}
