import { dirname, relative } from "node:path/posix";
import type { DescFile } from "@bufbuild/protobuf";
import { embedFileDesc, pathInFileDesc } from "@bufbuild/protobuf/codegenv2";
import {
  createEcmaScriptPlugin,
  type GeneratedFile,
  type Printable,
  runNodeJs,
  type Schema,
} from "@bufbuild/protoplugin";

/** The folder of the client's code, seen from this plugin's own. */
const CLIENT = "../clients/typescript/src/gen";
/** Lets a bundler drop the descriptors that nothing uses. */
const PURE = "/*@__PURE__*/ ";

/**
 * The plugin of buf for the service's descriptors: run `npm run generate`.
 *
 * The client's code has no policies and no rules, which no page should load. The service reads both, so it needs descriptors of
 * its own. It takes all types, and so all comments, from the client's code.
 */
const plugin = createEcmaScriptPlugin({
  name: "protoc-gen-descriptors",
  version: "1",
  generateTs(schema) {
    for (const file of schema.files) generateFile(schema, file);
  },
});

function generateFile(schema: Schema, file: DescFile): void {
  const path = `${file.name}_pb.ts`;
  const f = schema.generateFile(path);
  const client = f.string(relative(dirname(path), `${CLIENT}/${path}`));
  f.preamble(file);
  f.print("import type * as client from ", client, ";");
  f.print("export type * from ", client, ";");
  f.print();
  const { fileDesc, messageDesc, enumDesc, extDesc, serviceDesc } = f.runtime.codegen;
  const { name } = f.importSchema(file);
  // As protoc-gen-es: without the options that only a plugin may see.
  const proto = schema.proto.protoFile.find((each) => each.name === file.proto.name) ?? file.proto;
  const dependencies = f.array(file.dependencies.map((each) => f.importSchema(each)));
  declare(f, name, [PURE, fileDesc, "(", f.string(embedFileDesc(proto).base64()), ", ", dependencies, ")"]);
  const makers = { message: messageDesc, enum: enumDesc, extension: extDesc, service: serviceDesc };
  for (const desc of schema.typesInFile(file)) {
    const place = [name, ...pathInFileDesc(desc)].join(", ");
    declare(f, f.importSchema(desc).name, [PURE, makers[desc.kind], `(${place})`]);
    if (desc.kind !== "enum") continue;
    const shape = f.importShape(desc).name;
    declare(f, shape, [`{ ${desc.values.map(({ localName, number }) => `${localName}: ${number}`).join(", ")} }`]);
    f.print(f.export("type", shape), ` = client.${shape};`);
  }
}

/** Prints a constant of the type that the client's constant of that name has. */
function declare(f: GeneratedFile, name: string, value: Printable): void {
  f.print(f.export("const", name), `: typeof client.${name} = `, value, ";");
}

runNodeJs(plugin);
