import { type Logger, pino } from "pino";
import type { App } from "./app.ts";
import type { LogLevel } from "./config.ts";
import { keepTickShape } from "./tick-shape.ts";

/** Time from the signal to the end of the process, whatever still runs then. */
const STOP_TIMEOUT_MS = 28_000;

/** Lines are written together: one write for each would cost a request as much as judging it. */
const LOG_CHUNK_CHARS = 32_768;
/** How late a line may be, and how much of the log a process killed without a signal loses. */
const LOG_FLUSH_MS = 100;

export interface Log {
  readonly log: Logger;
  /** Writes a line that is complete, its end included. */
  readonly writeLine: (line: string) => void;
}

/** The log: JSON lines on stdout. */
export function createLog(level: LogLevel): Log {
  const writeLine = chunkedStdout();
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write: writeLine });
  return { log, writeLine };
}

/** Gathers lines itself: the destination would measure all that it holds at each of them. */
function chunkedStdout(): Log["writeLine"] {
  const stdout = pino.destination({ fd: 1, sync: false, maxWrite: 2 * LOG_CHUNK_CHARS });
  let lines: string[] = [];
  let chars = 0;
  const flush = (): void => {
    if (chars === 0) return;
    stdout.write(lines.join(""));
    lines = [];
    chars = 0;
  };
  setInterval(flush, LOG_FLUSH_MS).unref();
  process.on("exit", () => {
    flush();
    stdout.flushSync();
  });
  return (line) => {
    lines.push(line);
    chars += line.length;
    if (chars >= LOG_CHUNK_CHARS) flush();
  };
}

/** Runs an app until SIGTERM or SIGINT. A start that fails says why in plain words and ends with status 1. */
export async function runProcess(start: () => Promise<App>): Promise<void> {
  keepTickShape();
  let app: App;
  try {
    app = await start();
  } catch (err) {
    console.error(err instanceof Error ? `latchkey: ${err.message}` : err);
    process.exit(1);
  }
  // What renews certificates says so by this signal, which would end the process otherwise.
  process.on("SIGHUP", () => {
    try {
      app.reloadCertificate();
    } catch (err) {
      console.error(`latchkey: the certificate was not renewed: ${err instanceof Error ? err.message : err}`);
    }
  });
  const stop = (): void => {
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
    app.close().then(
      () => process.exit(0),
      (err: unknown) => {
        console.error(err);
        process.exit(1);
      },
    );
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}
