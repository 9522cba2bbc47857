import type { ReplicaSample, Sample, SoakRecord } from "./record.ts";

/** What must not grow without end, and what must add up. */

const MIB = 1_048_576;
/** Of the heap and of the resident memory, over so many requests. */
const GROWTH_BYTES_MAX = MIB;
const GROWTH_REQUESTS = 100_000;
/** V8 compiles, caches fill, and the resident memory finds its level in the first half of a run: growth is measured after it. */
const WARM_UP_SHARE = 0.5;
/** Sockets and timers come and go by so many between two samples at rest. */
const SLACK = 4;
/** A replica has at most so many sessions: requests, looks, waits and notifications. */
const SESSIONS_OF_REPLICA_MAX = 25;
/** Beside the keys, for which Redis has a budget each: publishable ones, those with a low limit, and users. */
const OTHER_BUDGETS_MAX = 6_000;
/** Changes stay ten minutes in the log, and the purge comes every ten. It is a change that purges, and samples are between changes. */
const CHANGE_AGE_SECONDS_MAX = 22 * 60;

/** One line of the report. */
export interface Finding {
  readonly what: string;
  readonly found: string;
  readonly bound: string;
  readonly holds: boolean;
}

export function findingsOf(record: SoakRecord): Finding[] {
  const { samples } = record;
  const warm = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  const replicas = samples.at(-1)?.replicas.length ?? 1;
  const each = Array.from({ length: replicas }, (_, n) => n);
  return [
    ...each.flatMap((n) => [growth(warm, n, "heapBytes", "heap"), growth(warm, n, "residentBytes", "resident memory")]),
    ...each.flatMap((n) => [level(warm, n, "connections", "open connections"), level(warm, n, "timers", "timers")]),
    atMost(
      "sessions in PostgreSQL",
      highest(samples, ({ sessions }) => sessions),
      replicas * SESSIONS_OF_REPLICA_MAX,
    ),
    atMost(
      "keys in Redis",
      highest(samples, ({ redisKeys }) => redisKeys),
      record.keys + OTHER_BUDGETS_MAX,
    ),
    atMost(
      "rows of replicas",
      highest(samples, ({ rows }) => rows.replicas),
      replicas,
    ),
    atMost("marks of changes under way, at rest", samples.at(-1)?.rows.keyMarks ?? Number.NaN, 0),
    atMost("questions for usage, at rest", samples.at(-1)?.rows.usageQuestions ?? Number.NaN, 0),
    atMost(
      "oldest row of the change log, seconds",
      highest(samples, ({ rows }) => rows.keyChangesSeconds),
      CHANGE_AGE_SECONDS_MAX,
    ),
    ...answersOf(record),
    ...changesOf(record),
  ];
}

/** The median of the slopes between all pairs of points: one sample that is off does not move it. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const slopes = points.flatMap(([x1, y1], n) =>
    points.slice(n + 1).flatMap(([x2, y2]) => (x2 === x1 ? [] : [(y2 - y1) / (x2 - x1)])),
  );
  const sorted = slopes.toSorted((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? Number.NaN) + (sorted[sorted.length >> 1] ?? Number.NaN)) / 2;
}

function growth(samples: readonly Sample[], n: number, member: "heapBytes" | "residentBytes", name: string): Finding {
  const bytes = GROWTH_REQUESTS * slope(samples.map((sample) => [sample.requests, memberOf(sample, n, member)]));
  return {
    what: `replica ${n + 1}: growth of its ${name}, MiB per 100,000 requests`,
    found: (bytes / MIB).toFixed(3),
    bound: `< ${GROWTH_BYTES_MAX / MIB}`,
    holds: bytes < GROWTH_BYTES_MAX,
  };
}

/** What comes later is no more than what was there before. */
function level(samples: readonly Sample[], n: number, member: "connections" | "timers", name: string): Finding {
  const middle = samples.length >> 1;
  const value = (sample: Sample) => memberOf(sample, n, member);
  return atMost(
    `replica ${n + 1}: ${name} in the last quarter`,
    highest(samples.slice(middle), value),
    highest(samples.slice(0, middle), value) + SLACK,
  );
}

function answersOf({ answers, counted }: SoakRecord): Finding[] {
  const unforeseen = Object.entries(answers.statuses).filter(([status]) => !["200", "401", "429"].includes(status));
  const outcomes = [...new Set([...Object.keys(answers.outcomes), ...Object.keys(counted)])];
  return [
    atMost(
      "answers of 5xx, or of another unforeseen status",
      unforeseen.reduce((sum, [, count]) => sum + count, 0),
      0,
    ),
    ...outcomes.map((outcome) =>
      equal(`counted uses, ${outcome}`, counted[outcome] ?? 0, answers.outcomes[outcome] ?? 0),
    ),
  ];
}

function changesOf({ changes }: SoakRecord): Finding[] {
  const { created, updated, rotated, revoked } = changes;
  return [
    atMost("changes that failed", changes.failed, 0),
    atMost("verifications that contradict a change before them", changes.contradicted, 0),
    equal("changes in the audit trail", changes.audited, created + updated + rotated + revoked),
  ];
}

function memberOf({ replicas }: Sample, n: number, member: keyof ReplicaSample): number {
  return replicas[n]?.[member] ?? Number.NaN;
}

function highest(samples: readonly Sample[], value: (sample: Sample) => number): number {
  return Math.max(...samples.map(value));
}

/** NaN, which stands for what was not measured, holds no bound. */
function atMost(what: string, found: number, most: number): Finding {
  return { what, found: whole(found), bound: most === 0 ? "0" : `≤ ${whole(most)}`, holds: found <= most };
}

function equal(what: string, found: number, expected: number): Finding {
  return { what, found: whole(found), bound: `= ${whole(expected)}`, holds: found === expected };
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
