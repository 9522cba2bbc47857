import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { output } from "../peers/callers.ts";
import { killAtExit } from "../servers/kill-at-exit.ts";
import { FILES } from "./second-machine.ts";

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string };
}

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

export interface ImageConfig {
  readonly architecture: string;
  readonly config: { readonly Env: readonly string[]; readonly Cmd: readonly string[]; readonly User: string };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

export interface Pulled {
  readonly config: ImageConfig;
  readonly layers: readonly string[];
}

const FOLDER = join(FILES, "image");

/** The images of the layout by architecture. Throws where a blob is not the one that its descriptor means. */
export async function pullImages(): Promise<Map<string, Pulled>> {
  const { manifests } = JSON.parse(await readFile(join(FOLDER, "index.json"), "utf8"));
  const index: { manifests: Descriptor[] } = JSON.parse((await blob(manifests[0])).toString());
  const images = index.manifests.map(async (descriptor): Promise<[string, Pulled]> => {
    const { config, layers }: Manifest = JSON.parse((await blob(descriptor)).toString());
    await Promise.all(layers.map(blob));
    const parsed: ImageConfig = JSON.parse((await blob(config)).toString());
    return [descriptor.platform?.architecture ?? "", { config: parsed, layers: layers.map(pathOf) }];
  });
  return new Map(await Promise.all(images));
}

export interface Container {
  readonly child: ChildProcess;
  /** Ends it, and all that it started. */
  kill(): void;
}

/** Starts the command in the image's file system as its user, with no other program or variable of this machine. */
export async function runImage(
  { config, layers }: Pulled,
  root: string,
  env: Record<string, string>,
): Promise<Container> {
  const { Env, Cmd, User } = config.config;
  for (const layer of layers) await output("tar", ["-xpzf", layer, "-C", root, "--numeric-owner"]);
  // A new folder of ours is closed to the image's user.
  await chmod(root, 0o755);
  const variables = [...Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  const script = `mount --bind "$0" "$0" && mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot --userspec=${User} "$0" "$@"`;
  const inside = ["/usr/bin/env", "-i", ...variables, "/bin/sh", "-c", 'cd /app && exec "$@"', "sh", ...Cmd];
  const isolated = ["--mount", "--pid", "--ipc", "--uts", "--fork"];
  const child = spawn("unshare", [...isolated, "sh", "-c", script, root, ...inside], {
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, since the kernel forgets to kill a child that has changed its user.
    detached: true,
  });
  const kill = () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), "SIGKILL");
  };
  killAtExit(child, kill);
  return { child, kill };
}

async function blob(descriptor: Descriptor): Promise<Buffer> {
  const content = await readFile(pathOf(descriptor));
  const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
  if (digest !== descriptor.digest || content.length !== descriptor.size)
    throw new Error(`${descriptor.digest} has other content`);
  return content;
}

function pathOf({ digest }: Descriptor): string {
  return join(FOLDER, "blobs", digest.replace(":", "/"));
}
