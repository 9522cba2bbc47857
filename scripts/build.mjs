import { createHash, randomUUID } from "node:crypto";
import { chmod, cp, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildConsole } from "./build-console.mjs";

/**
 * `npm run build`: what `npm start` runs, and what brings the schema up to date by itself, in `dist`, which is all of ours
 * that the image has. To find and load eight hundred modules one by one takes as long as all the rest of a start.
 *
 * Each build is a folder of its own, named after what it is made from: `dist/main.js` imports the `main.js` of one of them.
 * Where that folder is there already, nothing is built. Otherwise it is built beside the others and renamed, and then
 * `dist/main.js` is replaced. So a process never misses a file, and of several builds at once each one finds all of its own.
 */
const DIST = "dist";
/** What is run by its name in `dist`. */
const PROGRAMS = { main: "src/main.ts", migrate: "src/migrate.ts", latchkey: "src/cli/main.ts" };
/** What is run as a command of its own. The flags are those of `npm start`, for `latchkey serve`. */
const COMMANDS = {
  latchkey:
    "#!/usr/bin/env -S node --max-semi-space-size=16 --no-parallel-scavenge --no-concurrent-array-buffer-sweeping\n",
};
/** What a program starts from beside itself. */
const HELPERS = { initdb: "src/store/sql/driver/initdb.ts" };
/** What a build is made from; of the packages, what npm says that it installed. */
const SOURCES = [
  "clients/typescript/src",
  "console/index.html",
  "console/src",
  "console/vite.config.ts",
  "gen",
  "src",
  "scripts/build.mjs",
  "package.json",
  "node_modules/.package-lock.json",
];
/** What the page /docs loads of its package, and the licenses of what that bundles. */
const VIEWER = ["swagger-ui.css", "swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt", "favicon-32x32.png"];
/** For how long a build is kept that is not the current one any more, in case a process is still about to load it. */
const KEPT_MS = 24 * 3_600 * 1_000;

const build = await nameOfBuild();
if (!(await isThere(join(DIST, build)))) await makeBuild();
const isChanged = await Promise.all(Object.keys(PROGRAMS).map(point));
if (isChanged.includes(true)) await removeOld();

/** A digest of all sources, tests left out. */
async function nameOfBuild() {
  const hash = createHash("sha256");
  for (const path of SOURCES) {
    const isFolder = (await stat(path)).isDirectory();
    const files = isFolder ? (await readdir(path, { recursive: true })).sort().map((name) => join(path, name)) : [path];
    for (const file of files.filter(
      (name) => /\.(?:tsx?|mjs|json|css|html|svg)$/.test(name) && !name.endsWith(".test.ts"),
    )) {
      const text = await readFile(file);
      hash.update(`${file} ${text.length}\n`).update(text);
    }
  }
  return hash.digest("hex").slice(0, 16);
}

async function makeBuild() {
  const dir = join(DIST, build);
  const beside = `${dir}.${randomUUID()}`;
  // Only now: it takes longer to load than to find that there is nothing to do.
  const rolldown = await import("rolldown");
  await rolldown.build({
    input: { ...PROGRAMS, ...HELPERS },
    platform: "node",
    // Nothing is taken out that looks unused: a call is, to the bundler, if only what it throws is used, as that of
    // decodeURIComponent in a `try`, and with it goes a check that ours and others' code rests on.
    treeshake: false,
    // PGlite loads files of its own, and pg's native driver is not installed.
    external: [/^@electric-sql\/pglite/, "pg-native"],
    // Of depd, a package of the development server's provider.
    checks: { eval: false },
    // The source maps are for those who want them in stack traces: Node reads them with `--enable-source-maps`, which
    // makes a start longer by a third.
    output: { dir: beside, format: "esm", sourcemap: true, minify: false },
  });
  await cp(await buildConsole(), join(beside, "console"), { recursive: true });
  for (const name of VIEWER) await cp(join("node_modules/swagger-ui-dist", name), join(beside, "viewer", name));
  if ((await nameOfBuild()) !== build) throw new Error("The sources changed while they were built. Build again.");
  try {
    await rename(beside, dir);
  } catch (err) {
    // Another build of the same sources was faster.
    if (!(await isThere(dir))) throw err;
    await rm(beside, { recursive: true });
  }
}

/** Has a program in `dist` import that of the build. Answers false, and writes nothing, if it does already. */
async function point(program) {
  const file = `${program}.js`;
  const path = join(DIST, file);
  const wanted = `${COMMANDS[program] ?? ""}import "./${build}/${file}";\n`;
  const found = await readFile(path, "utf8").catch(() => "");
  if (found === wanted) return false;
  const [, previous] = /^import "\.\/(\w+)\//m.exec(found) ?? [];
  // From now on the previous build is not the current one, and however old this one is, it is.
  for (const name of [build, previous]) if (name !== undefined) await markUsed(join(DIST, name));
  const beside = `${path}.${randomUUID()}`;
  await writeFile(beside, wanted);
  if (program in COMMANDS) await chmod(beside, 0o755);
  await rename(beside, path);
  return true;
}

/** Removes the builds that have not been the current one for a day. Another process may do so at the same time. */
async function removeOld() {
  for (const entry of await readdir(DIST, { withFileTypes: true })) {
    const dir = join(DIST, entry.name);
    if (!entry.isDirectory() || entry.name === build) continue;
    const usedMs = await stat(dir).then(
      ({ mtimeMs }) => mtimeMs,
      () => Number.NaN,
    );
    if (Date.now() - usedMs > KEPT_MS) await rm(dir, { recursive: true, force: true });
  }
}

async function markUsed(dir) {
  const now = new Date();
  // One that is gone has no use any more.
  await utimes(dir, now, now).catch(() => undefined);
}

async function isThere(dir) {
  return stat(dir).then(
    () => true,
    () => false,
  );
}
