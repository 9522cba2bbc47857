import type { MarkdownIt } from "markdown-it";

/** Has the theme draw each block of Mermaid (`theme/diagram.mjs`). Without a script, its source is shown. */
export function drawDiagrams(md: MarkdownIt): void {
  const { fence } = md.renderer.rules;
  if (fence === undefined) throw new Error("markdown-it renders no fences");
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index] ?? { info: "", content: "" };
    if (info.trim() !== "mermaid") return fence(tokens, index, ...rest);
    return `<Diagram source="${encodeURIComponent(content)}" />\n`;
  };
}
