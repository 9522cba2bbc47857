import { type Logger, pino } from "pino";
import type { LogLevel } from "../../config/settings.ts";
import { escapeInvisible } from "../../domain/vocabulary/invisible-characters.ts";
import { createLogOutput } from "./log-output.ts";
import { loggedError } from "./logged-error.ts";

/**
 * Lines are made in batches: made one by one, they would cost a large part of what authenticating a request costs. A batch
 * blocks the event loop, so twice the size would raise p99.
 */
const LINES_MAX = 64;
/**
 * Characters per write. Each write goes to another thread and back, which costs as much as making about a hundred lines.
 */
const WRITE_LENGTH = 49_152;
/** Longest delay of a line. A killed process (SIGKILL) loses the lines of this time. */
const FLUSH_MS = 100;
const STDOUT = 1;

export interface Log {
  readonly log: Logger;
  /** Takes a function that makes a line, including its line end. It is called when the line is written. */
  readonly writeLine: (makeLine: () => string) => void;
}

/** The log: JSON lines on stdout. Lines that cannot be written are lost, and stderr says so. */
export function createLog(level: LogLevel): Log {
  const writeLine = gatherLines();
  return { log: createLogger(level, (line) => writeLine(() => line)), writeLine };
}

/** Makes the process's own lines. Only this function decides which parts of an error they contain. */
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
