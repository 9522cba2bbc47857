import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { countMegabytes } from "./megabytes.ts";

/** Counts by their names. Each is a whole number that may only fall by itself. */
export type Weight = Readonly<Record<string, number>>;

const ROOT = new URL("../../", import.meta.url);

const CODE = /\.(?:[cm]?[jt]sx?|go|py|swift|kt|lua|sql|sh|css|proto|yaml|yml|toml|tpl|pml)$/;
/** Made by `npm run generate` and its siblings, or fetched. */
const GENERATED = [
  /^(?:gen|third_party)\//,
  /^docs\/(?:api|reference|schemas)\//,
  /^clients\/typescript\/(?:src\/gen|proto)\//,
  /^clients\/go\/(?:gen\/|calls\.go$)/,
  /^clients\/python\/src\/latchkey\/(?:v1\/|_calls)/,
  /^clients\/swift\/Sources\/Latchkey\/Generated\//,
  /(?:^|\/)(?:package-lock\.json|go\.sum|Package\.resolved)$/,
];
const TESTS = /^test\/|\.test\.tsx?$|^clients\/(?:python\/tests|swift\/Tests)\/|_test\.go$/;

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

/** One field of a key and one RPC, whose names nothing else has: the files that a similar one would change. */
const SAMPLES: Readonly<Record<string, RegExp>> = {
  "files of one field": /allow_?browser/i,
  "files of one RPC": /preview_?invitation|invitations?[-./]preview/i,
};

/** Counts what the checkout has, from the files that Git knows or would add. */
export function countWeight(): Weight {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1 << 24,
  });
  const paths = [...new Set(listed.trim().split("\n"))];
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
    weight[name] = byHand.filter((path) => sample.test(path) || sample.test(textOf(path))).length;
  }
  return { ...weight, ...countMegabytes() };
}

function isGenerated(path: string): boolean {
  return GENERATED.some((one) => one.test(path));
}

const texts = new Map<string, string>();

/** Empty for a file that was deleted and not committed. */
function textOf(path: string): string {
  const known = texts.get(path);
  if (known !== undefined) return known;
  const text = read(path);
  texts.set(path, text);
  return text;
}

function read(path: string): string {
  try {
    return readFileSync(new URL(path, ROOT), "utf8");
  } catch (err) {
    if (err instanceof Error && "code" in err && err.code === "ENOENT") return "";
    throw err;
  }
}

function linesOf(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + textOf(path).split("\n").length - 1, 0);
}

/** Words outside of fenced code: what people read. */
function wordsOf(paths: readonly string[]): number {
  const prose = paths.map((path) => textOf(path).replaceAll(/^( *)```[\s\S]*?^\1```$/gm, ""));
  return prose.reduce((sum, text) => sum + text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length, 0);
}

function dependencies(): number {
  const manifests = ["package.json", "clients/typescript/package.json"].map((path) => JSON.parse(textOf(path)));
  return new Set(manifests.flatMap((each) => Object.keys({ ...each.dependencies, ...each.devDependencies }))).size;
}
