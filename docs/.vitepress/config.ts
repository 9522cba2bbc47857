import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { groupLabelledCode } from "./code-groups.ts";
import { drawDiagrams } from "./diagrams.ts";
import { HOME } from "./home.ts";
import { showExpressions } from "./interpolation.ts";
import { copyLinkedFiles, repairLinks, siteName } from "./links.ts";
import { SIDEBAR } from "./sidebar.ts";

/** It is among the packages that are installed when first needed, which these files cannot import by name. */
const MERMAID = fileURLToPath(new URL("../../tools/on-demand/node_modules/@mermaid-js/tiny", import.meta.url));
const MARK = readFileSync(new URL("../../console/src/icon.svg", import.meta.url), "utf8");
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * The documentation as a site: `npm run docs:build`, into `artifacts/site`. Its pages are those of the repository, at the
 * same paths, so that a link that works in a checkout works here.
 */
export default {
  title: "Latchkey",
  description: "The access layer of a multi-tenant platform: API keys, users' tokens, tenants, scopes and limits.",
  lang: "en",
  // In the page itself: a file of its own would be looked for below another path than `base`.
  head: [["link", { rel: "icon", href: `data:image/svg+xml,${encodeURIComponent(MARK)}` }]],
  // Where it is served below another path, such as /docs/, that path.
  base: process.env.DOCS_BASE ?? "/",
  srcDir: ROOT,
  srcExclude: ["**/node_modules/**", "**/dist/**", "artifacts/**", "third_party/**", "bench/**", ".stryker/**"],
  outDir: fileURLToPath(new URL("../../artifacts/site", import.meta.url)),
  cacheDir: fileURLToPath(new URL("../../node_modules/.cache/vitepress", import.meta.url)),
  rewrites: siteName,
  transformPageData({ relativePath }) {
    if (relativePath === "index.md") return { frontmatter: HOME };
    // Its table needs the room.
    return relativePath === "docs/comparison.md"
      ? { frontmatter: { aside: false, pageClass: "comparison" } }
      : undefined;
  },
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
    config(md) {
      repairLinks(md, ROOT);
      showExpressions(md);
      groupLabelledCode(md);
      drawDiagrams(md);
    },
  },
  vite: { resolve: { alias: { "@mermaid-js/tiny": MERMAID } } },
  themeConfig: {
    logo: `data:image/svg+xml,${encodeURIComponent(MARK)}`,
    nav: [
      { text: "Guides", link: "/docs/guides/first-call", activeMatch: "^/docs/guides/" },
      { text: "API", link: "/docs/api/", activeMatch: "^/docs/api/" },
      { text: "Errors", link: "/docs/errors" },
      { text: "Operation", link: "/docs/guides/deploy" },
      { text: "Changes", link: "/CHANGELOG" },
    ],
    sidebar: SIDEBAR,
    search: { provider: "local" },
    outline: { level: [2, 3] },
  },
  buildEnd: ({ outDir }) => copyLinkedFiles(ROOT, outDir),
};
