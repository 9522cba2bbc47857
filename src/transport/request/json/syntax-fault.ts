/** JSON white space and the next token: a punctuation mark, a string, or another value. */
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a text must not have them
  /[ \t\r\n]*(?:([{}[\],:])|("[^"\\\0-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\0-\x1f]*)*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y;
const SPACE = /[ \t\r\n]*/y;

/** The tokens that may come next, by their first characters. `v` stands for a number, true, false and null. */
const ALLOWED = {
  value: '{["v',
  firstItem: '{["v]',
  firstName: '"}',
  name: '"',
  colon: ":",
  afterItem: ",]",
  afterMember: ",}",
  end: "",
} as const;

/**
 * Where a text stops being JSON: the place of the first token that cannot stand there, or the length of a text that ends
 * too early. Undefined where it is JSON. V8's own message does
 * not do: it quotes the text, which may hold a secret, and for an unexpected token, such as `None`, it has no position.
 */
export function syntaxFaultAt(text: string): number | undefined {
  const open: string[] = [];
  let expected: keyof typeof ALLOWED = "value";
  let at = 0;
  for (;;) {
    SPACE.lastIndex = at;
    const start = at + (SPACE.exec(text)?.[0].length ?? 0);
    if (start === text.length) return expected === "end" ? undefined : start;
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const token = match === null ? "" : (match[1] ?? (match[2] === undefined ? "v" : '"'));
    if (token === "" || !ALLOWED[expected].includes(token)) return start;
    if (token === "{" || token === "[") open.push(token);
    else if (token === "}" || token === "]") open.pop();
    expected = following(token, expected, open.at(-1));
    at = TOKEN.lastIndex;
  }
}

function following(token: string, before: keyof typeof ALLOWED, inside: string | undefined): keyof typeof ALLOWED {
  switch (token) {
    case "{":
      return "firstName";
    case "[":
      return "firstItem";
    case ":":
      return "value";
    case ",":
      return inside === "{" ? "name" : "value";
    default:
      if (before === "name" || (before === "firstName" && token === '"')) return "colon";
      return inside === undefined ? "end" : inside === "{" ? "afterMember" : "afterItem";
  }
}

/** Words of other languages where JSON has `null`, `true` and `false`. */
const OTHER_WORDS = /(?:None|True|False|undefined|NaN|Infinity|nil)\b/y;

/** The remedy for the syntax error at `at`, if it is a common mistake. Never quotes the text. */
export function syntaxHint(text: string, at: number): string {
  const hint = hintOf(text, at);
  return hint === undefined ? "" : `: ${hint}`;
}

function hintOf(text: string, at: number): string | undefined {
  const char = text[at] ?? "";
  const before = text.slice(0, at).trimEnd().at(-1) ?? "";
  if (text.startsWith("[object ")) return "it is an object that was not encoded, send JSON.stringify of it";
  if (char === "\ufeff") return "remove the byte order mark";
  if (before === "," && (char === "}" || char === "]")) return "remove the comma before it";
  if (char === "/" || char === "#") return "remove the comment, JSON has none";
  if (at === 0 && /^[\w.[\]%-]+=/.test(text)) return "send a JSON object, not a form's fields";
  OTHER_WORDS.lastIndex = at;
  if (OTHER_WORDS.test(text)) return "write null, true or false, as JSON does";
  if (char === "'" || char === "`" || /[A-Za-z_$]/.test(char)) return "put names and texts in double quotes";
  if (char !== '"') return undefined;
  return before === "" || "{[,:".includes(before)
    ? "the text there has no end, or a line break or backslash that must be escaped"
    : "a comma or a colon is missing before it";
}
