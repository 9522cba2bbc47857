import { type Logger, pino } from "pino";
import type { App } from "./app.ts";
import type { LogLevel } from "./config.ts";
import { keepTickShape } from "./tick-shape.ts";

/** Time from the signal to the end of the process, whatever still runs then. */
const STOP_TIMEOUT_MS = 28_000;

/**
 * Lines are made together: one by one, they would cost a request a good part of what judging it does. Nobody is served
 * meanwhile, so twice as many would show in the 99th percentile of the answers' times.
 */
const LOG_LINES_MAX = 64;
/**
 * Characters that are written at once: each write is handed to another thread and back, which costs as much as to make some
 * hundred lines.
 */
const LOG_WRITE_LENGTH = 49_152;
/** More than that has, as a rule. */
const LOG_WRITE_BYTES_MAX = 65_536;
/** How late a line may be, and how much of the log a process killed without a signal loses. */
const LOG_FLUSH_MS = 100;

export interface Log {
  readonly log: Logger;
  /** Takes what makes a line, its end included; it is called when the line is written. */
  readonly writeLine: (makeLine: () => string) => void;
}

/** The log: JSON lines on stdout. */
export function createLog(level: LogLevel): Log {
  const writeLine = chunkedStdout();
  const write = (line: string): void => writeLine(() => line);
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
  return { log, writeLine };
}

/** Gathers lines itself: the destination would measure all that it holds at each of them. */
function chunkedStdout(): Log["writeLine"] {
  const stdout = pino.destination({ fd: 1, sync: false, maxWrite: LOG_WRITE_BYTES_MAX });
  let gathered: (() => string)[] = [];
  let made = "";
  const makeLines = (): void => {
    const lines = gathered;
    gathered = [];
    made += lines.map((makeLine) => makeLine()).join("");
  };
  const write = (): void => {
    if (made === "") return;
    stdout.write(made);
    made = "";
  };
  const flush = (): void => {
    makeLines();
    write();
  };
  setInterval(flush, LOG_FLUSH_MS).unref();
  process.on("exit", () => {
    flush();
    stdout.flushSync();
  });
  return (makeLine) => {
    gathered.push(makeLine);
    if (gathered.length < LOG_LINES_MAX) return;
    makeLines();
    if (made.length >= LOG_WRITE_LENGTH) write();
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
