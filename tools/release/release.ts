import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** What is released, and where its files go. */
export interface Release {
  /** The checkout. */
  readonly root: string;
  readonly version: string;
  /** A folder of its own for each kind of file. */
  readonly out: string;
  /** Of the commit: files of an archive have it, so that the same commit makes the same archive. */
  readonly seconds: number;
}

/** Writes one artifact. */
export type MakeArtifact = (release: Release) => void;

const ARCHIVE_BYTES_MAX = 1 << 30;

/** Runs a program; its errors go to the terminal. Returns what it printed. Throws one line where the program is missing. */
export function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): string {
  try {
    return execFileSync(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
      encoding: "utf8",
      maxBuffer: ARCHIVE_BYTES_MAX,
    });
  } catch (err) {
    const isMissing = err instanceof Error && "code" in err && err.code === "ENOENT";
    throw isMissing ? new Error(`${program} is missing, which makes a part of the release: install it`) : err;
  }
}

/** The folder of a kind of files, which is made if need be. */
export function folderOf({ out }: Release, kind: string): string {
  const folder = join(out, kind);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Copies the files of a folder that are under version control, as they are in the checkout; follows links. */
export function copyTracked({ root }: Release, folder: string, to: string): void {
  const names = run("git", ["ls-files", "-z"], join(root, folder)).split("\0").filter(Boolean);
  for (const name of names) {
    mkdirSync(dirname(join(to, name)), { recursive: true });
    copyFileSync(join(root, folder, name), join(to, name));
  }
}

/** Of all entries of an archive. */
interface Ownership {
  /** A number, of the user and the group. */
  readonly owner?: number;
  /** A change of modes. The default takes from them what depends on the umask of a checkout. */
  readonly mode?: string;
}

/** A tar archive of entries of a folder: the same bytes for the same files. */
export function tarOf(
  { seconds }: Release,
  folder: string,
  entries: readonly string[],
  { owner = 0, mode = "go-w" }: Ownership = {},
): Buffer {
  const same = ["--sort=name", `--mtime=@${seconds}`, `--owner=${owner}`, `--group=${owner}`, "--numeric-owner"];
  const args = [...same, `--mode=${mode}`, "--format=gnu", "-C", folder, "-cf", "-", ...entries];
  return execFileSync("tar", args, { stdio: ["ignore", "pipe", "inherit"], maxBuffer: ARCHIVE_BYTES_MAX });
}

/** Gives a folder that lasts as long as the call. */
export function withFolder<Result>(use: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-release-"));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
