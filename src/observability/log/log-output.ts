import { write as writeAsync, writeSync } from "node:fs";
import { codeOf } from "../../domain/vocabulary/error-code.ts";

/** Writes the log's text. Errors never reach the caller. */
export interface LogOutput {
  write(text: string): void;
  /**
   * Writes the rest and a last text before it returns, because the process ends. It tries for a second. Writing to a
   * blocking descriptor takes as long as its reader does.
   */
  end(text: string): void;
}

export interface LogOutputOptions {
  /** Called once when text is lost, and again at the next loss after a successful write. */
  readonly onLoss: (err: NodeJS.ErrnoException) => void;
  /** Maximum number of characters that wait for a slow reader. Further text is lost. */
  readonly waitingMax?: number;
}

const WAITING_MAX = 16_777_216;
/** Errors that a slow reader or a locked file causes on a non-blocking descriptor. */
const PASSING = new Set(["EAGAIN", "EBUSY"]);
const PAUSE_MS = 20;
const LAST_PAUSES_MAX = 50;
const FULL = Object.assign(new Error("more waits to be written than is kept"), { code: "ENOBUFS" });

/**
 * Writes to a file descriptor in the background, one piece after the other.
 *
 * We do not use pino's destination, because a log must not prevent answers: it ends the process when the disk is full, and
 * at exit tries forever to write the rest.
 */
export function createLogOutput(fd: number, { onLoss, waitingMax = WAITING_MAX }: LogOutputOptions): LogOutput {
  let waiting = "";
  /** The rest of the piece that is being written. */
  let piece: Buffer | undefined;
  /** Whether the writer pauses between two attempts. */
  let isPausing = false;
  let isLosing = false;

  function lose(err: NodeJS.ErrnoException): void {
    if (!isLosing) onLoss(err);
    isLosing = true;
  }

  function begin(): void {
    if (waiting === "") return;
    // The lost text may have ended in the middle of a line.
    writePiece(Buffer.from(isLosing ? `\n${waiting}` : waiting));
    waiting = "";
  }

  function writePiece(rest: Buffer): void {
    piece = rest;
    isPausing = false;
    writeAsync(fd, rest, (err, bytes) => {
      if (PASSING.has(codeOf(err) ?? "")) {
        isPausing = true;
        setTimeout(writePiece, PAUSE_MS, rest).unref();
        return;
      }
      if (err === null && bytes < rest.length) return writePiece(rest.subarray(bytes));
      if (err === null) isLosing = false;
      else lose(err);
      piece = undefined;
      begin();
    });
  }

  return {
    write(text) {
      if (waiting.length + text.length > waitingMax) return lose(FULL);
      waiting += text;
      if (piece === undefined) begin();
    },
    end(text) {
      // Another thread finishes a write under way before the process ends.
      const left = isPausing && piece !== undefined ? piece : Buffer.alloc(0);
      let rest = Buffer.concat([left, Buffer.from(waiting + text)]);
      waiting = "";
      const nothing = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      for (let pauses = 0; rest.length > 0 && pauses < LAST_PAUSES_MAX; ) {
        try {
          rest = rest.subarray(writeSync(fd, rest));
        } catch (err) {
          if (!PASSING.has(codeOf(err) ?? "")) return;
          Atomics.wait(nothing, 0, 0, PAUSE_MS);
          pauses++;
        }
      }
    },
  };
}
