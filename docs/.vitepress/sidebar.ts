import { readdirSync, readFileSync } from "node:fs";
import { referencePages } from "./api-reference.ts";

const DOCS = new URL("../", import.meta.url);

interface SidebarItem {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly SidebarItem[];
  readonly collapsed?: boolean;
}

/** Pages of `docs`, without their ending; the first list has those that the sidebar links to otherwise. */
const ELSEWHERE = ["README", "home"];
const START = ["guides/first-call", "guides/app", "guides/guard", "guides/console"];
const KEYS = [
  ...["guides/limits", "guides/rotation", "guides/fenced-keys", "guides/leaked-keys"],
  ...["guides/impersonation", "guides/agent-tokens", "guides/workload-identity", "guides/migrate"],
  ...["guides/denied-requests", "guides/audit", "guides/webhooks"],
];
const PEOPLE = ["authorization", "guides/organizations"];
const CLIENTS = ["guides/other-languages", "guides/guard-connect", "guides/edge", "guides/mcp", "guides/command-line"];
const REFERENCE = ["errors", "promises", "consistency", "versions", "comparison"];
const OPERATION = [
  ...["guides/deploy", "guides/production", "configuration", "storage", "processes", "monitoring", "outages"],
  ...["operator", "guides/upgrades", "least-privilege"],
  ...["guides/token-keys", "guides/erasure", "scale", "benchmarks", "threats"],
];
const INTERNALS = ["architecture", "glossary", "testing", "soak", "dependencies"];
const PLACED = new Set([ELSEWHERE, START, KEYS, PEOPLE, CLIENTS, REFERENCE, OPERATION, INTERNALS].flat());

/**
 * In the order in which people need the pages: those who call, those who operate, those who change the code. The text of a page is its
 * first heading. A new page that has no place here comes last in its group.
 */
export const SIDEBAR: readonly SidebarItem[] = [
  {
    text: "Start",
    items: [
      { text: "What it is, and a first run", link: "/overview" },
      ...START.map(itemOf),
      { text: "All pages, by reader", link: "/docs/" },
    ],
  },
  { text: "Keys", items: [...KEYS, ...unplaced("guides")].map(itemOf) },
  {
    text: "People",
    items: [
      ...PEOPLE.map(itemOf),
      { text: "Identity providers", items: pagesOf("guides/identity").map(itemOf), collapsed: true },
    ],
  },
  {
    text: "Clients",
    items: [
      { text: "TypeScript", link: "/clients/typescript/" },
      { text: "Go", link: "/clients/go/" },
      { text: "Python", link: "/clients/python/" },
      { text: "Swift", link: "/clients/swift/" },
      ...CLIENTS.map(itemOf),
      { text: "Kotlin", link: "/examples/kotlin/" },
      { text: "A chat in Swift", link: "/examples/swift/" },
      { text: "A guarded service", link: "/examples/plans/" },
      { text: "A guarded MCP server", link: "/examples/mcp/" },
      { text: "Reverse proxies", link: "/examples/" },
    ],
  },
  {
    text: "Reference",
    items: [
      {
        text: "API",
        items: referencePages().map(({ name, title }) => ({
          text: name === "index" ? "All operations" : title,
          link: `/docs/api/${name === "index" ? "" : name}`,
        })),
        collapsed: true,
      },
      ...[...REFERENCE, ...unplaced(".")].map(itemOf),
      { text: "Changes", link: "/CHANGELOG" },
    ],
  },
  {
    text: "Operation",
    items: [...OPERATION.map(itemOf), { text: "Runbooks", items: pagesOf("runbooks").map(itemOf), collapsed: true }],
  },
  {
    text: "Internals",
    items: [
      ...INTERNALS.map(itemOf),
      { text: "Contributing", link: "/CONTRIBUTING" },
      { text: "Releases", link: "/RELEASING" },
      { text: "Decisions", items: pagesOf("adr").map(itemOf), collapsed: true },
    ],
    collapsed: true,
  },
];

/** The pages of a folder, its README first. */
function pagesOf(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, DOCS))
    .filter((name) => name.endsWith(".md") && !name.startsWith("["))
    .sort((one, other) => Number(other === "README.md") - Number(one === "README.md") || one.localeCompare(other))
    .map((name) => `${folder}/${name.replace(/\.md$/, "")}`.replace("./", ""));
}

function unplaced(folder: string): string[] {
  return pagesOf(folder).filter((page) => !PLACED.has(page));
}

function itemOf(page: string): SidebarItem {
  return { text: titleOf(page), link: `/docs/${page.replace(/README$/, "")}` };
}

function titleOf(page: string): string {
  const [, title = page] = /^# (.+)$/m.exec(readFileSync(new URL(`${page}.md`, DOCS), "utf8")) ?? [];
  return title.replaceAll("`", "");
}
