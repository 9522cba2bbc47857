import type { Contestant } from "./contestants.ts";

/** Those that can run here. Each reason why others cannot is reported in one line. */
export async function prepared(contestants: readonly Contestant[]): Promise<Set<Contestant>> {
  const ready = new Set<Contestant>();
  const problems = new Map<string, string[]>();
  for (const contestant of new Set(contestants)) {
    try {
      await contestant.prepare?.();
      ready.add(contestant);
    } catch (err) {
      const problem = err instanceof Error ? err.message : String(err);
      problems.set(problem, [...(problems.get(problem) ?? []), contestant.name]);
    }
  }
  for (const [problem, names] of problems) console.log(`without ${names.join("; ")}: ${problem.replaceAll("\n", " ")}`);
  return ready;
}
