import { parseAst } from "rolldown/parseAst";

/** A regular expression of a file. `source` is undefined where it is made of more than constants of the file. */
export interface Pattern {
  readonly line: number;
  readonly text: string;
  readonly source: string | undefined;
  readonly flags: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  // A parser's tree: what a node has depends on its type.
  readonly [member: string]: unknown;
}

/** The regular expressions of a TypeScript or JavaScript file: literals, and those that `RegExp` makes. */
export function patternsIn(path: string, text: string): Pattern[] {
  const program: unknown = parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" }, path);
  const constants = new Map<string, Node>();
  const found: { node: Node; pattern: Node; flags: Node | undefined }[] = [];
  visit(program, (node) => {
    if (node.type === "VariableDeclarator" && isNode(node.id) && isNode(node.init))
      constants.set(String(node.id.name), node.init);
    const made = madeByConstructor(node);
    if (isLiteral(node)) found.push({ node, pattern: node, flags: undefined });
    else if (made !== undefined) found.push({ node, pattern: made[0], flags: made[1] });
  });
  return found.map(({ node, pattern, flags }) => ({
    line: text.slice(0, node.start).split("\n").length,
    text: text.slice(node.start, node.end),
    source: sourceOf(pattern, constants),
    flags: isLiteral(pattern) ? pattern.regex.flags : String(flags?.value ?? ""),
  }));
}

function visit(tree: unknown, enter: (node: Node) => void): void {
  if (Array.isArray(tree)) for (const node of tree) visit(node, enter);
  if (!isNode(tree)) return;
  enter(tree);
  for (const child of Object.values(tree)) if (typeof child === "object" && child !== null) visit(child, enter);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function isLiteral(
  node: Node,
): node is Node & { readonly regex: { readonly pattern: string; readonly flags: string } } {
  return node.type === "Literal" && typeof node.regex === "object" && node.regex !== null;
}

function madeByConstructor(node: Node): [pattern: Node, flags: Node | undefined] | undefined {
  const isCall = node.type === "NewExpression" || node.type === "CallExpression";
  if (!isCall || !isNode(node.callee) || node.callee.name !== "RegExp") return undefined;
  const [pattern, flags] = Array.isArray(node.arguments) ? node.arguments.filter(isNode) : [];
  return pattern && [pattern, flags];
}

/** The text that an expression of constants is, or the source of the regular expression. */
function sourceOf(node: Node | undefined, constants: ReadonlyMap<string, Node>): string | undefined {
  switch (node?.type) {
    case "Literal":
      return isLiteral(node) ? node.regex.pattern : String(node.value);
    case "Identifier":
      return sourceOf(constants.get(String(node.name)), constants);
    case "MemberExpression":
      return isNode(node.property) && node.property.name === "source" && isNode(node.object)
        ? sourceOf(node.object, constants)
        : undefined;
    case "TaggedTemplateExpression":
      return isNode(node.quasi) ? templateText(node.quasi, "raw", constants) : undefined;
    case "TemplateLiteral":
      return templateText(node, "cooked", constants);
    default:
      return undefined;
  }
}

function templateText(
  { quasis, expressions }: Node,
  form: "raw" | "cooked",
  constants: ReadonlyMap<string, Node>,
): string | undefined {
  let text = "";
  for (const [index, quasi] of (quasis as { value: { raw: string; cooked: string } }[]).entries()) {
    text += quasi.value[form];
    const expression = (expressions as Node[])[index];
    if (expression === undefined) return text;
    const inserted = sourceOf(expression, constants);
    if (inserted === undefined) return undefined;
    text += inserted;
  }
  return text;
}
