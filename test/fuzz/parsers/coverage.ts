import { type Profiler, Session } from "node:inspector";

/** Which branches of our sources run, by V8's own counters. */
export interface Coverage {
  /** Those that ran since the last call, each with the order of magnitude of how often. */
  take(): string[];
}

const MAGNITUDES = [1, 2, 4, 16, 128];

/** Counts from now on, in the whole process: run one thing at a time. `folder` is part of the paths of what is counted. */
export function startCoverage(folder = "/src/"): Coverage {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true, allowTriggeredUpdates: false });
  const coverage: Coverage = { take: () => read(session).flatMap((script) => branchesOf(script, folder)) };
  coverage.take();
  return coverage;
}

/** The session is of this thread, so that it answers before `post` returns. */
function read(session: Session): Profiler.ScriptCoverage[] {
  let taken: Profiler.ScriptCoverage[] = [];
  session.post("Profiler.takePreciseCoverage", (err, { result }) => {
    if (err !== null) throw err;
    taken = result;
  });
  return taken;
}

function branchesOf({ url, functions }: Profiler.ScriptCoverage, folder: string): string[] {
  const at = url.lastIndexOf(folder);
  if (at < 0 || url.includes("/node_modules/")) return [];
  const file = url.slice(at + folder.length);
  return functions.flatMap(({ ranges }) =>
    ranges.map(({ startOffset, endOffset, count }) => `${file}:${startOffset}-${endOffset} ${magnitudeOf(count)}`),
  );
}

/** A branch that did not run is one of its own: something returned before it. */
function magnitudeOf(count: number): number {
  return MAGNITUDES.findLastIndex((least) => count >= least);
}
