import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chooseProviderPort } from "../harness/dev-provider.ts";
import { runNpm } from "../harness/service-process.ts";
import { output } from "../peers/callers.ts";
import { canRun, ensureInstalled } from "../servers/debian.ts";
import { type NpmRegistry, packInstalled, startNpmRegistry } from "./npm-registry.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** What `npm run release` writes. */
export const FILES = join(ROOT, "artifacts/release");

/** One that has the files of a release, a service of them, and no checkout. */
export interface SecondMachine {
  readonly version: string;
  /** A new, empty folder. */
  folder(): Promise<string>;
  /** Runs a program with an empty home and the exports of the service; returns what it printed. */
  run(folder: string, program: string, args: readonly string[], env?: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

/** Makes the release, publishes its npm packages on this machine, and starts what `npx latchkey dev` installs of them. */
export async function startSecondMachine(): Promise<SecondMachine> {
  await ensureInstalled({
    package: "mmdebstrap",
    isInstalled: () => canRun("mmdebstrap", "--version"),
    advice: "The tests of the release need mmdebstrap, which makes the image: install Debian's package of that name.",
  });
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  await output("npm", ["run", "release", "--", "--dry-run", version], { cwd: ROOT });
  const place = await mkdtemp(join(tmpdir(), "latchkey-second-"));
  const folder = () => mkdtemp(join(place, "folder-"));
  const registry = await publishPackages(await folder());
  const home = join(place, "home");
  const userSettings = join(home, ".npmrc");
  // The npm that runs the tests hands on where its own are.
  const own = { HOME: home, npm_config_userconfig: userSettings };
  await mkdir(home);
  await writeFile(userSettings, registry.settings);

  const project = await folder();
  await chooseProviderPort(project);
  const service = runNpm(["exec", "--yes", `latchkey@${version}`, "dev"], { ...own, PORT: "0" }, project);
  await service.waitFor(/\/try\n/);
  const exported = await readFile(join(project, ".latchkey/dev/env.sh"), "utf8");
  const credentials = Object.fromEntries(
    [...exported.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
  return {
    version,
    folder,
    run: (cwd, program, args, env = {}) => output(program, args, { cwd, env: { ...own, ...credentials, ...env } }),
    async close() {
      service.killAll();
      registry.stop();
      await service.ended();
      await rm(place, { recursive: true, force: true });
    },
  };
}

/** What a release publishes to npm, and what that installs. */
async function publishPackages(folder: string): Promise<NpmRegistry> {
  const registry = await startNpmRegistry(folder);
  for (const name of await readdir(join(FILES, "npm"))) {
    const archive = join(FILES, "npm", name);
    const manifest = await output("tar", ["-xzOf", archive, "package/package.json"]);
    for (const dependency of Object.keys(JSON.parse(manifest).dependencies))
      await registry.publish(await packInstalled(ROOT, dependency, folder));
    await registry.publish(archive);
  }
  return registry;
}

/** The path of the only file of a kind whose name matches. */
export async function artifact(kind: string, name: RegExp): Promise<string> {
  const names = await readdir(join(FILES, kind));
  const [found, ...others] = names.filter((each) => name.test(each));
  if (found === undefined || others.length > 0) throw new Error(`${name} is not one of ${names.join(", ")}`);
  return join(FILES, kind, found);
}
