import { fileURLToPath } from "node:url";
import { copyLinkedFiles, repairLinks } from "./links.ts";
import { SIDEBAR } from "./sidebar.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * The documentation as a site: `npm run docs:build`, into `artifacts/site`. Its pages are those of the repository, at the
 * same paths, so that a link that works in a checkout works here.
 */
export default {
  title: "Latchkey",
  description: "The access layer of a multi-tenant platform: API keys, users' tokens, tenants, scopes and limits.",
  lang: "en",
  // Where it is served below another path, such as /docs/, that path.
  base: process.env.DOCS_BASE ?? "/",
  srcDir: ROOT,
  srcExclude: ["**/node_modules/**", "**/dist/**", "artifacts/**", "third_party/**", "bench/**", ".stryker/**"],
  outDir: fileURLToPath(new URL("../../artifacts/site", import.meta.url)),
  cacheDir: fileURLToPath(new URL("../../node_modules/.cache/vitepress", import.meta.url)),
  // Web servers look for this name in a folder.
  rewrites: (path) => path.replace(/(^|\/)README\.md$/, "$1index.md"),
  markdown: {
    // As GitHub names them, since links in the pages name them so.
    anchor: {
      slugify: (heading) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
          .replaceAll(/\s/g, "-"),
    },
    languageAlias: { env: "ini", promql: "sql", caddyfile: "nginx" },
    config: (md) => repairLinks(md, ROOT),
  },
  themeConfig: {
    nav: [
      { text: "Guides", link: "/docs/" },
      { text: "Errors", link: "/docs/errors" },
      { text: "Configuration", link: "/docs/configuration" },
      { text: "Changes", link: "/CHANGELOG" },
    ],
    sidebar: SIDEBAR,
    search: { provider: "local" },
    outline: { level: [2, 3] },
  },
  buildEnd: ({ outDir }) => copyLinkedFiles(ROOT, outDir),
};
