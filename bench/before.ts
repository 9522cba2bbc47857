import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DatabaseOptions } from "../src/config/settings.ts";
import { type Contestant, latchkeyEmbedded, latchkeyPostgres, latchkeyRedis, startArguments } from "./contestants.ts";
import type { Owner, World } from "./world.ts";

/** Latchkey as it was while Redis held the key records, for a comparison with later versions in one run. */

const COMMIT = "953ec4056a5c43985344d47cd9c6d63fcdf78670";
const REPOSITORY = fileURLToPath(new URL("..", import.meta.url));
/** Kept for the next run; whatever git and the linters ignore. */
const FOLDER = join(REPOSITORY, ".latchkey/bench", COMMIT.slice(0, 7));

const BEFORE: Owner = {
  name: "before",
  async migrate(options) {
    run(process.execPath, [join(FOLDER, "dist/migrate.js")], FOLDER, storageEnv(options));
  },
};

export const redisBefore = before(latchkeyRedis, "Latchkey before, PostgreSQL + Redis", async (world) => ({
  DATABASE_URL: await world.database(BEFORE),
  REDIS_URL: world.redisUrl,
}));

export const postgresBefore = before(latchkeyPostgres, "Latchkey before, PostgreSQL", async (world) => ({
  DATABASE_URL: await world.database(BEFORE),
}));

export const embeddedBefore = before(latchkeyEmbedded, "Latchkey before, embedded", async (world) => ({
  DATA_DIR: await world.dataDir(BEFORE),
}));

function before(now: Contestant, name: string, storage: (world: World) => Promise<Record<string, string>>): Contestant {
  return {
    name,
    does: `the version of commit ${COMMIT.slice(0, 7)}, with the same settings on a database of its own`,
    authenticates: true,
    replicas: now.replicas,
    prepare,
    command: async (world) => ({
      args: startArguments(FOLDER),
      env: { ...world.oidcEnv, ...(await storage(world)) },
    }),
    path: now.path,
  };
}

/**
 * Unpacks and builds the commit on first use. An archive, and no worktree, which the repository would list from then on;
 * under another name until it is whole.
 */
async function prepare(): Promise<void> {
  if (existsSync(FOLDER)) return;
  if (spawnSync("git", ["cat-file", "-e", `${COMMIT}^{commit}`], { cwd: REPOSITORY }).status !== 0) {
    throw new Error(`commit ${COMMIT.slice(0, 7)} is not in this clone`);
  }
  const beside = `${FOLDER}.new`;
  rmSync(beside, { recursive: true, force: true });
  mkdirSync(beside, { recursive: true });
  run("sh", ["-c", `git archive ${COMMIT} | tar -x -C "$TARGET"`], REPOSITORY, { TARGET: beside });
  run("npm", ["ci", "--no-audit", "--no-fund"], beside);
  run("npm", ["run", "build"], beside);
  renameSync(beside, FOLDER);
}

function storageEnv(options: DatabaseOptions): Record<string, string> {
  return options.kind === "postgres" ? { DATABASE_URL: options.url } : { DATA_DIR: options.dataDir };
}

function run(program: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): void {
  execFileSync(program, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "inherit"] });
}
