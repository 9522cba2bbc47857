import { isGenerated, repositoryFiles, textOf } from "./files.ts";
import { countMegabytes } from "./megabytes.ts";

/** Counts by their names. Each is a whole number that may only fall by itself. */
export type Weight = Readonly<Record<string, number>>;

const CODE = /\.(?:[cm]?[jt]sx?|go|py|swift|kt|lua|sql|sh|css|proto|yaml|yml|toml|tpl|pml)$/;
/** Tests, which the counts of other code leave out. */
export const TESTS = /^test\/|\.test\.tsx?$|^clients\/(?:python\/tests|swift\/Tests)\/|_test\.go$/;

/** Hand-written code that is no test, by its place. */
const PLACES: Readonly<Record<string, RegExp>> = {
  "src, lines": /^src\//,
  "console, lines": /^console\//,
  "TypeScript client, lines": /^clients\/typescript\//,
  "Go client, lines": /^clients\/go\//,
  "Python client, lines": /^clients\/python\//,
  "Swift client, lines": /^clients\/swift\//,
  "protos, lines": /^(?:proto|internal)\//,
  "tools and benches, lines": /^(?:tools|bench|scripts|\.ci|\.github)\//,
};

/** One field of a key and one RPC: files with these names stand for those that a similar one changes. A rehearsal finds a few more. */
const SAMPLES: Readonly<Record<string, RegExp>> = {
  "files of one field": /allow_?browser/i,
  "files of one RPC": /preview_?invitation|invitations?[-./]preview/i,
};
/** The files about what the sample field decides; a field that decides nothing changes none of them. */
const DECISION = /fence|\/cors\.test|edge-callers|restricted-record|policy\/security/;

/** Counts what the checkout has. */
export function countWeight(): Weight {
  const paths = repositoryFiles();
  const byHand = paths.filter((path) => CODE.test(path) && !isGenerated(path));
  const weight: Record<string, number> = { files: paths.length };
  for (const [name, place] of Object.entries(PLACES)) {
    weight[name] = linesOf(byHand.filter((path) => place.test(path) && !TESTS.test(path)));
  }
  weight["tests, lines"] = linesOf(byHand.filter((path) => TESTS.test(path)));
  weight["generated, lines"] = linesOf(paths.filter(isGenerated));
  weight["documentation, words"] = wordsOf(paths.filter((path) => path.endsWith(".md") && !isGenerated(path)));
  weight["direct dependencies"] = dependencies();
  for (const [name, sample] of Object.entries(SAMPLES)) {
    weight[name] = byHand.filter((path) => !DECISION.test(path) && sample.test(path + textOf(path))).length;
  }
  return { ...weight, ...countMegabytes() };
}

function linesOf(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + textOf(path).split("\n").length - 1, 0);
}

/** The part of a page that a generator writes, between its comments. */
const GENERATED_PART =
  /^<!-- (?:generated: \w+: begin|results|The \w+ are made) [\s\S]*?^<!-- (?:generated: \w+: end|end|End of the \w+\.) -->$/gm;

/** Words outside of fenced code and generated parts: what people write and read. */
function wordsOf(paths: readonly string[]): number {
  const prose = paths.map((path) =>
    textOf(path)
      .replaceAll(GENERATED_PART, "")
      .replaceAll(/^( *)```[\s\S]*?^\1```$/gm, ""),
  );
  return prose.reduce((sum, text) => sum + text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length, 0);
}

function dependencies(): number {
  const manifests = ["package.json", "clients/typescript/package.json"].map((path) => JSON.parse(textOf(path)));
  return new Set(manifests.flatMap((each) => Object.keys({ ...each.dependencies, ...each.devDependencies }))).size;
}
