import { readFileSync } from "node:fs";
import type { Kind, Tag } from "./tags.ts";

export const FOLDER = new URL("../../docs/reference/", import.meta.url);

interface Page {
  readonly kind: Kind;
  /** Beside this page, in docs. */
  readonly source: string;
  readonly name: string;
  readonly title: string;
}

export const PAGES: readonly Page[] = [
  { kind: "promise", source: "promises.md", name: "promise-tests.md", title: "Tests of the promises" },
  { kind: "threat", source: "threats.md", name: "threat-tests.md", title: "Tests of the threats" },
];

/** The ids of docs/promises.md or docs/threats.md, in their order. */
export function idsOf(source: string): string[] {
  const text = readFileSync(new URL(`../${source}`, FOLDER), "utf8");
  return [...text.matchAll(/^- \*\*([\w.-]+)\*\*/gm)].map(([, id = ""]) => id);
}

/** The page that lists the tests of each id. */
export function pageOf({ kind, source, title }: Page, tags: readonly Tag[]): string {
  const lines = idsOf(source).flatMap((id) => [
    `- **${id}**`,
    ...new Set(tags.filter((tag) => tag.kind === kind && tag.id === id).map(lineOf)),
  ]);
  return `# ${title}

<!-- Written by npm run generate from the tags in the tests. -->

The tests that hold each ${kind} of [${source}](../${source}). A file without a name of a test is meant as a whole; \`%s\` and \`$name\`
stand for the cases that a test runs.

${lines.join("\n")}
`;
}

function lineOf({ path, test }: Tag): string {
  const link = `[${path}](../../${path})`;
  return `  - ${test === undefined ? link : `${link}: ${test.replaceAll(/[*_<`\\[\]]/g, String.raw`\$&`)}`}`;
}
