import { styleText } from "node:util";
import type { Layout, Paint } from "./table.ts";

const STYLES = { head: "bold", good: "green", bad: "red", faint: "dim" } as const;

/** Where a command writes: results to stdout, all else to stderr. */
export interface Terminal {
  /** A result; for programs, people and files. */
  out(text: string): void;
  /** Only for people: never a result, and never a secret. */
  note(text: string): void;
  /** A line for people that the next one replaces, and an empty one removes. Nothing where stderr is not a terminal. */
  progress(text: string): void;
  readonly outLayout: Layout;
  readonly noteLayout: Layout;
}

/**
 * The terminal of this process. `COLUMNS` overrides its width. Colours are for terminals; `NO_COLOR` turns them off and
 * `FORCE_COLOR` on, as Node itself decides.
 */
export function processTerminal(): Terminal {
  return {
    out: (text) => void process.stdout.write(text),
    note: (text) => void process.stderr.write(text),
    progress: (text) => void (process.stderr.isTTY && process.stderr.write(`\r\x1b[K${text}`)),
    outLayout: layoutOf(process.stdout),
    noteLayout: layoutOf(process.stderr),
  };
}

function layoutOf(stream: NodeJS.WriteStream): Layout {
  const given = Number(process.env.COLUMNS);
  const paint: Paint = (style, text) => styleText(STYLES[style], text, { stream });
  return { width: given >= 1 ? given : (stream.columns ?? Number.POSITIVE_INFINITY), paint };
}
