/** A metric as an expression selects it. */
export interface Selector {
  readonly name: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

/** What an expression of PromQL reads. */
export interface Reads {
  readonly selectors: readonly Selector[];
  /** The labels of `by`, `on` and the like. */
  readonly grouping: readonly string[];
}

const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const RANGE = /\[[^\]]*\]/g;
/** A name with its matchers, unless it is a function, or part of a number such as `1e3` or `5m`. */
const NAME = /(?<![\w:.])([a-zA-Z_:][\w:]*)\s*(?:\{([^}]*)\})?(?!\s*\(|[\w:])/g;
const MATCHER = /(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"/g;
const WORDS = new Set(["and", "or", "unless", "bool", "offset", "sum", "count", "min", "max", "inf", "nan"]);

/** Enough of PromQL's grammar for our rules and dashboards; `promtool` parses the rules as a whole. */
export function readPromql(expression: string): Reads {
  const grouping = Array.from(expression.matchAll(GROUPING), ([, labels = ""]) => labels)
    .flatMap((labels) => labels.split(","))
    .map((label) => label.trim())
    .filter((label) => label !== "");
  const rest = expression.replaceAll(GROUPING, " ").replaceAll(RANGE, " ");
  const selectors = Array.from(rest.matchAll(NAME), ([, name = "", matchers = ""]) => ({
    name,
    matchers: Array.from(matchers.matchAll(MATCHER), ([, label = "", operator = "", value = ""]) => ({
      label,
      operator,
      value,
    })),
  })).filter(({ name }) => !WORDS.has(name));
  return { selectors, grouping };
}
