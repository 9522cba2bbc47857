import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "vitest";
import type { Fleet, Replica } from "../harness/fleet.ts";
import { readMetric } from "../leases-faults/pair.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);
/** Changes at once. */
const AT_ONCE = 8;

export interface PreviousRelease {
  /** What to run. */
  readonly main: string;
  remove(): Promise<void>;
}

/** Writes its sources into a folder, with this checkout's packages, or with its own where those are others. */
export async function checkOutPreviousRelease(): Promise<PreviousRelease> {
  const commit = await findPreviousRelease();
  const dir = await mkdtemp(join(tmpdir(), "latchkey-previous-"));
  const archive = join(dir, "archive.tar");
  const files = ["src", "gen", "package.json", "package-lock.json", ".npmrc"];
  await run("git", ["archive", "-o", archive, commit, ...files], { cwd: ROOT });
  await run("tar", ["-xf", archive, "-C", dir]);
  if (await hasOurPackages(dir)) await symlink(join(ROOT, "node_modules"), join(dir, "node_modules"));
  else await run("npm", ["ci", "--ignore-scripts", "--omit=dev"], { cwd: dir });
  return { main: join(dir, "src/main.ts"), remove: () => rm(dir, { recursive: true, force: true }) };
}

/** The last tag before this commit. Until there is one: the last commit that changed the first schema, which it begins with. */
async function findPreviousRelease(): Promise<string> {
  const git = async (...args: string[]) => (await run("git", args, { cwd: ROOT })).stdout.trim();
  const isShallow = await git("rev-parse", "--is-shallow-repository");
  if (isShallow === "true") throw new Error("This test needs the previous release: run git fetch --unshallow.");
  const tag = await git("describe", "--tags", "--abbrev=0", "--match=v*", "HEAD^").catch(() => "");
  return tag || git("log", "-1", "--format=%H", "--", "src/store/sql/migrations/0001-initial");
}

/** Versions are exact, so that equal ones are the same packages. */
async function hasOurPackages(dir: string): Promise<boolean> {
  const [own, theirs] = await Promise.all(
    [ROOT, dir].map(async (folder) => JSON.parse(await readFile(join(folder, "package.json"), "utf8")).dependencies),
  );
  return Object.entries(theirs).every(([name, version]) => own[name] === version);
}

export const leaseOf = (replica: Replica) => readMetric(replica, "key_lease_held");

/** How often a replica accepted a key by a request that began after the revocation was acknowledged. */
export interface Trials {
  readonly stale: number;
  /** How long after the acknowledgement the last such request began. */
  readonly staleMsMax: number;
}

/**
 * Revokes keys through one replica while all of them verify each key, which they have cached. Then each verifies it again,
 * for `watchMs`.
 */
export async function revokeEverywhere(
  fleet: Fleet,
  revoker: Replica,
  replicas: readonly Replica[],
  trials: number,
  watchMs = 0,
): Promise<Trials> {
  const dashboard = await fleet.dashboard();
  let begun = 0;
  let stale = 0;
  let staleMsMax = 0;
  const verify = async (replica: Replica, key: string) =>
    (await replica.call("/api/v1/auth/verify", {}, { "x-api-key": key })).status;

  async function trial(): Promise<void> {
    const { key, key_id } = await fleet.createKey(revoker);
    for (const replica of replicas) {
      for (let n = 0; n < 2; n++) expect(await verify(replica, key)).toBe(200);
    }
    let ackedMs = Number.POSITIVE_INFINITY;
    let isStale = false;
    const verifying = replicas.map(async (replica) => {
      for (;;) {
        const fromMs = performance.now();
        const status = await verify(replica, key);
        if (status === 200 && fromMs > ackedMs) {
          isStale = true;
          staleMsMax = Math.max(staleMsMax, fromMs - ackedMs);
        }
        // One more that began after the acknowledgement.
        if (fromMs > ackedMs + watchMs) return;
        await sleep(2);
      }
    });
    const answer = await revoker.call("/api/v1/api-keys/revoke", { key_id }, dashboard);
    ackedMs = performance.now();
    expect(answer.status).toBe(200);
    await Promise.all(verifying);
    if (isStale) stale += 1;
  }

  const worker = async (): Promise<void> => {
    while (begun < trials) {
      begun += 1;
      await trial();
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, trials) }, worker));
  return { stale, staleMsMax };
}
