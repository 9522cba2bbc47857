import type { Logger } from "pino";
import { codeOf } from "../../domain/vocabulary/error-code.ts";
import type { ReportError } from "../../domain/vocabulary/report-error.ts";

/** Interval between two lines of a condition that lasts. */
const COUNTED_MS = 60_000;
/** Conditions that are counted separately at a time. All further ones are counted as one. */
const CONDITIONS_MAX = 100;
const ALL_OTHERS = "";
/** Depth of causes that distinguish conditions. */
const DEPTH_MAX = 3;
const TEXT_LENGTH_MAX = 200;

export interface ConditionLog {
  readonly error: ReportError;
  readonly warn: ReportError;
  /** Logs the counted errors. From now on every error is logged, so that none is lost when the process ends. */
  close(): void;
}

interface Condition {
  /** How often it occurred since its last line. */
  repeated: number;
  /** Logs the latest occurrence. */
  write: (repeated: number) => void;
}

/**
 * Keeps a condition that fails every request from filling the log. Its first error is logged at once. Later ones are
 * counted, and once a minute the latest of them is logged with their number (`repeated`).
 *
 * A condition is a message with a kind of error. The kind is the error's codes or, without a code, its text without numbers
 * and the line that threw it. `fields`, such as the id of a request, make no difference.
 */
export function createConditionLog(log: Logger): ConditionLog {
  const conditions = new Map<string, Condition>();
  const minutes = new Set<NodeJS.Timeout>();
  let isClosed = false;

  function writeCounted(condition: Condition): void {
    const { repeated, write } = condition;
    condition.repeated = 0;
    if (repeated > 0) write(repeated);
  }

  function begin(key: string, condition: Condition): void {
    conditions.set(key, condition);
    const minute = setInterval(() => {
      if (condition.repeated > 0) return writeCounted(condition);
      conditions.delete(key);
      clearInterval(minute);
      minutes.delete(minute);
    }, COUNTED_MS).unref();
    minutes.add(minute);
  }

  function reporter(level: "error" | "warn"): ReportError {
    return (message, err, fields) => {
      const write = (repeated: number): void =>
        log[level]({ err, ...fields, ...(repeated > 0 && { repeated }) }, message);
      if (isClosed) return write(0);
      const own = `${message}: ${kindOf(err)}`;
      const key = conditions.has(own) || conditions.size < CONDITIONS_MAX ? own : ALL_OTHERS;
      const known = conditions.get(key);
      if (known === undefined) {
        write(0);
        begin(key, { repeated: 0, write });
      } else {
        known.repeated += 1;
        known.write = write;
      }
    };
  }

  return {
    error: reporter("error"),
    warn: reporter("warn"),
    close() {
      isClosed = true;
      for (const minute of minutes) clearInterval(minute);
      for (const condition of conditions.values()) writeCounted(condition);
    },
  };
}

/** A key that is equal for errors of one kind. */
function kindOf(err: unknown, depth = 1): string {
  if (!(err instanceof Error)) return typeof err;
  const own = `${err.name} ${codeOf(err) ?? placeOf(err)}`;
  return err.cause === undefined || depth === DEPTH_MAX ? own : `${own} < ${kindOf(err.cause, depth + 1)}`;
}

function placeOf({ message, stack = "" }: Error): string {
  const text = message.slice(0, TEXT_LENGTH_MAX).replaceAll(/\d+/g, "0");
  const [line = ""] = /^ +at .*$/m.exec(stack) ?? [];
  return `${text}${line}`;
}
