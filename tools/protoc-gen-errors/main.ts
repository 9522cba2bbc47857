import { readFileSync } from "node:fs";
import { createEcmaScriptPlugin, runNodeJs } from "@bufbuild/protoplugin";
import { htmlOf } from "./html.ts";
import { pageOf } from "./page.ts";

const PAGE = new URL("../../docs/errors.md", import.meta.url);

/**
 * The plugin of buf that renews the reasons in `docs/errors.md`; with `format=html`, it makes the same page for the
 * service, which serves it at `/docs/errors`.
 */
const plugin = createEcmaScriptPlugin({
  name: "protoc-gen-errors",
  version: "2",
  parseOptions(options) {
    return { isHtml: options.some(({ key, value }) => key === "format" && value === "html") };
  },
  generateTs(schema) {
    const page = pageOf(
      readFileSync(PAGE, "utf8"),
      schema.files.flatMap(({ enums }) => enums),
    );
    if (schema.options.isHtml) {
      schema.generateFile("errors.json").print(JSON.stringify({ html: htmlOf(page) }, null, 2));
    } else {
      schema.generateFile("errors.md").print(page.trimEnd());
    }
  },
});

runNodeJs(plugin);
