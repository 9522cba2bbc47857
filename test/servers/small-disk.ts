import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { codeOf } from "../../src/domain/vocabulary/error-code.ts";

/** A disk that a test may fill. */
export interface SmallDisk {
  readonly dir: string;
  /** Leaves not a page of it. */
  fill(): Promise<void>;
  /** Takes back what `fill` took. */
  free(): Promise<void>;
  unmount(): Promise<void>;
}

const run = promisify(execFile);
const CHUNK = Buffer.alloc(65_536);
const ADVICE =
  "This test mounts a small disk: run it as root on Linux, in a container with the capability SYS_ADMIN (docker run --cap-add SYS_ADMIN).";

/** Mounts a disk of so many MiB in memory. */
export async function mountSmallDisk(mib: number): Promise<SmallDisk> {
  const dir = await mkdtemp(join(tmpdir(), "latchkey-disk-"));
  await run("mount", ["-t", "tmpfs", "-o", `size=${mib}m`, "latchkey-test", dir]).catch((cause) => {
    throw new Error(ADVICE, { cause });
  });
  const unmount = () => spawnSync("umount", ["--lazy", dir]);
  process.once("exit", unmount); // an aborted run must not leave it behind
  const filler = join(dir, "filler");
  return {
    dir,
    async fill() {
      const file = await open(filler, "w");
      try {
        for (;;) await file.write(CHUNK);
      } catch (err) {
        if (codeOf(err) !== "ENOSPC") throw err;
      } finally {
        await file.close();
      }
    },
    free: () => rm(filler),
    async unmount() {
      process.off("exit", unmount);
      unmount();
      await rm(dir, { recursive: true });
    },
  };
}
