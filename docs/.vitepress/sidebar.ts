import { readdirSync, readFileSync } from "node:fs";

const DOCS = new URL("../", import.meta.url);

interface SidebarItem {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly SidebarItem[];
  readonly collapsed?: boolean;
}

/** Every page below `docs`, and the others that `docs/README.md` links to. The text of each is its first heading. */
export const SIDEBAR: readonly SidebarItem[] = [
  {
    text: "Begin",
    items: [
      { text: "What it is, and a first run", link: "/" },
      { text: "All pages, by reader", link: "/docs/" },
      { text: "TypeScript client", link: "/clients/typescript/" },
      { text: "Go client", link: "/clients/go/" },
      { text: "Python client", link: "/clients/python/" },
      { text: "Swift client", link: "/clients/swift/" },
      { text: "A chat in Swift", link: "/examples/swift/" },
      { text: "Kotlin", link: "/examples/kotlin/" },
      { text: "A guarded service", link: "/examples/plans/" },
      { text: "Reverse proxies", link: "/examples/" },
    ],
  },
  { text: "Guides", items: pagesOf("guides") },
  { text: "Identity providers", items: pagesOf("guides/identity"), collapsed: true },
  { text: "Reference", items: pagesOf("."), collapsed: true },
  { text: "Runbooks", items: pagesOf("runbooks"), collapsed: true },
  { text: "Decisions", items: pagesOf("adr"), collapsed: true },
];

function pagesOf(folder: string): SidebarItem[] {
  return readdirSync(new URL(`${folder}/`, DOCS))
    .filter((name) => name.endsWith(".md") && !(folder === "." && name === "README.md"))
    .sort((one, other) => Number(other === "README.md") - Number(one === "README.md") || one.localeCompare(other))
    .map((name) => ({ text: titleOf(`${folder}/${name}`), link: linkOf(folder, name) }));
}

function linkOf(folder: string, name: string): string {
  const { pathname } = new URL(`${folder}/${name.replace(/README\.md$/, "").replace(/\.md$/, "")}`, "http://x/docs/");
  return pathname;
}

function titleOf(path: string): string {
  const [, title = path] = /^# (.+)$/m.exec(readFileSync(new URL(path, DOCS), "utf8")) ?? [];
  return title.replaceAll("`", "");
}
