import { mutateBytes } from "../mutate.ts";
import type { Random } from "../random.ts";
import type { Coverage } from "./coverage.ts";
import { outcomeOf, type Parser } from "./parser.ts";

export interface Exploration {
  /** The inputs of which each reaches a branch that no shorter one of them does. */
  readonly corpus: readonly Buffer[];
  readonly inputs: number;
  readonly branches: number;
  /** Inputs that threw what is not documented, or took too long. */
  readonly findings: readonly { readonly input: Buffer; readonly problem: string }[];
}

export interface Bounds {
  readonly inputs: number;
  /** Not begun after it. */
  readonly untilMs: number;
}

/** CPU time of one input. The longest takes a few milliseconds. */
const CPU_MS_MAX = 500;
const CPU_TRIES = 3;
export const INPUT_BYTES_MAX = 4_096;
const FINDINGS_MAX = 5;

/**
 * Changes inputs that are known, and keeps each that reaches a branch that none before it reached, or reaches one much more
 * often. So what is behind several conditions is found one condition after the other.
 */
export async function explore(
  parser: Parser,
  known: readonly Buffer[],
  coverage: Coverage,
  random: Random,
  { inputs, untilMs }: Bounds,
): Promise<Exploration> {
  const reached = new Set<string>();
  const kept: { readonly input: Buffer; readonly branches: readonly string[] }[] = [];
  const findings: { input: Buffer; problem: string }[] = [];
  let tried = 0;

  async function run(input: Buffer): Promise<void> {
    tried++;
    const problem = await problemOf(parser, input);
    if (problem !== undefined) findings.push({ input, problem });
    const branches = coverage.take();
    if (branches.every((branch) => reached.has(branch))) return;
    for (const branch of branches) reached.add(branch);
    kept.push({ input, branches });
  }

  for (const input of [...parser.seeds.map((seed) => Buffer.from(seed, "latin1")), ...known]) await run(input);
  while (tried < inputs && performance.now() < untilMs && findings.length < FINDINGS_MAX) {
    // Half of the time one of the newest, which is where something is to be found.
    const recent = random.chance(0.5) ? kept.slice(-16) : kept;
    const other = random.pick(kept).input;
    await run(mutateBytes(random.pick(recent).input, random, parser.words, other, INPUT_BYTES_MAX));
  }
  return { corpus: smallest(kept), inputs: tried, branches: reached.size, findings };
}

/** Why an input is a finding. Undefined: it is none. */
export async function problemOf(parser: Parser, input: Buffer, cpuMsMax = CPU_MS_MAX): Promise<string | undefined> {
  let cpuMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < CPU_TRIES && cpuMs > cpuMsMax; tries++) {
    const before = process.cpuUsage();
    try {
      await outcomeOf(parser, input);
    } catch (err) {
      return err instanceof Error ? (err.stack ?? err.message) : String(err);
    }
    const { user, system } = process.cpuUsage(before);
    cpuMs = (user + system) / 1_000;
  }
  return cpuMs > cpuMsMax ? `takes ${cpuMs.toFixed(0)} ms` : undefined;
}

/** Few inputs that together reach all branches: the shortest first, each if it adds one. */
function smallest(kept: readonly { readonly input: Buffer; readonly branches: readonly string[] }[]): Buffer[] {
  const reached = new Set<string>();
  return kept
    .toSorted((a, b) => a.input.length - b.input.length)
    .filter(({ branches }) => {
      const adds = branches.some((branch) => !reached.has(branch));
      for (const branch of branches) reached.add(branch);
      return adds;
    })
    .map(({ input }) => input);
}
