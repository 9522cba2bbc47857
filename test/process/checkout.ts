import { execFile } from "node:child_process";
import { appendFile, cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The sources as they are here, in a folder where a test may change and build them. Packages are this checkout's. */
export interface Checkout {
  readonly dir: string;
  /** Changes a source, so that the next start has something to build. */
  edit(): Promise<void>;
  /** Does what `npm run build` does; answers what it wrote on stdout and stderr. */
  build(...nodeOptions: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

export async function createCheckout(): Promise<Checkout> {
  const dir = await mkdtemp(join(tmpdir(), "latchkey-checkout-"));
  for (const name of ["clients/typescript/src", "console", "src", "gen", "scripts", "package.json", "tsconfig.json"]) {
    await cp(join(ROOT, name), join(dir, name), { recursive: true });
  }
  await symlink(join(ROOT, "node_modules"), join(dir, "node_modules"));
  return {
    dir,
    edit: () => appendFile(join(dir, "src/config/config.ts"), "// Changed.\n"),
    async build(...nodeOptions) {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [...nodeOptions, "scripts/build.mjs"], {
        cwd: dir,
      });
      return stdout + stderr;
    },
    remove: () => rm(dir, { recursive: true, force: true, maxRetries: 10 }),
  };
}
