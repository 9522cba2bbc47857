import { type Logger, pino } from "pino";
import type { LogLevel } from "../../config/settings.ts";
import { escapeInvisible } from "../../domain/invisible-characters.ts";
import { createLogOutput } from "./log-output.ts";
import { loggedError } from "./logged-error.ts";

/**
 * Lines are made in batches: one by one, they would cost a request a good part of what judging it does. The event loop is
 * blocked meanwhile, so a batch of twice the size would raise p99.
 */
const LINES_MAX = 64;
/**
 * Characters that are written at once: each write is handed to another thread and back, which costs as much as to make some
 * hundred lines.
 */
const WRITE_LENGTH = 49_152;
/** How late a line may be, and how much of the log a process killed without a signal loses. */
const FLUSH_MS = 100;
const STDOUT = 1;

export interface Log {
  readonly log: Logger;
  /** Takes what makes a line, its end included; it is called when the line is written. */
  readonly writeLine: (makeLine: () => string) => void;
}

/** The log: JSON lines on stdout. Where they cannot be written they are lost, and stderr says so. */
export function createLog(level: LogLevel): Log {
  const writeLine = gatherLines();
  return { log: createLogger(level, (line) => writeLine(() => line)), writeLine };
}

/** What makes the lines of the process itself, the only place that decides what of an error they have. */
export function createLogger(level: LogLevel, write: (line: string) => void): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: loggedError } };
  return pino(options, { write: (line) => write(escapeInvisible(line)) });
}

function gatherLines(): Log["writeLine"] {
  const stdout = createLogOutput(STDOUT, {
    onLoss: (err) => console.error(`latchkey: the log cannot be written, lines are lost: ${err.message}`),
  });
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
  setInterval(() => {
    makeLines();
    write();
  }, FLUSH_MS).unref();
  process.on("exit", () => {
    makeLines();
    stdout.end(made);
  });
  return (makeLine) => {
    gathered.push(makeLine);
    if (gathered.length < LINES_MAX) return;
    makeLines();
    if (made.length >= WRITE_LENGTH) write();
  };
}
