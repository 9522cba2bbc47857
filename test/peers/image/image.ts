import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chown, cp, mkdir, mkdtemp, readFile, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chainOf, environmentOf, parseDockerfile, type Stage, settingOf } from "./dockerfile.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const CONTAINER = fileURLToPath(new URL("container.sh", import.meta.url));
const STEP_TIMEOUT_MS = 600_000;

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

/**
 * Carries out the Dockerfile's steps, each RUN in a root folder of its stage. In place of the base image, which only a
 * registry has, stand this machine's programs and the Node that runs the tests.
 */
export async function buildImage(): Promise<Image> {
  if (process.getuid?.() !== 0) throw new Error("The test of the image mounts file systems: run it as root.");
  const stages = parseDockerfile(await readFile(join(ROOT, "Dockerfile"), "utf8"));
  const ignored = await readFile(join(ROOT, ".dockerignore"), "utf8");
  const allowed = ignored.split("\n").flatMap((line) => /^!(.+)$/.exec(line)?.[1] ?? []);
  const dir = await mkdtemp(join(tmpdir(), "latchkey-image-"));
  const npm = dirname(dirname(await realpath((await run("which", ["npm"])).stdout.trim())));
  const folder = (stage: Stage) => join(dir, stage.name === "" ? "image" : stage.name);
  const common = (stage: Stage) => [CONTAINER, folder(stage), workdirOf(stages, stage), process.execPath, npm];

  async function build(stage: Stage): Promise<void> {
    const base = stages.find(({ name }) => name === stage.from);
    await mkdir(folder(stage));
    if (base !== undefined) await cp(folder(base), folder(stage), { recursive: true });
    for (const { name, text } of stage.instructions) {
      if (name === "COPY") await copy(stage, text);
      if (name === "RUN") {
        const env = { ...environmentOf(stages, stage), ...npmEnvironment() };
        const args = ["--mount", ...common(stage), "build", "/bin/sh", "-c", text];
        await run("unshare", args, { env, timeout: STEP_TIMEOUT_MS, maxBuffer: 1e8 });
      }
    }
  }

  async function copy(stage: Stage, text: string): Promise<void> {
    const [, from] = /^--from=(\S+) /.exec(text) ?? [];
    const paths = text.split(/\s+/).filter((word) => !word.startsWith("--"));
    const target = join(folder(stage), workdirOf(stages, stage), paths.pop() ?? "");
    const source = stages.find(({ name }) => name === from);
    for (const path of paths) {
      if (source === undefined && !allowed.includes(path)) throw new Error(`.dockerignore leaves out ${path}`);
      const origin = join(source === undefined ? ROOT : folder(source), path);
      const isFolder = (await stat(origin)).isDirectory();
      await cp(origin, isFolder ? target : join(target, basename(path)), { recursive: true, verbatimSymlinks: true });
    }
  }

  for (const stage of stages) await build(stage);
  const last = stages.at(-1);
  if (last === undefined) throw new Error("The Dockerfile has no stage");
  const volume = settingOf(stages, "VOLUME");
  return {
    root: folder(last),
    health: JSON.parse(settingOf(stages, "HEALTHCHECK").replace(/^.*?CMD /, "")),
    command: JSON.parse(settingOf(stages, "CMD")),
    async start(command, env = {}, cgroup) {
      const { uid, gid, mode } = await stat(join(folder(last), volume));
      const data = await mkdtemp(join(dir, "volume-"));
      await chown(data, uid, gid);
      await run("chmod", [(mode & 0o777).toString(8), data]);
      const inside = ["unshare", "--mount", ...common(last), settingOf(stages, "USER"), volume, data, ...command];
      const join_ = cgroup === undefined ? "" : `echo $$ > ${cgroup}/cgroup.procs; `;
      return spawn("/bin/sh", ["-c", `${join_}exec "$@"`, "sh", ...inside], {
        env: { PATH, ...environmentOf(stages, last), ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

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
