/** The part of vitest's JSON report that is read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** The failed tests of a report, and the files that failed without one. */
export function failuresOf(report: Report): string[] {
  return report.testResults.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === "failed").map((test) => test.fullName);
    return failed.length === 0 && status === "failed" ? [name] : failed;
  });
}

export interface Row {
  readonly beside: string;
  readonly seconds: number;
  readonly units: number;
  readonly failures: readonly string[];
}

/** A table in Markdown, a row for each run. */
export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ beside, seconds, units, failures }, at) => [
    String(at + 1),
    beside,
    seconds.toFixed(0),
    String(units),
    failures.join("; ").replaceAll("|", "\\|"),
  ]);
  const lines = [["Run", "Beside", "Seconds", "CPU units", "Failed"], Array(5).fill("---"), ...cells];
  return lines.map((line) => `| ${line.join(" | ")} |\n`).join("");
}
