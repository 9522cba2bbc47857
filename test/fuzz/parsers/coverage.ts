import { type Profiler, Session } from "node:inspector";

/** Which branches of our sources run, by V8's own counters. */
export interface Coverage {
  /** Those that ran since the last call, each with the order of magnitude of how often. */
  take(): string[];
}

const SOURCES = "/src/";
const MAGNITUDES = [1, 2, 4, 16, 128];

/** Counts from now on, in the whole process: run one thing at a time. */
export function startCoverage(): Coverage {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true, allowTriggeredUpdates: false });
  const coverage: Coverage = { take: () => read(session).filter(isOurs).flatMap(branchesOf) };
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

function isOurs({ url }: Profiler.ScriptCoverage): boolean {
  return url.startsWith("file:") && url.includes(SOURCES) && !url.includes("/node_modules/");
}

function branchesOf({ url, functions }: Profiler.ScriptCoverage): string[] {
  const file = url.slice(url.lastIndexOf(SOURCES) + SOURCES.length);
  return functions.flatMap(({ ranges }) =>
    ranges.map(({ startOffset, endOffset, count }) => `${file}:${startOffset}-${endOffset} ${magnitudeOf(count)}`),
  );
}

/** A branch that did not run is one of its own: something returned before it. */
function magnitudeOf(count: number): number {
  return MAGNITUDES.findLastIndex((least) => count >= least);
}
