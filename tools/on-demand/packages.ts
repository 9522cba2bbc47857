import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installOnce } from "./install.ts";

/**
 * Large packages that few commands need, in packages of their own beside this file: Cloudflare's runtime, the site's
 * generator, mutation testing and some checkers take 440 MB, buf 93 and the programs of `npm run lint` 130, which are not for
 * every `npm ci` of the project.
 */

const FOLDER = fileURLToPath(new URL("./", import.meta.url));
/** Programs in a folder of their own, so that nobody waits for the others. */
const OWN_FOLDERS: Readonly<Record<string, string>> = { biome: "lint", buf: "buf", knip: "lint" };
/** Time that a test must leave for the installation. */
export const INSTALL_MS = 300_000;

/** One of the packages. Files outside of the folder cannot import it by its name. */
export async function load<Module>(name: string): Promise<Module> {
  await installOnce(FOLDER);
  return import(name);
}

/** The path of a program that one of the packages has. */
export async function program(name: string): Promise<string> {
  const folder = join(FOLDER, OWN_FOLDERS[name] ?? "");
  await installOnce(folder);
  return join(folder, "node_modules/.bin", name);
}
