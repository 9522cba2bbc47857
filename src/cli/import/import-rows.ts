import { pagesOf } from "./pages.ts";
import type { ReadRow } from "./read-result.ts";
import { refusedRow } from "./refused-row.ts";
import type { Outcome, SendRows } from "./send-rows.ts";

/** While the service stores one page, others are read and sent. Rows of one tenant wait for each other there. */
const IN_FLIGHT_MAX = 4;

/** How many rows, and what became of them. */
export interface Tally {
  readonly rows: number;
  readonly created: number;
  readonly exists: number;
  readonly refused: number;
}

export interface ImportPorts {
  readonly send: SendRows;
  /** Takes lines of the file of refused rows, in the order of the input. */
  readonly refuse: (lines: readonly string[]) => void;
  /** Is called after each page. */
  readonly onTally: (tally: Tally) => void;
  /** Ends the reading. Calls that have begun are waited for. */
  readonly signal: AbortSignal;
}

interface SentPage {
  readonly page: readonly ReadRow[];
  readonly outcomes: Promise<readonly Outcome[]>;
}

/**
 * Imports the rows of a file in pages, a few of them at a time. After a failure nothing more is sent; what became of the calls that
 * had begun is counted, and the first failure is thrown.
 */
export async function importRows(read: AsyncIterable<ReadRow>, ports: ImportPorts): Promise<void> {
  const { send, refuse, onTally, signal } = ports;
  const inFlight: SentPage[] = [];
  const failures: unknown[] = [];
  let tally: Tally = { rows: 0, created: 0, exists: 0, refused: 0 };
  async function takeFirst(): Promise<void> {
    const [first] = inFlight.splice(0, 1);
    if (first === undefined) return;
    try {
      const ended = endedPage(first.page, await first.outcomes);
      refuse(ended.refused);
      tally = sum(tally, ended);
      onTally(tally);
    } catch (err) {
      failures.push(err);
    }
  }
  try {
    for await (const page of pagesOf(read)) {
      if (signal.aborted || failures.length > 0) break;
      const outcomes = send(
        page.flatMap(({ row }) => row ?? []),
        signal,
      );
      // It is awaited later, in the order of the file.
      outcomes.catch(() => undefined);
      inFlight.push({ page, outcomes });
      if (inFlight.length === IN_FLIGHT_MAX) await takeFirst();
    }
  } finally {
    while (inFlight.length > 0) await takeFirst();
  }
  if (failures.length > 0) throw failures[0];
}

interface EndedPage {
  readonly outcomes: readonly (Outcome | undefined)[];
  /** Lines of the file of refused rows. */
  readonly refused: readonly string[];
}

function endedPage(page: readonly ReadRow[], ofRows: readonly Outcome[]): EndedPage {
  const left = ofRows.values();
  const outcomes = page.map(({ problem }) => (problem === undefined ? left.next().value : undefined));
  return { outcomes, refused: page.flatMap((each, index) => refusedLine(each, outcomes[index])) };
}

function sum(tally: Tally, { outcomes, refused }: EndedPage): Tally {
  const count = (outcome: Outcome) => outcomes.filter((each) => each === outcome).length;
  return {
    rows: tally.rows + outcomes.length,
    created: tally.created + count("created"),
    exists: tally.exists + count("exists"),
    refused: tally.refused + refused.length,
  };
}

function refusedLine({ line, row, problem }: ReadRow, outcome: Outcome | undefined): readonly string[] {
  if (problem !== undefined) {
    const { member, message } = problem;
    return [refusedRow(line, { ...(member !== undefined && { field: member }), message })];
  }
  return typeof outcome === "object" ? [refusedRow(line, outcome, row)] : [];
}
