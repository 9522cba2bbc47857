import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installOnce } from "./install.ts";

/**
 * Large packages that few commands need, in a package of their own beside this file: Cloudflare's runtime, the site's
 * generator, mutation testing, and some checkers. They take 440 MB, which are not for every `npm ci` of the project.
 */

const FOLDER = fileURLToPath(new URL("./", import.meta.url));
/** Time that a test must leave for the installation. */
export const INSTALL_MS = 300_000;

/** One of the packages. Files outside of the folder cannot import it by its name. */
export async function load<Module>(name: string): Promise<Module> {
  await installOnce(FOLDER);
  return import(name);
}

/** The program that one of the packages has. */
export async function program(name: string): Promise<string> {
  await installOnce(FOLDER);
  return join(FOLDER, "node_modules/.bin", name);
}
