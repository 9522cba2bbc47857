import { readFileSync } from "node:fs";
import { createEcmaScriptPlugin, runNodeJs } from "@bufbuild/protoplugin";
import { htmlOf } from "./html.ts";
import { withSections } from "./page.ts";
import { rowsOf } from "./rows.ts";
import { markdownSections } from "./sections.ts";

const PAGE = new URL("../../docs/errors.md", import.meta.url);

/**
 * The plugin of buf that renews the denials in `docs/errors.md`; with `format=html`, it makes the same page for the
 * service, which serves it at `/docs/errors`.
 */
const plugin = createEcmaScriptPlugin({
  name: "protoc-gen-errors",
  version: "2",
  parseOptions(options) {
    return { isHtml: options.some(({ key, value }) => key === "format" && value === "html") };
  },
  generateTs(schema) {
    const reasons = schema.files.flatMap(({ enums }) => enums).find(({ name }) => name === "DenialReason");
    if (reasons === undefined) throw new Error("the protos have no enum DenialReason");
    const page = withSections(readFileSync(PAGE, "utf8"), markdownSections(rowsOf(reasons)));
    if (schema.options.isHtml) {
      schema.generateFile("errors.json").print(JSON.stringify({ html: htmlOf(page) }, null, 2));
    } else {
      schema.generateFile("errors.md").print(page.trimEnd());
    }
  },
});

runNodeJs(plugin);
