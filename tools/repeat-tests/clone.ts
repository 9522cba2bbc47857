import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The last commit of this checkout as a newcomer has it: in a folder of its own, with an empty HOME. */
export interface Clone {
  /** Contains the checkout, HOME and what the runs print. */
  readonly folder: string;
  readonly checkout: string;
  readonly env: NodeJS.ProcessEnv;
  remove(): void;
}

export function makeClone(): Clone {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-repeated-"));
  const [checkout, home] = [join(folder, "checkout"), join(folder, "home")];
  mkdirSync(home);
  execFileSync("git", ["clone", "--quiet", ROOT, checkout]);
  return { folder, checkout, env: newcomersEnv(home), remove: () => rmSync(folder, { recursive: true }) };
}

/** Without what `npm run` adds: its variables, and this checkout's programs. */
function newcomersEnv(home: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) && name !== "INIT_CWD");
  const path = (process.env.PATH ?? "").split(delimiter).filter((each) => !each.includes("node_modules"));
  return { ...Object.fromEntries(own), HOME: home, PATH: path.join(delimiter) };
}
