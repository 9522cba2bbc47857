import type { MarkdownIt } from "markdown-it";

/** What the site's generator, Vue, evaluates as an expression. Providers' templates are written with the same braces. */
const EXPRESSION = "{{";

/**
 * Has code shown as it is written: Vue leaves blocks alone, but evaluates `{{ }}` in a line of text, and a page whose expression
 * fails is empty. Throws where the braces stand outside of code.
 */
export function showExpressions(md: MarkdownIt): void {
  const { code_inline: plain } = md.renderer.rules;
  if (plain === undefined) throw new Error("markdown-it renders no inline code");
  md.renderer.rules.code_inline = (tokens, index, ...rest) => {
    tokens[index]?.attrSet("v-pre", "");
    return plain(tokens, index, ...rest);
  };
  md.core.ruler.push("no-expressions", ({ tokens, env }) => {
    const page = String(env?.realPath ?? env?.path);
    const evaluated = tokens
      .flatMap((token) => [token, ...(token.children ?? [])])
      .filter(({ type }) => type === "text" || type.startsWith("html_"))
      .find(({ content }) => content.includes(EXPRESSION));
    if (evaluated !== undefined)
      throw new Error(`${page}: "${evaluated.content.trim()}" has ${EXPRESSION} outside of code: write it as code`);
  });
}
