import { load } from "../on-demand/packages.ts";
import { patternsIn } from "./patterns.ts";

type Diagnostics =
  | { readonly status: "safe" }
  | { readonly status: "unknown"; readonly error: object }
  | {
      readonly status: "vulnerable";
      readonly complexity: { readonly summary: string };
      readonly attack: { readonly pattern: string };
    };

/** What is used of `recheck`. */
interface Recheck {
  check(source: string, flags: string, options: object): Promise<Diagnostics>;
}

/** Without limits of time, so that a busy machine finds the same as an idle one. */
const CHECK = { timeout: null, attackTimeout: null, incubationTimeout: null } as const;

/** A line for each regular expression whose time is not shown to grow with the text's length alone. */
export async function findSlowPatterns(files: readonly { path: string; text: string }[]): Promise<string[]> {
  const { check } = await load<Recheck>("recheck");
  const known = new Map<string, Promise<Diagnostics>>();
  const problems: string[] = [];
  for (const { path, text } of files) {
    for (const { line, text: written, source, flags } of patternsIn(path, text)) {
      const place = `${path}:${line}: ${written}`;
      if (source === undefined) {
        problems.push(`${place} cannot be checked: write it as a literal, or of constants of its file`);
        continue;
      }
      const id = `/${source}/${flags}`;
      const checked = known.get(id) ?? check(source, flags, CHECK);
      known.set(id, checked);
      const problem = problemOf(await checked);
      if (problem !== undefined) problems.push(`${place} ${problem}`);
    }
  }
  return problems;
}

function problemOf(result: Diagnostics): string | undefined {
  if (result.status === "safe") return undefined;
  if (result.status === "unknown") return `cannot be checked: ${JSON.stringify(result.error)}`;
  return `is ${result.complexity.summary}, such as for ${result.attack.pattern}; write it without two ways to read a text, or by hand`;
}
