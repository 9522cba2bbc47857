import { open } from "node:fs/promises";
import { devNull } from "node:os";
import { codeOf } from "../domain/vocabulary/error-code.ts";
import type { ReportError } from "../domain/vocabulary/report-error.ts";

const CHECK_MS = 1_000;
/** Of this process, and of the machine. */
const NONE_LEFT: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

/**
 * Reports while no file descriptor is left, until `close`. New connections are then dropped, and Node does not say so: libuv accepts
 * and closes them itself. So this opens a file once a second, which fails in the same way.
 */
export function watchDescriptors(error: ReportError): { close(): void } {
  const check = async (): Promise<void> => {
    try {
      await (await open(devNull)).close();
    } catch (err) {
      if (NONE_LEFT.has(codeOf(err)))
        error("connections are dropped: no file descriptor is left; raise the limit of open files (LimitNOFILE)", err);
    }
  };
  const timer = setInterval(check, CHECK_MS).unref();
  return { close: () => clearInterval(timer) };
}
