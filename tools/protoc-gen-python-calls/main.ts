import { createEcmaScriptPlugin, runNodeJs } from "@bufbuild/protoplugin";
import { callsModule, messagesModule } from "./modules.ts";

/** The plugin of buf that writes the Python client's calls: run `npm run generate:python`. */
const plugin = createEcmaScriptPlugin({
  name: "protoc-gen-python-calls",
  version: "1",
  generateTs(schema) {
    schema.generateFile("latchkey/_calls.py").print(callsModule(schema.files.flatMap((file) => file.services)));
    schema
      .generateFile("latchkey/v1/__init__.py")
      .print(messagesModule(schema.files.filter((file) => file.proto.package === "latchkey.v1")));
  },
});

runNodeJs(plugin);
