import { type DescField, type DescMethod, getOption } from "@bufbuild/protobuf";
import { createEcmaScriptPlugin, runNodeJs } from "@bufbuild/protoplugin";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { json_member } from "../../gen/latchkey/v1/documentation_pb.ts";
import { paragraphsOf } from "../protoc-gen-openapi/comments.ts";
import { ruleKeywords } from "../protoc-gen-openapi/rules.ts";

/** More values than a line of help has room for. */
const CHOICES_MAX = 8;

/**
 * The plugin of buf that writes `commands.json`, what the command `latchkey` needs of the protos and the client's descriptors lack: each
 * RPC's path and comment, and of each member of a request the comment and the rules. It reads the code generated before it.
 */
const plugin = createEcmaScriptPlugin({
  name: "protoc-gen-commands",
  version: "1",
  generateTs(schema) {
    const methods = schema.files.flatMap((file) => file.services).flatMap(({ methods }) => methods);
    const facts = methods.flatMap((method) => [
      [`${method.parent.name}.${method.name}`, ofMethod(method)],
      ...method.input.fields.map((field) => [`${method.input.name}.${field.name}`, ofField(field)]),
    ]);
    const lines = facts.map(([name, fact]) => `  ${JSON.stringify(name)}: ${JSON.stringify(fact)}`);
    schema.generateFile("commands.json").print("{\n", lines.join(",\n"), "\n}");
  },
});

function ofMethod(method: DescMethod) {
  const { pattern } = getOption(method, http);
  const path = pattern.case === "post" ? pattern.value : "";
  return { path: path.replace("/api/v1/", ""), help: imperative(sentenceOf(method)) };
}

/** Without what does not hold, which would be most of it. */
function ofField(field: DescField) {
  const { own, required } = ruleKeywords(field);
  const { minimum, maximum, enum: choices } = own;
  const [first = ""] = paragraphsOf(field);
  const isOfUpdate = field.parent.fields.some(({ name }) => name === "update_mask");
  const [kind, value] = absentMeaning(first);
  const help = withoutLimits(sentenceOf(field));
  return {
    help: kind === undefined ? help : help.split(" Default", 1)[0],
    // In an update, a member that is named in its mask and absent is cleared.
    ...(kind === "Absent" && isOfUpdate ? { clearable: true } : value !== undefined && { default: value }),
    ...((required || getOption(field, json_member).required) && { required: true }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(Array.isArray(choices) && choices.length <= CHOICES_MAX && { choices }),
  };
}

/** What the comment of a member says of its absence: `Default: 60.`, `Absent: none.` */
function absentMeaning(comment: string): readonly (string | undefined)[] {
  const found = /\b(Default(?: \S+)?|Absent): /.exec(comment);
  if (found === null) return [];
  const rest = comment.slice(found.index + found[0].length);
  const end = rest.search(/[.;](?:\s|$)/);
  return end === -1 ? [] : [found[1], rest.slice(0, end)];
}

/** The first sentence of a comment, as help has it. The names of members keep their backticks, and become those of options. */
function sentenceOf(desc: DescField | DescMethod): string {
  const [first = ""] = paragraphsOf(desc);
  const [, sentence = first] = /^(.*?)\.(?:\s|$)/.exec(first) ?? [];
  const text = sentence.startsWith(`${desc.name} `) ? sentence.slice(desc.name.length + 1) : sentence;
  return /^[A-Z](?:[a-z]| )/.test(text) ? text.slice(0, 1).toLowerCase() + text.slice(1) : text;
}

/** `lists the keys, as ListApiKeys does` as `list the keys`. */
function imperative(text: string): string {
  const [own = ""] = text.split(/, as [A-Z]\w+ does/, 1);
  return own.replace(/^(\w+?)(?:(?<=ch|sh|ss|x)es|s)\b/, "$1").replace("`update_mask` names", "the options name");
}

/** The service's message has the limit that a text exceeds. */
function withoutLimits(text: string): string {
  return text.replace(/[:;,] (?:at most|1 to) [\d,]+ characters(?:, at least one of them visible)?/, "");
}

runNodeJs(plugin);
