import { lstat, mkdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { canRun, ensureInstalled } from "../servers/debian.ts";
import { output } from "./callers.ts";

/** A Debian of its own with a Swift compiler, 3.4 GB. Kept between runs, and ignored by git. */
const CHROOT = resolve(".latchkey/peers/swift");
const ADVICE =
  "The tests of the Swift client need root on Linux, to install Swift into a Debian 13 of its own below .latchkey.";
/** Beside the compiler what it links with. */
const PACKAGES = "swiftlang git ca-certificates libc6-dev libstdc++-14-dev";

/** Runs a shell command in a folder of the checkout, with the compiler; returns what it printed. */
export type Swift = (folder: string, command: string, env?: Record<string, string>) => Promise<string>;

/** Installs the compiler if it is not there, which takes some minutes. Throws one line where that is impossible. */
export async function installSwift(): Promise<Swift> {
  if (process.getuid?.() !== 0 || process.platform !== "linux") throw new Error(ADVICE);
  // It is a link that leads somewhere in the other root alone.
  const exists = await lstat(join(CHROOT, "usr/bin/swift")).then(
    () => true,
    () => false,
  );
  if (!exists) await install();
  return (folder, command, env = {}) => inside(CHROOT, folder, command, env);
}

/** Installs beside the final place, so that a run that was ended leaves no half of it there. */
async function install(): Promise<void> {
  await ensureInstalled({
    package: "debootstrap",
    isInstalled: () => canRun("debootstrap", "--version"),
    advice: ADVICE,
  });
  const half = `${CHROOT}.half`;
  await rm(half, { recursive: true, force: true });
  await mkdir(half, { recursive: true });
  // It mounts /proc there, which `rm` would follow after a run that was ended.
  await output("unshare", ["--mount", "debootstrap", "--variant=minbase", "trixie", half]);
  const install = `apt-get -q update && apt-get -qy install --no-install-recommends ${PACKAGES} && apt-get clean`;
  await inside(half, half, install, { DEBIAN_FRONTEND: "noninteractive" });
  await rename(half, CHROOT);
}

/**
 * Runs a command in the root at a path, with a folder of the checkout's root at /checkout. The mounts are in a namespace of
 * their own, which ends with the command: none is left behind that `rm -rf` would follow.
 */
async function inside(root: string, folder: string, command: string, env: Record<string, string>): Promise<string> {
  await mkdir(join(root, "checkout"), { recursive: true });
  const mounts = [
    ["/proc", "proc"],
    ["/dev", "dev"],
    [resolve("."), "checkout"],
  ].map(([from, to]) => `mount --bind "${from}" "$0/${to}"`);
  const within = `cd '${folder.replace(resolve("."), "/checkout")}' && ${command}`;
  const script = [...mounts, 'exec chroot "$0" sh -ec "$1"'].join(" && ");
  const own = { HOME: "/root", PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", ...env };
  return output("unshare", ["--mount", "sh", "-ec", script, root, within], { env: own });
}
