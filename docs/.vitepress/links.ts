import { statSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { MarkdownIt } from "markdown-it";

/** Below this path the site has the files of the repository that pages link to, as text. */
const COPIES = "files";

/** Paths of the linked files, from the root of the repository. */
const linked = new Set<string>();

/** The name of a page on the site. Web servers look for `index` in a folder; the site's first page is not the README. */
export function siteName(path: string): string {
  if (path === "docs/home.md") return "index.md";
  if (path === "README.md") return "overview.md";
  return path.replace(/(^|\/)README\.md$/, "$1index.md");
}

/**
 * Makes links of the repository links of the site: those to a README lead to the page's new name, those to a file that is no
 * page to a copy of it. A link to a folder becomes plain text. Throws where a link leads to nothing.
 */
export function repairLinks(md: MarkdownIt, root: string): void {
  md.core.ruler.push("repository-links", ({ tokens, env }) => {
    const page: string = env.realPath ?? env.path;
    for (const token of tokens) {
      let isFolder = false;
      const kept = (token.children ?? []).filter((child) => {
        if (child.type === "link_close") return !isFolder;
        if (child.type !== "link_open") return true;
        const href = repaired(String(child.attrGet("href")), page, root);
        isFolder = href === undefined;
        if (href !== undefined) child.attrSet("href", href);
        return !isFolder;
      });
      if (token.children !== null) token.children = kept;
    }
  });
}

/** Called after the build. */
export async function copyLinkedFiles(root: string, outDir: string): Promise<void> {
  for (const path of linked) {
    const copy = join(outDir, COPIES, `${path}.txt`);
    await mkdir(dirname(copy), { recursive: true });
    await copyFile(join(root, path), copy);
  }
}

/** Undefined for a folder. */
function repaired(href: string, page: string, root: string): string | undefined {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return href;
  const [target = "", section] = href.split("#", 2);
  const file = join(dirname(page), decodeURIComponent(target));
  const path = relative(root, file);
  if (path.endsWith(".md")) return `/${siteName(path)}${section === undefined ? "" : `#${section}`}`;
  if (path.startsWith("..")) throw new Error(`${page}: ${href} leads out of the repository`);
  if (statSync(file).isDirectory()) return undefined;
  linked.add(path);
  return `/${COPIES}/${path}.txt`;
}
