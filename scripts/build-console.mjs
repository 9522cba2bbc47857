// Builds the console into console/dist, with each file compressed as well: the service sends what the browser accepts.
// Does nothing if its sources are those of the build that is there. `node scripts/build-console.mjs`, or the function.
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDER = join(ROOT, "console/dist");
const SOURCES = [
  "clients/typescript/src",
  "console/index.html",
  "console/src",
  "console/vite.config.ts",
  "node_modules/.package-lock.json",
  "scripts/build-console.mjs",
];
const COMPRESSED = /\.(?:css|html|js|svg)$/;
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };

/** Returns the folder. Two builds at once are one too many, and do no harm. */
export async function buildConsole() {
  const sources = await digest();
  const known = await readFile(join(FOLDER, ".sources"), "utf8").catch(() => "");
  if (known === sources) return FOLDER;
  const beside = `${FOLDER}.${randomUUID()}`;
  // Only now: it takes longer to load than to find that there is nothing to do.
  const { build } = await import("vite");
  // Of a test run it would be "test", and React's build that of development.
  process.env.NODE_ENV = "production";
  await build({
    root: join(ROOT, "console"),
    configFile: join(ROOT, "console/vite.config.ts"),
    logLevel: "warn",
    build: { outDir: beside, emptyOutDir: true },
  });
  await compress(beside);
  await writeFile(join(beside, ".sources"), sources);
  await replace(beside);
  return FOLDER;
}

async function digest() {
  const hash = createHash("sha256");
  for (const source of SOURCES) {
    const path = join(ROOT, source);
    const isFolder = (await stat(path)).isDirectory();
    const entries = isFolder ? await readdir(path, { recursive: true, withFileTypes: true }) : [];
    const files = isFolder
      ? entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
      : [path];
    for (const file of files.sort()) {
      const content = await readFile(file);
      hash.update(`${file.slice(ROOT.length)} ${content.length}\n`).update(content);
    }
  }
  return hash.digest("hex");
}

async function compress(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && COMPRESSED.test(entry.name));
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    const content = await readFile(path);
    await writeFile(`${path}.br`, await promisify(brotliCompress)(content, BROTLI));
    await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
  }
}

/** Renames, so that a reader never finds half a build. Another build of the same sources may be faster. */
async function replace(beside) {
  const old = `${FOLDER}.${randomUUID()}`;
  await mkdir(dirname(FOLDER), { recursive: true });
  await rename(FOLDER, old).catch(() => undefined);
  await rename(beside, FOLDER).catch(() => rm(beside, { recursive: true }));
  await rm(old, { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildConsole();
