import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export type Package = "typescript" | "go" | "python" | "swift";

/** How one language writes what others may use. Its formatter fixes the indentation by which members are found. */
interface Syntax {
  readonly files: readonly string[];
  /** A declaration that has members; the first group is its name. */
  readonly container: RegExp;
  /** One without; the first group is its name, the second one what follows. */
  readonly single: RegExp;
  readonly member: RegExp;
  /** The names that may be used, where a declaration does not say so itself. */
  readonly exported?: () => ReadonlySet<string>;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const SYNTAX: Readonly<Record<Package, Syntax>> = {
  typescript: {
    files: ["clients/typescript/src/*.ts", "clients/typescript/src/{react,server}/*.ts"],
    container: /^export (?:interface|class|type) (\w+)/,
    single: /^export (?:async )?(?:function\*?|const) (\w+)(.*)/,
    member: /^ {2}(?:readonly )?(\w+)(\??[:(<].*)/,
    exported: typescriptExports,
  },
  go: {
    files: ["clients/go/*.go"],
    container: /^(?:type ([A-Z]\w*)|const \(|var \()/,
    single: /^func (?:\(\w+ \*?[A-Z]\w*\) )?([A-Z]\w*)(.*)/,
    member: /^\t([A-Z]\w*)(.*)/,
  },
  python: {
    files: ["clients/python/src/latchkey/*.py"],
    container: /^class ([A-Z]\w*)/,
    single: /^(?:async )?def ([a-z]\w*)(.*)/,
    member: /^ {4}(?:async )?(?:def )?(__init__|[a-z]\w*)([:(].*)/,
    exported: pythonExports,
  },
  swift: {
    files: ["clients/swift/Sources/Latchkey/*.swift"],
    container: /^(?:public (?:final )?(?:struct|class|enum|actor|protocol)|extension) (\w+)/,
    single: /^public func (\w+)(.*)/,
    member: /^ {4}public (?:static |internal\(set\) )*(?:func |var |let |typealias |struct )?(\w+)(.*)/,
  },
};

/**
 * What a package lets others use, read from its source without a compiler: `Container.member` with the rest of its declaration,
 * in lower case and without underscores, since each language writes names in its own way. Generated code is left out.
 */
export function symbolsOf(name: Package): readonly string[] {
  const { files, exported } = SYNTAX[name];
  const used = exported?.();
  return globSync(files, { cwd: ROOT })
    .filter((path) => !/[._]test\./.test(path))
    .sort()
    .flatMap((path) => declarationsIn(readFileSync(ROOT + path, "utf8"), SYNTAX[name], used))
    .map((text) => text.toLowerCase().replaceAll("_", ""));
}

function declarationsIn(source: string, syntax: Syntax, exported: ReadonlySet<string> | undefined): string[] {
  const lines = source.split("\n");
  const found: string[] = [];
  let container: string | undefined;
  for (const [index, line] of lines.entries()) {
    const begun = syntax.container.exec(line);
    const [, name = "", rest = ""] = syntax.single.exec(line) ?? [];
    if (begun !== null) {
      container = exported?.has(begun[1] ?? "") === false ? undefined : (begun[1] ?? "");
      if (container !== undefined) found.push(whole(lines, index, container));
    } else if (name !== "") {
      container = undefined;
      if (exported?.has(name) !== false) found.push(whole(lines, index, name + rest));
    } else if (/^[^\s)}\]]/.test(line)) {
      container = undefined;
    } else if (container !== undefined) {
      const [, member = "", after = ""] = syntax.member.exec(line) ?? [];
      if (member !== "") found.push(whole(lines, index, `${container}.${member}${after}`));
    }
  }
  return found;
}

/** With the lines that follow until its parentheses are closed. */
function whole(lines: readonly string[], index: number, first: string): string {
  let text = first;
  for (let next = index + 1; next < lines.length && next < index + 20 && isOpen(text); next++) text += lines[next];
  return text;
}

const isOpen = (text: string): boolean => text.split("(").length > text.split(")").length;

/** The names that the entries of the manifest export from files of the package. */
function typescriptExports(): ReadonlySet<string> {
  const folder = `${ROOT}clients/typescript/`;
  const { exports } = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));
  const entries = Object.values<{ import?: { types: string } }>(exports).flatMap((entry) => entry.import?.types ?? []);
  const names = entries
    .map((types) => types.replace("./dist/esm/", "src/").replace(/\.d\.ts$/, ".ts"))
    .filter((path) => !path.startsWith("src/gen/"))
    .flatMap((path) => {
      const source = readFileSync(folder + path, "utf8");
      const listed = [...source.matchAll(/^export (?:type )?\{([^}]*)\}(?! from ".\/gen)/gm)].flatMap(([, list = ""]) =>
        list.split(",").map((each) =>
          each
            .trim()
            .replace(/^type /, "")
            .replace(/ as .*/, ""),
        ),
      );
      const own = [...source.matchAll(/^export (?:async )?(?:interface|class|type|function|const) (\w+)/gm)];
      return [...listed, ...own.map(([, name = ""]) => name)];
    });
  return new Set(names);
}

function pythonExports(): ReadonlySet<string> {
  const source = readFileSync(`${ROOT}clients/python/src/latchkey/__init__.py`, "utf8");
  return new Set([...source.matchAll(/\bas (\w+)/g)].map(([, name = ""]) => name));
}
