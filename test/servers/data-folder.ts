import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const IN_MEMORY = "/dev/shm";
/** A run makes hundreds of databases of 8 MB, and PostgreSQL keeps 1 GB of its log. */
const NEEDED_BYTES = 12 * 2 ** 30;

/** Where the databases of a run are: in memory if there is room for all, because to write a new one to a disk doubles its cost. */
export function dataFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    if (bavail * bsize >= NEEDED_BYTES) return IN_MEMORY;
  } catch {
    // Other systems have no such folder.
  }
  return tmpdir();
}
