import MarkdownIt from "markdown-it";

/** The page as the body of an HTML document. Each heading has the id that GitHub gives it: of a reason, the reason. */
export function htmlOf(markdown: string): string {
  const renderer = new MarkdownIt();
  renderer.renderer.rules.heading_open = (tokens, index) => {
    const heading = tokens[index];
    return `<${heading?.tag} id="${idOf(tokens[index + 1]?.content ?? "")}">`;
  };
  return renderer.render(withoutComments(markdown));
}

function withoutComments(markdown: string): string {
  const [first = "", ...others] = markdown.split("<!--");
  return first + others.map((text) => text.slice(text.indexOf("-->") + 3).replace(/^\n*/, "")).join("");
}

function idOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(/\s/g, "-");
}
