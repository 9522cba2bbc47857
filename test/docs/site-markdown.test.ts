import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import MarkdownIt from "markdown-it";
import { describe, expect, test } from "vitest";
import { referencePages } from "../../docs/.vitepress/api-reference.ts";
import { groupLabelledCode } from "../../docs/.vitepress/code-groups.ts";
import { drawDiagrams } from "../../docs/.vitepress/diagrams.ts";
import { showExpressions } from "../../docs/.vitepress/interpolation.ts";
import { RPCS } from "../harness/rpcs.ts";

/** The rules by which the site reads Markdown, over every page and without a build. */

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SKIPPED = ["**/node_modules/**", "**/dist/**", "**/.build/**", "third_party/**", "bench/**", "artifacts/**"];

function rendered(source: string, ...rules: ((md: InstanceType<typeof MarkdownIt>) => void)[]): string {
  const md = new MarkdownIt({ html: true });
  for (const rule of rules) rule(md);
  return md.render(source, { path: "page.md" });
}

describe("double braces, which Vue would evaluate", () => {
  test("are shown as they are in code", () => {
    expect(rendered('Write `"email": "{{user.email}}"`.', showExpressions)).toBe(
      '<p>Write <code v-pre="">&quot;email&quot;: &quot;{{user.email}}&quot;</code>.</p>\n',
    );
    expect(rendered("```\n{{ user.email }}\n```", showExpressions)).toContain("{{ user.email }}");
  });

  test.each(["Send {{ user.email }}.", "<b>{{ user.email }}</b>\n", "- a <b>{{ user.email }}</b>"])(
    "end the build outside of code, with the page and the place: %s",
    (source) => {
      expect(() => rendered(source, showExpressions)).toThrow(/^page\.md: ".*{{.*" has {{ outside of code/);
    },
  );

  test("stand in code on every page", async () => {
    let withBraces = 0;
    for await (const path of glob("**/*.md", { cwd: ROOT, exclude: SKIPPED })) {
      const source = await readFile(join(ROOT, path), "utf8");
      expect(() => rendered(source, showExpressions), path).not.toThrow();
      if (source.includes("{{")) withBraces++;
    }
    expect(withBraces).toBeGreaterThan(2);
  });
});

test("a page that fails when it is rendered ends the build, too: the generator's default is an empty page", async () => {
  const theme = await readFile(join(ROOT, "docs/.vitepress/theme/index.mjs"), "utf8");
  expect(theme).toContain("app.config.throwUnhandledErrorInProduction = true;");
});

describe("blocks of code with labels", () => {
  const labelled = (language: string, label: string) => `\`\`\`${language} [${label}]\n1\n\`\`\`\n`;
  const kindsOf = (source: string) => {
    const md = new MarkdownIt();
    groupLabelledCode(md);
    return md.parse(source, {}).map(({ type }) => type.replace("container_code-", ""));
  };

  test("become tabs where they follow each other", () => {
    const source = `${labelled("sh", "curl")}\n${labelled("go", "Go")}\nText\n`;
    const group = ["group_open", "fence", "fence", "group_close"];
    expect(kindsOf(source)).toEqual([...group, "paragraph_open", "inline", "paragraph_close"]);
    expect(kindsOf(`${source}\n${labelled("go", "Go")}\n${labelled("py", "Python")}`).slice(-4)).toEqual(group);
  });

  test("stay as they are by themselves, and beside one without a label", () => {
    expect(kindsOf(labelled("go", "Go"))).toEqual(["fence"]);
    expect(kindsOf(`${labelled("go", "Go")}\n\`\`\`json\n{}\n\`\`\`\n`)).toEqual(["fence", "fence"]);
  });
});

describe("the code in tabs", async () => {
  /** Their programs are run by tests. */
  const readmes: Readonly<Record<string, string>> = {
    TypeScript: "clients/typescript/README.md",
    Go: "clients/go/README.md",
    Python: "clients/python/README.md",
    Swift: "clients/swift/README.md",
  };
  const tabs: [where: string, label: string, code: string][] = [];
  for await (const path of glob("docs/**/*.md", { cwd: ROOT })) {
    const source = await readFile(join(ROOT, path), "utf8");
    for (const [, label = "", code = ""] of source.matchAll(/^```(?!sh\b)\w+ \[([^\]]+)\]\n(.*?)^```$/gms))
      tabs.push([path, label, code]);
  }

  test("is on several pages", () => expect(new Set(tabs.map(([path]) => path)).size).toBeGreaterThan(2));

  test.each(tabs)("of %s, %s, is from that client's README, except its texts", async (_path, label, code) => {
    const linesOf = (text: string) => text.split("\n").map((line) => line.trim().replaceAll(/"[^"]*"/g, '""'));
    const known = new Set(linesOf(await readFile(join(ROOT, readmes[label] ?? ""), "utf8")));
    expect(linesOf(code).filter((line) => !known.has(line))).toEqual([]);
  });
});

test("a block of Mermaid becomes a diagram, and no other block", () => {
  const source = 'flowchart LR\n  a -->|"b"| c\n';
  const html = rendered(`\`\`\`mermaid\n${source}\`\`\`\n\n\`\`\`ts\n1\n\`\`\`\n`, drawDiagrams);
  const [, drawn = ""] = /^<Diagram source="([^"]+)" \/>\n<pre>/.exec(html) ?? [];
  expect(decodeURIComponent(drawn)).toBe(source);
});

test("the API reference has a section for every operation, with its path, and no link to a section that is not there", () => {
  const pages = referencePages();
  const [first, ...services] = pages;
  expect(first?.name).toBe("index");
  expect(new Set(pages.map(({ name }) => name)).size).toBe(pages.length);
  const all = services.map(({ markdown }) => markdown).join("\n");
  for (const { path } of RPCS) {
    expect(all).toContain(`**\`POST ${path}\`**`);
    expect(first?.markdown).toContain(`[\`${path}\`](/docs/api/`);
  }
  for (const { name, markdown } of services) {
    const sections = new Set([...markdown.matchAll(/^##+ (.+)$/gm)].map(([, title = ""]) => title.toLowerCase()));
    const targets = [...markdown.matchAll(/\]\(#([^)]+)\)/g)].map(([, target = ""]) => target);
    expect(
      targets.filter((target) => !sections.has(target)),
      name,
    ).toEqual([]);
  }
});
