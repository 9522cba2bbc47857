// promise: cli.options
import { clone, create, createFileRegistry, type DescMessage, type FileRegistry } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import { Command } from "commander";
import { expect, test } from "vitest";
import { ApiKeySchema, KeyPolicyService, UpdateApiKeyRequestSchema } from "../../../clients/typescript/src/index.ts";
import { SERVICES } from "../../../test/harness/services.ts";
import { commandNodes } from "../completion/command-tree.ts";
import { processTerminal } from "../output/terminal.ts";
import { addRpcs } from "./add-rpcs.ts";
import { columnsOf } from "./columns.ts";
import { EXCEPTIONS, WITHOUT_COMMAND } from "./exceptions.ts";
import { FLAGS, HELP, memberOptions, VALUES } from "./member-options.ts";
import { membersOf } from "./request.ts";
import { factsOf, RPCS } from "./services.ts";
import { EMPTY_AT_ZERO, HIDDEN, TABLES, TONES } from "./tables.ts";

/** The file of a message whose message of that name has one member more: the text `team`. */
function withTeam({ name, file }: DescMessage): FileRegistry {
  const proto = clone(FileDescriptorProtoSchema, file.proto);
  const { OPTIONAL: label } = FieldDescriptorProto_Label;
  const { STRING: type } = FieldDescriptorProto_Type;
  const team = create(FieldDescriptorProtoSchema, { name: "team", jsonName: "team", number: 999, label, type });
  proto.messageType.find((each) => each.name === name)?.field.push(team);
  return createFileRegistry(proto, (path) => file.dependencies.find((each) => each.proto.name === path));
}

test("a member that a request gets is an option, and in the mask", () => {
  const method = withTeam(UpdateApiKeyRequestSchema).getService("latchkey.v1.ApiKeyService")?.method.updateApiKey;
  if (method === undefined) throw new Error("there is no UpdateApiKey");
  const options = memberOptions(method, ["key_id"]);
  expect(options.map(({ option }) => option.flags)).toContain("--team <text>");
  expect(membersOf(options, { team: "billing" })).toEqual({ team: "billing", updateMask: "team" });
});

test("a member that a key gets is a line of its record, and in no table", () => {
  const key = withTeam(ApiKeySchema).getMessage("latchkey.v1.ApiKey");
  if (key === undefined) throw new Error("there is no ApiKey");
  expect(columnsOf(key).filter(({ name }) => name === "team")).toMatchObject([{ onlyInRecord: true }]);
});

test("every RPC has a command, or stands in the list of those without one, with the reason", () => {
  const all = SERVICES.flatMap(({ name, methods }) => methods.map((method) => `${name}.${method.name}`));
  expect(RPCS.map(({ name }) => name).toSorted()).toEqual(all.toSorted());
  const program = new Command();
  addRpcs(program, { env: {}, terminal: processTerminal() });
  const made = commandNodes(program).filter(({ commands }) => commands.length === 0);
  expect(made).toHaveLength(all.length - Object.keys(WITHOUT_COMMAND).length);
  for (const name of all)
    expect(factsOf(name), name).toMatchObject({ help: expect.stringMatching(/./), path: expect.stringMatching(/\w/) });
});

test("a message is an option with its JSON, as the API has it", () => {
  const options = memberOptions(KeyPolicyService.method.setKeyPolicy, []);
  expect(options.map(({ option }) => option.flags)).toEqual(["--policy <json>"]);
  expect(membersOf(options, { policy: { max_lifetime_hours: 24 } })).toMatchObject({
    policy: { maxLifetimeHours: 24 },
  });
  expect(() => membersOf(options, { policy: { lifetime: 24 } })).toThrow(/^--policy is not the JSON of a KeyPolicy: /);
});

test("all that is written by hand is about an RPC, a message or a member that there is", () => {
  const methods = RPCS.map(({ method }) => method);
  for (const name of [...Object.keys(EXCEPTIONS), ...Object.keys(WITHOUT_COMMAND)])
    expect(RPCS.map((rpc) => rpc.name)).toContain(name);
  const asked = methods.flatMap(({ input }) => input.fields.flatMap(({ name }) => [name, `${input.name}.${name}`]));
  expect(asked).toEqual(expect.arrayContaining([...Object.keys(FLAGS), ...Object.keys(HELP), ...Object.keys(VALUES)]));
  const messages = new Set(
    SERVICES.flatMap(({ methods }) =>
      methods.flatMap(({ output }) => [output, ...output.fields.flatMap((field) => nested(field))]),
    ),
  );
  const shown = [...messages].flatMap(({ name, fields }) => [
    name,
    ...fields.flatMap((field) => [field.name, `${name}.${field.name}`]),
  ]);
  const named = [...Object.keys(TABLES), ...HIDDEN, ...EMPTY_AT_ZERO, ...Object.keys(TONES)];
  expect(shown).toEqual(expect.arrayContaining(named));
});

/** The messages of a member, and of its members. */
function nested({ message }: DescMessage["fields"][number], depth = 0): DescMessage[] {
  if (message === undefined || depth > 2) return [];
  return [message, ...message.fields.flatMap((field) => nested(field, depth + 1))];
}
