import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Files and folders take whole blocks, of this size on most disks. */
const BLOCK_BYTES = 4_096;
const MEGABYTE = 1_048_576;
/** The image has a Node of its own, so the package's script does not run for it. */
const NODE_BINARY = "node_modules/node/bin";

interface Installed {
  readonly version?: string;
  readonly dev?: boolean;
  /** Also an optional peer of the client, whose manifest the image's installation does not have. */
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
}

type Packages = Readonly<Record<string, Installed>>;

/**
 * Megabytes of `npm ci`, and of what the image adds to Node's: `dist` and the packages that are not for development. Empty where they
 * cannot be compared: on platforms whose binaries have other sizes, and if the installation is not the one of the lock file.
 */
export function countMegabytes(): Record<string, number> {
  if (process.platform !== "linux" || process.arch !== "x64") return {};
  const packages = installedPackages();
  if (packages === undefined) return {};
  const paths = Object.keys(packages);
  const all = sum(paths.filter((path) => path.lastIndexOf("node_modules/") === 0).map((path) => bytesOf(path)));
  const production = Object.entries(packages)
    .filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true)
    .map(([path]) => bytesOf(path, ["node_modules"]));
  const build = buildBytes();
  return {
    "npm ci, MB": toMegabytes(all),
    ...(build !== undefined && {
      "image without Node, MB": toMegabytes(sum(production) - bytesOf(NODE_BINARY) + build),
    }),
  };
}

/** The packages that npm installed. Undefined if the lock file says something else. */
function installedPackages(): Packages | undefined {
  const locked = packagesOf("package-lock.json");
  const found = packagesOf("node_modules/.package-lock.json");
  if (locked === undefined || found === undefined) return undefined;
  const isSame = Object.entries(locked).every(([path, { version, optional }]) =>
    found[path] === undefined ? optional === true : found[path].version === version,
  );
  return isSame && Object.keys(found).every((path) => path in locked) ? found : undefined;
}

function packagesOf(lockFile: string): Packages | undefined {
  const text = textOf(lockFile);
  if (text === undefined) return undefined;
  const packages: Packages = JSON.parse(text).packages;
  return Object.fromEntries(
    Object.entries(packages).filter(([path, { link }]) => path.startsWith("node_modules/") && link !== true),
  );
}

/** Of the current build of `npm run build`. Undefined without one. */
function buildBytes(): number | undefined {
  const main = textOf("dist/main.js");
  const [, build] = /^import "\.\/(\w+)\//m.exec(main ?? "") ?? [];
  return build === undefined ? undefined : bytesOf(join("dist", build));
}

/** The size of a path, as `du` counts it; 0 if it is not there. Links count nothing, a file with two names counts once. */
function bytesOf(path: string, without: readonly string[] = [], seen = new Set<number>()): number {
  const stats = lstatSync(join(ROOT, path), { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink()) return 0;
  if (stats.isDirectory()) {
    const names = readdirSync(join(ROOT, path)).filter((name) => !without.includes(name));
    return BLOCK_BYTES + sum(names.map((name) => bytesOf(join(path, name), without, seen)));
  }
  if (stats.nlink > 1 && seen.has(stats.ino)) return 0;
  seen.add(stats.ino);
  return Math.ceil(stats.size / BLOCK_BYTES) * BLOCK_BYTES;
}

function textOf(path: string): string | undefined {
  return lstatSync(join(ROOT, path), { throwIfNoEntry: false }) && readFileSync(join(ROOT, path), "utf8");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / MEGABYTE);
}
