import type { MarkdownIt, Token } from "markdown-it";

/** The label of a block of code: "```ts [TypeScript]". Elsewhere than on the site, only the language is read. */
const LABEL = /\[[^[\]]+\]/;
const GROUP = "container_code-group";

/**
 * Makes tabs of blocks of code that follow each other and have labels. The generator's own syntax, `::: code-group`, would be
 * text wherever else the page is read.
 */
export function groupLabelledCode(md: MarkdownIt): void {
  md.core.ruler.after("block", "code-groups", (state) => {
    const grouped: Token[] = [];
    for (let index = 0; index < state.tokens.length; ) {
      const group = labelledFrom(state.tokens, index);
      if (group.length > 1) grouped.push(new state.Token(`${GROUP}_open`, "div", 1), ...group, closing());
      else grouped.push(...state.tokens.slice(index, index + 1));
      index += Math.max(group.length, 1);
    }
    state.tokens = grouped;

    function closing(): Token {
      return new state.Token(`${GROUP}_close`, "div", -1);
    }
  });
}

/** The labelled blocks of code that begin at an index, without a gap. */
function labelledFrom(tokens: readonly Token[], start: number): readonly Token[] {
  const end = tokens.findIndex(({ type, info }, index) => index >= start && !(type === "fence" && LABEL.test(info)));
  return tokens.slice(start, end === -1 ? undefined : end);
}
