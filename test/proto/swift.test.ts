import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DescFile, fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { swiftNames } from "./swift-names.ts";
import { swiftProblems } from "./swift-problems.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const GENERATED = join(ROOT, "clients/typescript/src/gen/latchkey/v1");
const POLICY = "latchkey/v1/policy.proto";
const NARROWING = "latchkey/v1/narrowing.proto";
const EXAMPLE = join(ROOT, "examples/swift/connect/Sources/Example");

/** What a template gives its plugins of our protos: all files but some, without some types. */
async function inputOf(template: string): Promise<Record<"types" | "exclude_paths" | "exclude_types", string[]>> {
  const text = await readFile(join(ROOT, template), "utf8");
  const names = (name: string) =>
    [...(new RegExp(`^ +${name}:\n((?: +- .*\n)+)`, "m").exec(text)?.[1] ?? "").matchAll(/- (.*)/g)].map(
      ([, value = ""]) => value,
    );
  return { types: names("types"), exclude_paths: names("exclude_paths"), exclude_types: names("exclude_types") };
}

/**
 * The files that the generators would be given. The TypeScript client's own are those: a test below holds the two
 * templates to one input, and CI generates the client's code again. `buf build` itself knows no `exclude_types`. The
 * client's second input is the whole policy.proto, of which Swift has the enum alone, and it alone has narrowing.proto.
 */
const FILES: readonly FileDescriptorProto[] = await generatedFiles();

async function generatedFiles(): Promise<FileDescriptorProto[]> {
  const names = await readdir(GENERATED);
  const modules = await Promise.all(names.map((name): Promise<object> => import(join(GENERATED, name))));
  const files = modules.flatMap((exported) => Object.values(exported).filter(isFile));
  return files.map(({ proto }) => (proto.name === POLICY ? withEnumsAlone(proto) : proto)).filter(isOwn);
}

function isFile(value: { kind?: string }): value is DescFile {
  return value.kind === "file";
}

function withEnumsAlone(file: FileDescriptorProto): FileDescriptorProto {
  return { ...file, messageType: [], extension: [] };
}

function isOwn({ name }: FileDescriptorProto): boolean {
  return !name.startsWith("google/protobuf/") && name !== NARROWING;
}

/** The files of a folder, as the compiler reads them. */
function build(directory: string): FileDescriptorProto[] {
  const args = ["build", directory, "-o", "-", "--as-file-descriptor-set", "--exclude-source-info"];
  const image = execFileSync("buf", args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  return fromBinary(FileDescriptorSetSchema, image).file.filter(isOwn);
}

describe("the input of Swift's generators", () => {
  test("has every service, and nothing that they would reject, rename or generate badly, except what the contract fixes", async () => {
    const declared = build("proto").flatMap(({ service }) => service.map(({ name }) => name));
    const services = FILES.flatMap(({ service }) => service.map(({ name }) => name));
    expect(services.toSorted()).toEqual(declared.toSorted());
    expect(services.length).toBeGreaterThanOrEqual(10);
    expect(FILES.flatMap(({ messageType }) => messageType).length).toBeGreaterThan(30);
    expect(swiftProblems(FILES).toSorted()).toEqual([
      "Latchkey_V1_ApiKey.description is description_p",
      // Only its declaration is in backticks: after a dot, as in `.operator`, Swift needs none.
      "Latchkey_V1_Caller: CALLER_OPERATOR is a keyword",
      "Latchkey_V1_CreateApiKeyRequest.description is description_p",
      // Swift has such a member in backticks.
      "Latchkey_V1_CreateKeyFormatRequest.case is a keyword",
      "Latchkey_V1_CreateTenantKeyRequest.description is description_p",
      "Latchkey_V1_CreateWebhookRequest.description is description_p",
      // Likewise, as in `.required`.
      "Latchkey_V1_ErrorReason: ERROR_REASON_INTERNAL is a keyword",
      "Latchkey_V1_ErrorReason: ERROR_REASON_REQUIRED is a keyword",
      "Latchkey_V1_ImportedRow.description is description_p",
      "Latchkey_V1_KeyFormat.case is a keyword",
      "Latchkey_V1_Scope.description is description_p",
      "Latchkey_V1_UpdateApiKeyRequest.description is description_p",
      "Latchkey_V1_UpdateTenantKeyRequest.description is description_p",
      "Latchkey_V1_UpdateWebhookRequest.description is description_p",
      "Latchkey_V1_Webhook.description is description_p",
    ]);
  });

  test("is the input of the clients for all other languages", async () => {
    const swift = await inputOf("buf.gen.swift.yaml");
    // Otherwise a new service would have to be listed, here and in each template.
    expect(swift.types).toEqual([]);
    expect(swift.exclude_types.length).toBe(8);
    for (const language of ["go", "kotlin", "python"])
      expect([language, await inputOf(`buf.gen.${language}.yaml`)]).toEqual([language, swift]);
    // The TypeScript client refuses what its messages would not send, by the option of the members.
    const isOfOthers = (name: string) => !/narrowing/i.test(name);
    const { exclude_paths, exclude_types } = swift;
    expect(await inputOf("buf.gen.client.yaml")).toEqual({
      types: [],
      exclude_paths: exclude_paths.filter(isOfOthers),
      exclude_types: exclude_types.filter(isOfOthers),
    });
  });
});

test("every generated name in the example exists", async () => {
  const names = FILES.map(swiftNames);
  const types = new Set(names.flatMap((file) => file.types));
  const members = new Set([
    ...names.flatMap(({ messages }) => messages.flatMap((message) => message.members.map(({ name }) => name))),
    ...names.flatMap(({ enums }) => enums.flatMap(({ cases }) => cases.map(({ name }) => name))),
    ...names.flatMap(({ clients }) => clients.flatMap(({ methods }) => methods)),
  ]);
  // The transport knows nothing of what it carries.
  const files = (await readdir(EXAMPLE)).filter((file) => file !== "Transport.swift");
  const sources = files.map((file) => readFile(join(EXAMPLE, file), "utf8"));
  const text = (await Promise.all(sources)).join("\n");
  const writtenTypes = [...text.matchAll(/\bLatchkey_V1_\w+/g)].map(([name]) => name);
  expect(writtenTypes.length).toBeGreaterThanOrEqual(5);
  expect(writtenTypes.filter((name) => !types.has(name))).toEqual([]);
  const written = [
    ...text.matchAll(/\b(?:part|message|question|denial)\??\.(\w+)/g),
    ...text.matchAll(/userMessage\.(\w+)/g),
    ...text.matchAll(/case \.(\w+):/g),
    ...text.matchAll(/gateway\.(\w+)/g),
    ...text.matchAll(/(?:= |== )\.(\w+)/g),
  ].map(([, name = ""]) => name);
  expect(written.length).toBeGreaterThanOrEqual(12);
  expect(written.filter((name) => !members.has(name))).toEqual([]);
});

describe("the check", () => {
  const file = (body: string): string => `syntax = "proto3";\npackage latchkey.v1;\n${body}\n`;

  test.each<[problem: string, source: string]>([
    ["Latchkey_V1_M.hash_value is hashValue_p", file("message M { string hash_value = 1; }")],
    ["Latchkey_V1_M.has_limit is hasLimit_p", file("message M { bool has_limit = 1; }")],
    ["Latchkey_V1_M.default is a keyword", file("message M { string default = 1; }")],
    ["Latchkey_V1_M has two members userID", file("message M { string user_id = 1; string user_ID = 2; }")],
    ["Latchkey_V1_M has two members hasA", file("message M { optional string a = 1; bool has_a = 2; }")],
    ["Latchkey_V1_E: A lacks the enum's name as prefix", file("enum E { E_U = 0; A = 1; }")],
    ["Latchkey_V1_Http: HTTP_404 lacks the enum's name as prefix", file("enum Http { HTTP_U = 0; HTTP_404 = 1; }")],
    ["Latchkey_V1_E: E_INIT is init_", file("enum E { E_U = 0; E_INIT = 1; }")],
    ["Latchkey_V1_E: E_DEFAULT is a keyword", file("enum E { E_U = 0; E_DEFAULT = 1; }")],
    ["two types are Latchkey_V1_SClient", file("message M {} message SClient {} service S { rpc R(M) returns (M); }")],
    [
      "Latchkey_V1_SClient has two methods getID",
      file("message M {} service S { rpc GetId(M) returns (M); rpc GetID(M) returns (M); }"),
    ],
    ["Latchkey_V1_SClient.repeat is a keyword", file("message M {} service S { rpc Repeat(M) returns (M); }")],
    ["a.proto: S.R streams", file("message M {} service S { rpc R(M) returns (stream M); }")],
    ["a.proto: M.Type is nested", file("message M { enum Type { TYPE_U = 0; } }")],
    ["a.proto: M.kind is a oneof", file("message M { oneof kind { string a = 1; } }")],
    ["a.proto: swift_prefix renames every type", file('option swift_prefix = "LK";')],
    ["a.proto: is not proto3", 'syntax = "proto2"; package latchkey.v1; message M { required string a = 1; }'],
    ["a.proto: without a package, types have no prefix", 'syntax = "proto3"; message M {}'],
    [
      "a.proto: has extensions",
      file('import "google/protobuf/descriptor.proto"; extend google.protobuf.FieldOptions { string o = 50000; }'),
    ],
  ])("finds that %s", async (problem, source) => {
    const directory = await mkdtemp(join(tmpdir(), "latchkey-proto-"));
    try {
      await writeFile(join(directory, "a.proto"), source);
      expect(swiftProblems(build(directory))).toContain(problem);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  test("finds a foreign import and two files of one name", async () => {
    const [first, ...others] = FILES;
    if (first === undefined) throw new Error("there is no file");
    const moved = {
      ...first,
      name: `latchkey/v2/${first.name.split("/").at(-1)}`,
      dependency: ["buf/validate/validate.proto"],
    };
    const problems = swiftProblems([first, moved, ...others]);
    expect(problems).toContain(`two files are ${swiftNames(first).file}.pb.swift`);
    expect(problems).toContain(`${moved.name}: imports buf/validate/validate.proto`);
  });
});
