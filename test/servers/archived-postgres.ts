import { execFile } from "node:child_process";
import { chown, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { dataFolder } from "./data-folder.ts";
import { freePort } from "./free-port.ts";
import { binaries, createCluster, end, endAndRemove, launch, ready, serverUser } from "./postgres.ts";

const run = promisify(execFile);
const PASSWORD = "a-password-of-this-test";

/** A server that archives its WAL, and can be brought back to any instant since it was started, by a base backup from then. */
export interface ArchivedPostgres {
  /** Of a superuser, on the database `postgres`. */
  readonly url: string;
  /** Brings all databases back to an instant, on the same port. Breaks all connections. */
  restoreTo(instant: Date): Promise<void>;
  stop(): Promise<void>;
}

export async function startArchivedPostgres(): Promise<ArchivedPostgres> {
  const [bin, owner] = [await binaries(), await serverUser()];
  const dir = await mkdtemp(join(dataFolder(), "latchkey-archived-"));
  const [data, archive, backup] = ["data", "archive", "backup"].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(archive);
  if (owner !== undefined) for (const path of [dir, archive]) await chown(path, owner.uid, owner.gid);
  await createCluster(bin, dir, owner, PASSWORD);
  const port = await freePort();
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
  const archiving = { archive_mode: "on", archive_command: `cp %p ${archive}/%f` };
  let server = await launch(bin, dir, owner, port, archiving);
  await ready(url, server);
  const copying = ["-d", url, "-D", backup, "-X", "none", "-c", "fast", "--no-sync"];
  await run(join(bin, "pg_basebackup"), copying, { ...owner, cwd: dir });
  return {
    url,
    async restoreTo(instant) {
      // A shutdown archives the last segment, too.
      await end(server.process, "SIGINT");
      await rm(data, { recursive: true });
      await cp(backup, data, { recursive: true });
      await writeFile(join(data, "recovery.signal"), "");
      if (owner !== undefined) await run("chown", ["-R", `${owner.uid}:${owner.gid}`, data]);
      await run("chmod", ["0700", data]);
      // Abbreviations of time zones, Z among them, are not known when settings are read.
      const recovery = {
        recovery_target_time: instant.toISOString().replace("Z", "+00"),
        recovery_target_action: "promote",
      };
      server = await launch(bin, dir, owner, port, { restore_command: `cp ${archive}/%f %p`, ...recovery });
      await ready(url, server);
      // It answers before it has come to the instant.
      while (await isInRecovery(url)) await sleep(50);
    },
    stop: () => endAndRemove(server, dir),
  };
}

async function isInRecovery(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query("select pg_is_in_recovery() as it");
    return rows[0]?.it === true;
  } finally {
    await client.end();
  }
}
