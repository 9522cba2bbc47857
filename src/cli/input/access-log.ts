import { createReadStream } from "node:fs";
import { UsageError } from "../exit-status.ts";

/** One call that has changed something, as the service's access log has it. */
export interface LoggedChange {
  readonly procedure: string;
  /** Empty: the line names nothing. */
  readonly targetId: string;
  /** Of the caller. Empty: it has none, such as the operator. */
  readonly tenantId: string;
  readonly at: Date;
}

export interface LoggedChanges {
  /** In the order of the log. */
  readonly changes: readonly LoggedChange[];
  /** Of the earliest line of a request, whatever it did. Undefined: no line. */
  readonly from: Date | undefined;
}

interface Line {
  readonly time?: unknown;
  readonly procedure?: unknown;
  readonly code?: unknown;
  readonly target_id?: unknown;
  readonly tenant_id?: unknown;
  /** What Docker's json-file driver wraps a line in. */
  readonly log?: unknown;
}

/**
 * The calls of these procedures that succeeded at or after an instant. `-` is stdin. A log may have days of a busy service, so it is
 * read line by line. Lines of anything else are skipped, and so is what a log driver writes before a line.
 */
export async function readAccessLog(
  path: string,
  procedures: ReadonlySet<string>,
  since: Date,
): Promise<LoggedChanges> {
  const changes: LoggedChange[] = [];
  let from: Date | undefined;
  for await (const text of linesOf(path)) {
    const { time, procedure, code, target_id: targetId, tenant_id: tenantId } = parse(text) ?? {};
    const at = new Date(typeof time === "string" ? time : Number.NaN);
    if (typeof procedure !== "string" || Number.isNaN(at.getTime())) continue;
    if (from === undefined || at < from) from = at;
    if (code !== "ok" || at < since || !procedures.has(procedure)) continue;
    changes.push({ procedure, targetId: textOf(targetId), tenantId: textOf(tenantId), at });
  }
  return { changes, from };
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const input = path === "-" ? process.stdin : createReadStream(path);
  let rest = "";
  try {
    for await (const chunk of input.setEncoding("utf8")) {
      const lines = `${rest}${chunk}`.split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (err) {
    const code = err instanceof Error && "code" in err ? ` (${String(err.code)})` : "";
    throw new UsageError(`--access-log cannot be read${code}`);
  }
  yield rest;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function parse(text: string): Line | undefined {
  // Most lines of a log are of calls that change nothing, and parsing is what takes long.
  const start = text.indexOf("{");
  if (start === -1 || !text.includes("procedure")) return undefined;
  try {
    const line: Line | null = JSON.parse(text.slice(start));
    return typeof line?.log === "string" ? parse(line.log) : (line ?? undefined);
  } catch {
    return undefined;
  }
}
