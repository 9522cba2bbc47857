import { readFileSync } from "node:fs";

/** Each connection of a caller, to PostgreSQL and to Redis takes one. */
const OPEN_FILES_MIN = 1_024;

/** Warns if this process may have few open files, and so few connections. `limits`: the text of `/proc/self/limits`. */
export function* openFilesWarnings(limits: string = readLimits()): Generator<string> {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  if (soft === undefined || Number(soft) >= OPEN_FILES_MIN) return;
  yield `this process may have ${soft} open files, and each connection is one: when none is left, connections are dropped. ` +
    `Allow ${OPEN_FILES_MIN} or more, with ulimit -n, LimitNOFILE of systemd or the runtime of the containers`;
}

/** Node has raised the soft limit to the hard one when it started. Only Linux shows it in a file. */
function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}
