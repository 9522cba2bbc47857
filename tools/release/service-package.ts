import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundledIn, licensesOf } from "./bundled.ts";

/** Left out of the build, since it loads files of its own. */
export const NOT_BUNDLED = "@electric-sql/pglite";
/** The oldest Node that has what the service uses. */
const NODE_MIN = 22;
const README = `# Latchkey

API keys, user tokens and rate limits for a multi-tenant platform.

    npx latchkey dev

starts a development server in this folder, with a database, an identity provider, two tenants and keys. It prints a first call.
\`npx latchkey serve\` starts the service, \`npx latchkey --help\` lists all commands.
`;

/**
 * Writes the npm package `latchkey` to an empty folder: the build, which runs on the user's own Node, and the one package that the
 * build leaves out. The checkout's manifest also has what is bundled, and a Node; it stays private.
 */
export function writeServicePackage(root: string, folder: string): void {
  const build = buildOf(root);
  const { version, description, license, homepage, dependencies } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  const manifest = {
    ...{ name: "latchkey", version, description, license, homepage, type: "module" },
    repository: { type: "git", url: `git+${homepage}.git` },
    bugs: `${homepage}/issues`,
    bin: { latchkey: "dist/latchkey.js" },
    files: ["dist", "THIRD-PARTY.md"],
    engines: { node: `>=${NODE_MIN}` },
    dependencies: { [NOT_BUNDLED]: dependencies[NOT_BUNDLED] },
  };
  mkdirSync(join(folder, "dist"), { recursive: true });
  // Without source maps, which are larger than the code.
  const filter = (path: string) => !path.endsWith(".map");
  cpSync(join(root, "dist", build), join(folder, "dist", build), { recursive: true, filter });
  const [shebang = ""] = readFileSync(join(root, "dist/latchkey.js"), "utf8").split("\n", 1);
  writeFileSync(join(folder, "dist/latchkey.js"), programOf(shebang, build));
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, "THIRD-PARTY.md"), licensesOf(bundledIn(root, join(root, "dist", build))));
  writeFileSync(join(folder, "README.md"), README);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** npm only warns of a Node that is too old. */
function programOf(shebang: string, build: string): string {
  return `${shebang}
if (Number.parseInt(process.versions.node, 10) < ${NODE_MIN}) {
  console.error("latchkey needs Node.js ${NODE_MIN} or later; this is " + process.version);
  process.exit(1);
}
await import("./${build}/latchkey.js");
`;
}

/** Builds, if need be, and returns the name of the build's folder in `dist`. */
export function buildOf(root: string): string {
  execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const [, build] = /^import "\.\/(\w+)\//m.exec(readFileSync(join(root, "dist/main.js"), "utf8")) ?? [];
  if (build === undefined) throw new Error("dist/main.js names no build");
  return build;
}
