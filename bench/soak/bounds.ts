import type { EdgeSample, ReplicaSample, Sample, SoakRecord } from "./record.ts";
import { tableFindingsOf } from "./tables.ts";

/** What must not grow without end, and what must add up. */

const MIB = 1_048_576;
/** Of the heap, over so many requests. */
const GROWTH_BYTES_MAX = MIB;
const GROWTH_REQUESTS = 100_000;
/** What a process may keep for a record: its objects and texts, a budget, and a place in the lists of who has it. */
const RECORD_BYTES_MAX = 2_000;
/**
 * Of the resident memory beside the heap, over the second half, however long it is. V8 frees the memory of buffers and streams when it collects
 * garbage, and malloc keeps what is free: so it has room for the largest burst there was, and a larger one adds to it.
 */
const KEPT_BYTES_MAX = 32 * MIB;
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

/** That an edge has, and those of their tenant. */
const EDGE_RECORDS_MAX = 50_000;
/** An edge reports each half second what there is, with at least so many requests in each further report. Each is remembered for an hour. */
const REPORTS_PER_SECOND = 2;
const REPORTED_AT_ONCE = 100;
/** Beside the load it gets verifications after changes, and it starts before the run. */
const REPORTS_SLACK = 500;

/** A process whose memory, sockets and timers are measured. */
interface Measured {
  readonly name: string;
  of(sample: Sample): (ReplicaSample & { readonly requests: number }) | undefined;
}

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
  const each: Measured[] = Array.from({ length: replicas }, (_, n) => ({
    name: `replica ${n + 1}`,
    of: ({ replicas, requests }) => replicas[n] && { ...replicas[n], requests },
  }));
  if (hasEdge(record)) each.push({ name: "edge", of: ({ edge }) => edge });
  return [
    ...each.flatMap((one) => [heapGrowth(warm, one), residentGrowth(warm, one)]),
    ...each.flatMap((one) => [
      level(warm, one, "connections", "open connections"),
      level(warm, one, "timers", "timers"),
    ]),
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
    ...(hasEdge(record) ? ofEdgeAndTokens(record) : []),
    ...answersOf(record),
    ...changesOf(record),
    ...tableFindingsOf(record),
  ];
}

/** Whether there was an edge, and tokens that stand for keys: there is none in runs before they were. */
export function hasEdge({ samples }: Pick<SoakRecord, "samples">): boolean {
  return samples.at(-1)?.edge !== undefined;
}

function ofEdgeAndTokens({ samples, seconds, tokens = Number.NaN, changes }: SoakRecord): Finding[] {
  const edge = (value: (sample: EdgeSample) => number) =>
    highest(samples, (sample) => (sample.edge ? value(sample.edge) : Number.NaN));
  return [
    atMost(
      "edge: records",
      edge(({ records }) => records),
      EDGE_RECORDS_MAX,
    ),
    atMost(
      "reports of the edge that are remembered",
      highest(samples, ({ rows }) => rows.usedOnce ?? Number.NaN),
      REPORTS_PER_SECOND * seconds + edge(({ requests }) => requests) / REPORTED_AT_ONCE + REPORTS_SLACK,
    ),
    equal("rows of tokens", samples.at(-1)?.rows.accessTokens ?? Number.NaN, tokens + (changes.derived ?? Number.NaN)),
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

/** By how much a value grows with each request: those that all replicas have answered, with an edge's; of an edge its own. */
function growthOf(samples: readonly Sample[], { of }: Measured, value: (sample: ReplicaSample) => number): number {
  return slope(
    samples.map((sample) => {
      const measured = of(sample);
      return measured === undefined ? [Number.NaN, Number.NaN] : [measured.requests, value(measured)];
    }),
  );
}

/** Changes beside the load add records to its cache, whose number is bounded elsewhere: it may grow by what these take, and a MiB more. */
function heapGrowth(samples: readonly Sample[], measured: Measured): Finding {
  const bytes = GROWTH_REQUESTS * growthOf(samples, measured, ({ heapBytes }) => heapBytes);
  const records = GROWTH_REQUESTS * growthOf(samples, measured, ({ records = 0 }) => records);
  const most = GROWTH_BYTES_MAX + RECORD_BYTES_MAX * Math.max(0, records);
  return {
    what: `${measured.name}: growth of its heap, MiB per 100,000 requests`,
    found: (bytes / MIB).toFixed(3),
    bound: `< ${Number((most / MIB).toFixed(3))}`,
    holds: bytes < most,
  };
}

function residentGrowth(samples: readonly Sample[], measured: Measured): Finding {
  const [first, last] = [samples[0], samples.at(-1)].map((sample) => sample && measured.of(sample)?.requests);
  const each = growthOf(samples, measured, ({ residentBytes, heapBytes }) => residentBytes - heapBytes);
  const bytes = each * ((last ?? Number.NaN) - (first ?? Number.NaN));
  return {
    what: `${measured.name}: growth of its resident memory beside the heap, MiB`,
    found: (bytes / MIB).toFixed(1),
    bound: `< ${KEPT_BYTES_MAX / MIB}`,
    holds: bytes < KEPT_BYTES_MAX,
  };
}

/** What comes later is no more than what was there before. */
function level(
  samples: readonly Sample[],
  { name: process, of }: Measured,
  member: "connections" | "timers",
  name: string,
): Finding {
  const middle = samples.length >> 1;
  const value = (sample: Sample) => of(sample)?.[member] ?? Number.NaN;
  return atMost(
    `${process}: ${name} in the last quarter`,
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
  const { created, updated, rotated, revoked, derived = 0 } = changes;
  return [
    atMost("changes that failed", changes.failed, 0),
    atMost("verifications that contradict a change before them", changes.contradicted, 0),
    equal("changes in the audit trail", changes.audited, created + updated + rotated + revoked + derived),
  ];
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
