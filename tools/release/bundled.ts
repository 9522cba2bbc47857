import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A package of others whose code is in a build of the service. */
export interface Bundled {
  readonly name: string;
  readonly version: string;
  /** As SPDX. */
  readonly license: string;
  /** Its license file. Undefined: the package has none. */
  readonly text?: string;
}

/** A package as Vite describes those of the console. */
interface InConsole {
  readonly name: string;
  readonly version: string;
  readonly identifier: string;
  readonly text?: string;
}

/** The viewer of the API's reference: files of its package are copied. */
const COPIED = ["node_modules/swagger-ui-dist"];
const PACKAGE = /^(?:\.\.\/)*(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//;
const LICENSE_FILE = /^(?:licen[cs]e|copying)/i;

/** What a build of `npm run build` contains of others, by name: as its source maps say, and the console's own list. */
export function bundledIn(root: string, build: string): Bundled[] {
  const maps = readdirSync(build).filter((name) => name.endsWith(".map"));
  const sources = maps.flatMap((name): string[] => JSON.parse(readFileSync(join(build, name), "utf8")).sources);
  const folders = new Set([...COPIED, ...sources.flatMap((source) => PACKAGE.exec(source)?.[1] ?? [])]);
  const inConsole: InConsole[] = JSON.parse(readFileSync(join(build, "console/.vite/licenses.json"), "utf8"));
  const found = [
    ...[...folders].map((folder) => describe(join(root, folder))),
    ...inConsole.map(({ identifier, ...rest }) => ({ ...rest, license: identifier })),
  ];
  const byId = new Map(found.map((each) => [`${each.name}@${each.version}`, each]));
  return [...byId.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
}

/** The licenses of these packages, as a file to ship with their code. */
export function licensesOf(packages: readonly Bundled[]): string {
  const parts = packages.map(
    ({ name, version, license, text }) => `## ${name} ${version} (${license})\n\n${text?.trim() ?? ""}`,
  );
  return `# Software of others\n\nThe build contains code of these packages.\n\n${parts.join("\n\n").trim()}\n`;
}

function describe(folder: string): Bundled {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => LICENSE_FILE.test(entry));
  const text = file === undefined ? undefined : readFileSync(join(folder, file), "utf8");
  return { name, version, license, ...(text !== undefined && { text }) };
}
