import { readFileSync } from "node:fs";
import { createEcmaScriptPlugin, runNodeJs } from "@bufbuild/protoplugin";
import { withTable } from "./page.ts";
import { markdownTable, rowsOf } from "./table.ts";

const PAGE = new URL("../../docs/errors.md", import.meta.url);

/** The plugin of buf that renews the table of denials in `docs/errors.md`. */
const plugin = createEcmaScriptPlugin({
  name: "protoc-gen-errors",
  version: "1",
  generateTs(schema) {
    const reasons = schema.files.flatMap(({ enums }) => enums).find(({ name }) => name === "DenialReason");
    if (reasons === undefined) throw new Error("the protos have no enum DenialReason");
    const page = withTable(readFileSync(PAGE, "utf8"), markdownTable(rowsOf(reasons)));
    schema.generateFile("errors.md").print(page.trimEnd());
  },
});

runNodeJs(plugin);
