import { parseArgs } from "node:util";
import type { Contestant } from "./contestants.ts";
import { REVOCATION_CONTESTANTS } from "./revocations.ts";
import { GROUPS, MAIN_SCENARIOS, SCENARIOS, type Scenario } from "./scenarios.ts";

export interface Options {
  readonly plans: readonly Plan[];
  /** Numbers of connections, a table for each. */
  readonly connections: readonly number[];
  readonly processes: number;
  readonly rounds: number;
  readonly seconds: number;
  /** Whether the tables become bench/results.json. */
  readonly isKept: boolean;
  /** To compare all contestants, to record a CPU profile of Latchkey, or what it holds over a million requests. */
  readonly work: "compare" | "profile" | "memory";
}

/** What is measured with so many keys in the table. */
export interface Plan {
  readonly keys: number;
  /** Whose changes of keys are timed, after the scenarios. */
  readonly revoking: readonly Contestant[];
  readonly scenarios: readonly Scenario[];
}

const KEYS_DEFAULT = 1_000;
const KEYS_LARGE = 1_000_000;
/** Not the embedded ones: PGlite takes minutes for a million rows, which no embedded store has. */
const LARGE_SCENARIOS = ["keys-in-use", "verify-redis", "check-redis", "publishable"];
/** With few keys, "keys-in-use" compares nothing; a group has a command of its own. */
const SMALL_SCENARIOS = SCENARIOS.map(({ name }) => name).filter(
  (name) => name !== "keys-in-use" && !Object.values(GROUPS).flat().includes(name),
);
/** No scenario: it times changes of keys, not requests. */
const REVOCATIONS = "revocations";

export const USAGE = `npm run bench -- [NAME]... [--scenario NAME]... [--connections N]... [--keys N]... [--processes N] [--rounds N] [--seconds N]
npm run bench -- --full               all scenarios with 1, 16 and 64 connections, then ${LARGE_SCENARIOS.join(", ")} with 1,000,000 keys
npm run bench -- --keep NAME...       whose tables become bench/results.json, with which later runs are compared
npm run bench -- --profile NAME       a CPU profile of Latchkey in that scenario
npm run bench -- --memory NAME        what Latchkey holds over a million requests of that scenario

Scenarios: ${SCENARIOS.map(({ name }) => name).join(", ")}
Several at once: ${Object.entries(GROUPS).map(([group, names]) => `${group} (${names.join(", ")})`)}
Changes of keys: ${REVOCATIONS}, for as many seconds as all rounds together
Without arguments: ${MAIN_SCENARIOS.join(", ")} with 16 connections and 1,000 keys, one process of each, 3 rounds of 3 seconds`;

/** Reads the command line. Throws with a sentence. */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      scenario: { type: "string", multiple: true },
      connections: { type: "string", multiple: true },
      keys: { type: "string", multiple: true },
      processes: { type: "string", default: "1" },
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "3" },
      full: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      profile: { type: "string" },
      memory: { type: "string" },
    },
  });
  const { full, profile, memory } = values;
  const alone = profile ?? memory;
  const given = [...positionals, ...(values.scenario ?? [])];
  const names = given.length > 0 ? given : full ? SMALL_SCENARIOS : MAIN_SCENARIOS;
  const revoking = alone === undefined && names.includes(REVOCATIONS) ? REVOCATION_CONTESTANTS : [];
  const wanted = alone === undefined ? names.filter((name) => name !== REVOCATIONS) : [alone];
  const scenarios = wanted.flatMap((name) => GROUPS[name] ?? [name]).map(scenarioOf);
  const keys = values.keys?.map((text) => count("keys", text)) ?? [KEYS_DEFAULT];
  const plans: Plan[] = keys.map((one) => ({ keys: one, revoking, scenarios }));
  if (full && values.keys === undefined) {
    plans.push({ keys: KEYS_LARGE, revoking: [], scenarios: LARGE_SCENARIOS.map(scenarioOf) });
  }
  return {
    plans,
    connections: (values.connections ?? (full ? ["1", "16", "64"] : ["16"])).map((text) => count("connections", text)),
    processes: count("processes", values.processes),
    rounds: count("rounds", values.rounds),
    seconds: count("seconds", values.seconds),
    isKept: values.keep,
    work: profile !== undefined ? "profile" : memory !== undefined ? "memory" : "compare",
  };
}

function scenarioOf(name: string): Scenario {
  const scenario = SCENARIOS.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
  return scenario;
}

function count(option: string, text: string): number {
  const value = /^\d{1,8}$/.test(text) ? Number(text) : 0;
  if (value < 1) throw new Error(`--${option} takes a whole number from 1 on`);
  return value;
}
