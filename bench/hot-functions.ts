import type { Profiler } from "node:inspector";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

export interface HotFunction {
  readonly name: string;
  /** Share of the time that was not idle, spent in the function itself. */
  readonly share: number;
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OURS = new URL("../src/", import.meta.url).href;

/** Self time by function, the longest first. */
export function hotFunctions(profile: Profiler.Profile): HotFunction[] {
  return shares(profile, (frame) => `${frame.functionName || "(anonymous)"} ${place(frame)}`.trim());
}

/** Self time by package, Node's own modules, or our folder. */
export function hotPackages(profile: Profiler.Profile): HotFunction[] {
  return shares(profile, (frame) => (frame.url === "" ? frame.functionName || "(native)" : packageOf(frame.url)));
}

/** Time of our own functions and of what they call: says what a change at that place could save at most. */
export function ownFunctions(profile: Profiler.Profile): HotFunction[] {
  const parents = new Map<number, number>();
  for (const { id, children = [] } of profile.nodes) for (const child of children) parents.set(child, id);
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const micros = new Map<string, number>();
  let busy = 0;
  for (const [n, sample] of (profile.samples ?? []).entries()) {
    const leaf = frames.get(sample);
    if (leaf === undefined || !isWork(leaf)) continue;
    const took = profile.timeDeltas?.[n] ?? 0;
    busy += took;
    const names = new Set<string>();
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const frame = frames.get(id);
      if (frame?.url.startsWith(OURS)) names.add(`${frame.functionName || "(anonymous)"} ${place(frame)}`);
    }
    for (const name of names) micros.set(name, (micros.get(name) ?? 0) + took);
  }
  return ranking(micros, busy);
}

function shares(profile: Profiler.Profile, nameOf: (frame: Profiler.Profile["nodes"][number]["callFrame"]) => string) {
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, isWork(callFrame) ? nameOf(callFrame) : ""]));
  const micros = new Map<string, number>();
  let busy = 0;
  for (const [n, id] of (profile.samples ?? []).entries()) {
    const name = names.get(id) ?? "";
    if (name === "") continue;
    const took = profile.timeDeltas?.[n] ?? 0;
    busy += took;
    micros.set(name, (micros.get(name) ?? 0) + took);
  }
  return ranking(micros, busy);
}

function ranking(micros: ReadonlyMap<string, number>, busy: number): HotFunction[] {
  return [...micros].map(([name, took]) => ({ name, share: took / busy })).sort((a, b) => b.share - a.share);
}

/** Neither waiting nor the profiler itself, which takes its time to begin and to end. */
function isWork({ functionName, url }: { functionName: string; url: string }): boolean {
  return functionName !== "(idle)" && functionName !== "(root)" && url !== "node:inspector";
}

/** Where a function stands: a path within the project, or a module of Node. */
function place({ url, lineNumber }: { url: string; lineNumber: number }): string {
  if (url === "") return "";
  return `${url.startsWith("file:") ? relative(ROOT, fileURLToPath(url)) : url}:${lineNumber + 1}`;
}

function packageOf(url: string): string {
  if (!url.startsWith("file:")) return url;
  const path = relative(ROOT, fileURLToPath(url));
  const installed = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  return installed ?? path.split("/").slice(0, 3).join("/");
}
