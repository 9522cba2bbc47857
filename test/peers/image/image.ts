import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chainOf, environmentOf, parseDockerfile, type Stage, settingOf } from "../../../tools/release/dockerfile.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const CONTAINER = fileURLToPath(new URL("container.sh", import.meta.url));
const STEP_TIMEOUT_MS = 600_000;
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** What the Dockerfile makes, in a folder, without the base image. */
export interface Image {
  readonly root: string;
  /** The commands of HEALTHCHECK and CMD. */
  readonly health: readonly string[];
  readonly command: readonly string[];
  /** Starts a command as the image's user, with a read-only root and an empty volume. */
  start(command: readonly string[], env?: Record<string, string>, cgroup?: string): Promise<ChildProcess>;
  remove(): Promise<void>;
}

interface Site {
  readonly stages: readonly Stage[];
  /** Has one folder for each stage. */
  readonly dir: string;
  /** Where this machine has npm. */
  readonly npm: string;
  /** What .dockerignore lets into the build. */
  readonly allowed: readonly string[];
}

/**
 * Carries out the Dockerfile's steps, each RUN in a root folder of its stage. In place of the base image, which only a
 * registry has, stand this machine's programs and the Node that runs the tests.
 */
export async function buildImage(): Promise<Image> {
  if (process.getuid?.() !== 0) throw new Error("The test of the image mounts file systems: run it as root.");
  const ignored = await readFile(join(ROOT, ".dockerignore"), "utf8");
  const site: Site = {
    stages: parseDockerfile(await readFile(join(ROOT, "Dockerfile"), "utf8")),
    dir: await mkdtemp(join(tmpdir(), "latchkey-image-")),
    npm: dirname(dirname(await realpath((await run("which", ["npm"])).stdout.trim()))),
    allowed: ignored.split("\n").flatMap((line) => /^!(.+)$/.exec(line)?.[1] ?? []),
  };
  const { stages, dir } = site;
  for (const stage of stages) await buildStage(site, stage);
  const last = stages.at(-1);
  if (last === undefined) throw new Error("The Dockerfile has no stage");
  return {
    root: folderOf(site, last),
    health: JSON.parse(settingOf(stages, "HEALTHCHECK").replace(/^.*?CMD /, "")),
    command: JSON.parse(settingOf(stages, "CMD")),
    start: (command, env = {}, cgroup) => start(site, last, command, env, cgroup),
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

async function buildStage(site: Site, stage: Stage): Promise<void> {
  const base = site.stages.find(({ name }) => name === stage.from);
  await mkdir(folderOf(site, stage));
  if (base !== undefined) await cp(folderOf(site, base), folderOf(site, stage), { recursive: true });
  for (const { name, text } of stage.instructions) {
    if (name === "COPY") await copy(site, stage, text);
    if (name === "RUN") {
      const env = { ...environmentOf(site.stages, stage), ...npmEnvironment() };
      const args = ["--mount", ...containerOf(site, stage), "build", "/bin/sh", "-c", text];
      await run("unshare", args, { env, timeout: STEP_TIMEOUT_MS, maxBuffer: 1e8 });
    }
  }
}

async function copy(site: Site, stage: Stage, text: string): Promise<void> {
  const [, from] = /^--from=(\S+) /.exec(text) ?? [];
  const paths = text.split(/\s+/).filter((word) => !word.startsWith("--"));
  const target = join(folderOf(site, stage), workdirOf(site.stages, stage), paths.pop() ?? "");
  const source = site.stages.find(({ name }) => name === from);
  for (const path of paths) {
    if (source === undefined && !site.allowed.includes(path)) throw new Error(`.dockerignore leaves out ${path}`);
    const origin = join(source === undefined ? ROOT : folderOf(site, source), path);
    const isFolder = (await stat(origin)).isDirectory();
    await cp(origin, isFolder ? target : join(target, basename(path)), { recursive: true, verbatimSymlinks: true });
  }
}

/** `cgroup`: the folder of the control group that the process is put into. */
async function start(
  site: Site,
  stage: Stage,
  command: readonly string[],
  env: Record<string, string>,
  cgroup: string | undefined,
): Promise<ChildProcess> {
  const { stages, dir } = site;
  const volume = settingOf(stages, "VOLUME");
  const { uid, gid, mode } = await stat(join(folderOf(site, stage), volume));
  const data = await mkdtemp(join(dir, "volume-"));
  await chown(data, uid, gid);
  await chmod(data, mode & 0o777);
  const sealed = [...containerOf(site, stage), settingOf(stages, "USER"), volume, data, ...command];
  const enter = cgroup === undefined ? "" : `echo $$ > ${cgroup}/cgroup.procs; `;
  return spawn("/bin/sh", ["-c", `${enter}exec unshare --mount "$@"`, "sh", ...sealed], {
    env: { PATH, ...environmentOf(stages, stage), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** The first arguments of container.sh. */
function containerOf(site: Site, stage: Stage): string[] {
  return [CONTAINER, folderOf(site, stage), workdirOf(site.stages, stage), process.execPath, site.npm];
}

function folderOf({ dir }: Site, { name }: Stage): string {
  return join(dir, name === "" ? "image" : name);
}

function workdirOf(stages: readonly Stage[], stage: Stage): string {
  const instructions = chainOf(stages, stage).flatMap((each) => each.instructions);
  return instructions.findLast(({ name }) => name === "WORKDIR")?.text ?? "/";
}

/** Where this machine's npm finds its registry and authorities. */
function npmEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) =>
    /^(?:NODE_EXTRA_CA_CERTS|https?_proxy|npm_config_registry)$/i.test(name),
  );
  return { PATH, HOME: "/tmp", ...Object.fromEntries(own.map(([name, value]) => [name, value ?? ""])) };
}
