import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { output } from "../peers/callers.ts";
import { exists, PEERS_DIR } from "../peers/go-tools.ts";
import { freePort } from "../servers/free-port.ts";
import { killAtExit } from "../servers/kill-at-exit.ts";

const VERSION = "6.10.4";
/** It names a version of node-fetch by a tag, which mirrors of npm's registry do not have. */
const MANIFEST = { private: true, dependencies: { verdaccio: VERSION }, overrides: { "node-fetch": "2.7.0" } };
/** Kept between runs. */
const PROGRAM = join(PEERS_DIR, `verdaccio-${VERSION}`);
const START_MS = 60_000;

/** A registry of npm on this machine, which has what was published to it and asks no other. */
export interface NpmRegistry {
  /** Lines of a user's .npmrc. */
  readonly settings: string;
  publish(archive: string): Promise<void>;
  stop(): void;
}

/** `folder` gets its packages. */
export async function startNpmRegistry(folder: string): Promise<NpmRegistry> {
  if (!(await exists(join(PROGRAM, "node_modules/verdaccio")))) await install();
  const anyone = { access: "$all", publish: "$all" };
  const config = join(folder, "config.yaml");
  const settings = { max_body_size: "100mb", log: { type: "stdout", level: "warn" } };
  await writeFile(
    config,
    JSON.stringify({ storage: join(folder, "storage"), packages: { "**": anyone }, ...settings }),
  );
  const port = await freePort();
  const program = join(PROGRAM, "node_modules/verdaccio/bin/verdaccio");
  const child = spawn(process.execPath, [program, "--listen", `127.0.0.1:${port}`, "--config", config], {
    cwd: folder,
    stdio: "ignore",
  });
  killAtExit(child);
  const url = `http://127.0.0.1:${port}/`;
  const untilMs = performance.now() + START_MS;
  while (!(await answers(`${url}-/ping`))) {
    if (child.exitCode !== null || performance.now() > untilMs) throw new Error("Verdaccio does not start");
    await sleep(100);
  }
  // npm publishes only with a token; here any is good.
  const userSettings = `registry=${url}\n//127.0.0.1:${port}/:_authToken=any\n`;
  const home = join(folder, "publisher.npmrc");
  await writeFile(home, userSettings);
  return {
    settings: userSettings,
    async publish(archive) {
      const options = ["--access", "public", "--ignore-scripts", "--userconfig", home];
      await output("npm", ["publish", archive, ...options], { cwd: folder });
    },
    stop: () => void child.kill("SIGKILL"),
  };
}

/** Packs an installed package of others. It must install no further ones. */
export async function packInstalled(root: string, name: string, folder: string): Promise<string> {
  const source = join(root, "node_modules", name);
  const { dependencies = {} } = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
  if (Object.keys(dependencies).length > 0) throw new Error(`${name} installs ${Object.keys(dependencies).join(", ")}`);
  const packed = await output("npm", ["pack", "--silent", "--ignore-scripts", source], { cwd: folder });
  return join(folder, packed.trim());
}

async function install(): Promise<void> {
  await mkdir(PROGRAM, { recursive: true });
  await writeFile(join(PROGRAM, "package.json"), JSON.stringify(MANIFEST));
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await output("npm", ["install", ...options], { cwd: PROGRAM }).catch((cause: unknown) => {
    throw new Error("The tests of the release need Verdaccio, from npm's registry.", { cause });
  });
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}
