import { write as writeAsync, writeSync } from "node:fs";
import { codeOf } from "../../domain/error-code.ts";

/** Where the log's text goes. Errors of writing never reach the caller. */
export interface LogOutput {
  write(text: string): void;
  /**
   * Writes what is left, and a last text, before it returns: the process ends. It tries for a second, but a descriptor that
   * blocks is waited for as long as its reader takes.
   */
  end(text: string): void;
}

export interface LogOutputOptions {
  /** Told once that text is lost, and once more after text that was not. */
  readonly onLoss: (err: NodeJS.ErrnoException) => void;
  /** Most characters that wait for a slow reader; what comes beyond them is lost. */
  readonly waitingMax?: number;
}

const WAITING_MAX = 16_777_216;
/** What a slow reader, or a locked file, is to a descriptor that does not block. */
const PASSING = new Set(["EAGAIN", "EBUSY"]);
const PAUSE_MS = 20;
const LAST_PAUSES_MAX = 50;
const FULL = Object.assign(new Error("more waits to be written than is kept"), { code: "ENOBUFS" });

/**
 * Writes to a file descriptor in the background, one piece after the other.
 *
 * Our own, because a log must not cost anybody an answer: pino's destination ends the process when the disk is full, and
 * on the way out tries to write the rest for ever.
 */
export function createLogOutput(fd: number, { onLoss, waitingMax = WAITING_MAX }: LogOutputOptions): LogOutput {
  let waiting = "";
  /** What has begun to be written, as far as it is not yet. */
  let piece: Buffer | undefined;
  /** Between two attempts to write it. */
  let isPausing = false;
  let isLosing = false;

  function lose(err: NodeJS.ErrnoException): void {
    if (!isLosing) onLoss(err);
    isLosing = true;
  }

  function begin(): void {
    if (waiting === "") return;
    // What was lost may have broken off in the middle of a line.
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
      // What is under way is with another thread, which ends it before the process does.
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
