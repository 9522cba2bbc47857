import { createEcmaScriptPlugin, runNodeJs } from "@bufbuild/protoplugin";
import { buildDocument } from "./document.ts";

/** The plugin of buf that writes `openapi.json`. It reads the code generated before it: run `npm run generate`. */
const plugin = createEcmaScriptPlugin({
  name: "protoc-gen-openapi",
  version: "1",
  generateTs(schema) {
    const document = buildDocument(schema.files.flatMap((file) => file.services));
    schema.generateFile("openapi.json").print(JSON.stringify(document, null, 2));
  },
});

runNodeJs(plugin);
