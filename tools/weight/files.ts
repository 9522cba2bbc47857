import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const ROOT = new URL("../../", import.meta.url);

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

/** The files that Git knows or would add. */
export function repositoryFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1 << 24,
  });
  return [...new Set(listed.trim().split("\n"))];
}

export function isGenerated(path: string): boolean {
  return GENERATED.some((one) => one.test(path));
}

const texts = new Map<string, string>();

/** Empty for a file that was deleted and not committed. */
export function textOf(path: string): string {
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
