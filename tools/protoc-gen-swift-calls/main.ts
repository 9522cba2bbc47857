import type { DescFile } from "@bufbuild/protobuf";
import { createEcmaScriptPlugin, runNodeJs } from "@bufbuild/protoplugin";
import { serviceOf } from "./calls.ts";
import { enumOf, structOf } from "./models.ts";
import { fileName } from "./names.ts";
import { reasonsOf } from "./reasons.ts";
import { indented } from "./text.ts";
import { messagesWithin } from "./types.ts";

const HEADER = "// Generated from the protos by `npm run generate:swift`. Do not edit.";
/** By hand in the package, in the form that errors have in JSON. */
const OF_ERRORS = [
  "latchkey.v1.Denial",
  "latchkey.v1.ErrorInfo",
  "latchkey.v1.DenialReason",
  "latchkey.v1.ErrorReason",
];

/** The plugin of buf that writes the Swift client's models and calls. It reads the code that `npm run generate` makes before it. */
const plugin = createEcmaScriptPlugin({
  name: "protoc-gen-swift-calls",
  version: "1",
  generateTs(schema) {
    const files = schema.files.filter(({ proto }) => proto.package === "latchkey.v1");
    const methods = files.flatMap((file) => file.services).flatMap((service) => service.methods);
    const inputs = methods.map(({ input }) => input);
    const requested = messagesWithin(inputs);
    const used = new Set([...messagesWithin([...inputs, ...methods.map(({ output }) => output)])]);
    const usedEnums = new Set([...used].flatMap(({ fields }) => fields.flatMap((field) => field.enum ?? [])));
    const declarations = ({ services, enums, messages }: DescFile): string[][] => [
      ...enums.filter((desc) => usedEnums.has(desc) && !OF_ERRORS.includes(desc.typeName)).map(enumOf),
      ...messages
        .filter((message) => used.has(message) && !OF_ERRORS.includes(message.typeName))
        .map((message) => structOf(message, requested, inputs.includes(message))),
      ...services.map((service) => serviceOf(service, requested)),
    ];
    for (const file of files) {
      const made = declarations(file);
      if (made.length === 0) continue;
      const body = made.flatMap((lines, index) => [...(index === 0 ? [] : [""]), ...indented(lines, 4)]);
      schema
        .generateFile(`${fileName(file.name)}.swift`)
        .print([HEADER, "", "import Foundation", "", "extension V1 {", ...body, "}"].join("\n"));
    }
    const reasons = files.flatMap(({ enums }) => enums).filter(({ name }) => /^(Denial|Error)Reason$/.test(name));
    schema.generateFile("Reasons.swift").print([HEADER, "", ...reasonsOf(reasons)].join("\n"));
  },
});

runNodeJs(plugin);
