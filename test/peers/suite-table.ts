import type { Reporter, TestDiagnostic, TestModule } from "vitest/node";

declare module "vitest" {
  interface TaskMeta {
    /** What a suite of others found, in a few words. */
    figures?: string;
  }
}

/** The longest time of a suite once its tools are there. */
const SUITE_SECONDS_MAX = 180;
const HEAD = ["suite", "passed", "failed", "seconds", "figures"];

/** Prints a table of the suites at the end of `npm run test:peers`. */
export function suiteTable(): Reporter {
  return {
    onTestRunEnd(modules) {
      const rows = [HEAD, ...modules.filter(isPeer).map(rowOf)];
      const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
      const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
      if (rows.length > 1) console.log(`\n${rows.map((row) => line(row).trimEnd()).join("\n")}\n`);
    },
  };
}

function isPeer({ project }: TestModule): boolean {
  return project.name === "peers";
}

function rowOf(module: TestModule): string[] {
  const tests = [...module.children.allTests()];
  const withState = (state: string) => String(tests.filter((test) => test.result().state === state).length);
  // None of its tests has failed if its tools or the service did not start.
  const failed = module.state() === "failed" && withState("failed") === "0" ? "not started" : withState("failed");
  const seconds = busyMs(tests.flatMap((test) => test.diagnostic() ?? [])) / 1_000;
  const late = seconds > SUITE_SECONDS_MAX ? ` (more than ${SUITE_SECONDS_MAX})` : "";
  const figures = tests.flatMap((test) => test.meta().figures ?? []).join("; ");
  const name = module.relativeModuleId.replace(/^test\/peers\//, "").replace(/\.test\.ts$/, "");
  return [name, withState("passed"), failed, `${seconds.toFixed(0)}${late}`, figures];
}

/** The time in which at least one of the tests ran: of those that run at once, it counts once. */
export function busyMs(tests: readonly Pick<TestDiagnostic, "startTime" | "duration">[]): number {
  let end = Number.NEGATIVE_INFINITY;
  let sum = 0;
  for (const { startTime, duration } of tests.toSorted((one, other) => one.startTime - other.startTime)) {
    sum += Math.max(0, startTime + duration - Math.max(end, startTime));
    end = Math.max(end, startTime + duration);
  }
  return sum;
}
