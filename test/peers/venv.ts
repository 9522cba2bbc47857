import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { needs, output } from "./callers.ts";

/** A Python of its own, with packages from PyPI. */
export interface Venv {
  readonly dir: string;
  /** Puts its programs before all others. */
  readonly env: Record<string, string>;
  /** Runs one of its programs; returns what it printed. */
  run(
    program: string,
    args: readonly string[],
    options?: { cwd?: string; env?: Record<string, string> },
  ): Promise<string>;
  remove(): Promise<void>;
}

export function createVenv(...packages: string[]): Promise<Venv> {
  return createVenvOf("python3", packages);
}

/** With another interpreter than the `python3` of whoever runs the tests. */
export async function createVenvOf(python: string, packages: readonly string[]): Promise<Venv> {
  const advice = "This test needs Python 3.10 or later with venv: install Debian's packages python3 and python3-venv.";
  await needs(advice, python, "-c", "import ensurepip, sys; sys.exit(sys.version_info < (3, 10))");
  const dir = await mkdtemp(join(tmpdir(), "latchkey-venv-"));
  const bin = join(dir, "bin");
  const env = { PATH: `${bin}${delimiter}${process.env.PATH}`, PYTHONDONTWRITEBYTECODE: "1" };
  await output(python, ["-m", "venv", dir]);
  await output(join(bin, "pip"), ["install", "-q", "--disable-pip-version-check", ...packages]);
  return {
    dir,
    env,
    run: (program, args, options = {}) =>
      output(join(bin, program), args, { ...options, env: { ...env, ...options.env } }),
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}
