import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findingsOf, slope } from "../../bench/soak/bounds.ts";
import type { Sample, SoakRecord } from "../../bench/soak/record.ts";
import { PAGE_FILE, pageWith, RECORD_FILE } from "../../bench/soak/report.ts";

const MIB = 1_048_576;
const STEPS = 20;

/** After each 100,000 requests the sample that the change makes of a quiet one. */
function samplesOf(change: (step: number, quiet: Sample) => Sample = (_, quiet) => quiet): Sample[] {
  return Array.from({ length: STEPS + 1 }, (_, step) => {
    const replica = { heapBytes: 60 * MIB, residentBytes: 160 * MIB, connections: 12, timers: 20 };
    const rows = { replicas: 2, keyChanges: 3_000, keyChangesSeconds: 900, keyMarks: 0, usageQuestions: 0 };
    const requests = step * 100_000;
    return change(step, { requests, replicas: [replica, replica], sessions: 20, redisKeys: 1_000, rows });
  });
}

/** A run in which everything holds, but for what is given. */
function recordOf(given: Partial<SoakRecord> = {}): SoakRecord {
  return {
    ...{ commit: "0000000", date: "2026-01-01", machine: "2 cores", seconds: 900, keys: 100_000, samples: samplesOf() },
    answers: {
      statuses: { 200: 90, 401: 5, 429: 5 },
      outcomes: { successful: 90, api_key_revoked: 5, rate_limited: 5 },
    },
    changes: { created: 4, updated: 4, rotated: 4, revoked: 4, failed: 0, contradicted: 0, audited: 16 },
    counted: { successful: 90, api_key_revoked: 5, rate_limited: 5 },
    ...given,
  };
}

/** What does not hold. */
function broken(given: Partial<SoakRecord>): string[] {
  return findingsOf(recordOf(given)).flatMap(({ what, holds }) => (holds ? [] : [what]));
}

/** Of the second replica alone. */
function secondReplica(member: keyof Sample["replicas"][number], value: (step: number, before: number) => number) {
  return samplesOf((step, quiet) => ({
    ...quiet,
    replicas: quiet.replicas.map((one, n) => (n === 1 ? { ...one, [member]: value(step, one[member]) } : one)),
  }));
}

describe("a soak", () => {
  test("in which nothing grows and everything adds up holds", () => {
    expect(broken({})).toEqual([]);
  });

  test.each([
    ["heapBytes", "replica 2: growth of its heap, MiB per 100,000 requests"],
    ["residentBytes", "replica 2: growth of its resident memory, MiB per 100,000 requests"],
  ] as const)("finds %s that grow by more than a MiB in 100,000 requests, and no less", (member, what) => {
    expect(broken({ samples: secondReplica(member, (step, before) => before + step * 1.1 * MIB) })).toEqual([what]);
    expect(broken({ samples: secondReplica(member, (step, before) => before + step * 0.9 * MIB) })).toEqual([]);
  });

  test("does not take the growth of the first part, or one sample that is off, for a leak", () => {
    expect(
      broken({ samples: secondReplica("heapBytes", (step, before) => before + Math.min(step, 6) * 30 * MIB) }),
    ).toEqual([]);
    expect(
      broken({ samples: secondReplica("heapBytes", (step, before) => before + (step === 19 ? 50 * MIB : 0)) }),
    ).toEqual([]);
  });

  test.each([
    ["connections", "replica 2: open connections in the last quarter"],
    ["timers", "replica 2: timers in the last quarter"],
  ] as const)("finds %s that go on growing", (member, what) => {
    expect(broken({ samples: secondReplica(member, (step, before) => before + step) })).toEqual([what]);
    expect(broken({ samples: secondReplica(member, (step, before) => before + (step % 4)) })).toEqual([]);
  });

  test.each<[string, Partial<Sample["rows"]>]>([
    ["rows of replicas", { replicas: 3 }],
    ["oldest row of the change log, seconds", { keyChangesSeconds: 1_400 }],
    ["marks of changes under way, at rest", { keyMarks: 1 }],
    ["questions for usage, at rest", { usageQuestions: 1 }],
  ])("finds %s", (what, rows) => {
    expect(broken({ samples: samplesOf((_, quiet) => ({ ...quiet, rows: { ...quiet.rows, ...rows } })) })).toEqual([
      what,
    ]);
  });

  test("finds sessions and keys in Redis beyond their bounds", () => {
    expect(broken({ samples: samplesOf((_, quiet) => ({ ...quiet, sessions: 51 })) })).toEqual([
      "sessions in PostgreSQL",
    ]);
    expect(broken({ samples: samplesOf((_, quiet) => ({ ...quiet, redisKeys: 200_000 })) })).toEqual(["keys in Redis"]);
  });

  test("finds one answer of an unforeseen status, and one use too few or too many, by outcome", () => {
    const { answers, counted } = recordOf();
    expect(broken({ answers: { ...answers, statuses: { ...answers.statuses, 500: 1 } } })).toEqual([
      "answers of 5xx, or of another unforeseen status",
    ]);
    expect(broken({ counted: { ...counted, successful: 89 } })).toEqual(["counted uses, successful"]);
    expect(broken({ counted: { ...counted, jwt_expired: 1 } })).toEqual(["counted uses, jwt_expired"]);
  });

  test("finds a change that failed, that a replica contradicted, or that is not in the audit trail", () => {
    const { changes } = recordOf();
    expect(broken({ changes: { ...changes, failed: 1 } })).toEqual(["changes that failed"]);
    expect(broken({ changes: { ...changes, contradicted: 1 } })).toEqual([
      "verifications that contradict a change before them",
    ]);
    expect(broken({ changes: { ...changes, audited: 15 } })).toEqual(["changes in the audit trail"]);
  });

  test("does not hold where nothing was measured", () => {
    expect(broken({ samples: [] })).toContain("replica 1: growth of its heap, MiB per 100,000 requests");
  });
});

describe("a soak with an edge and tokens", () => {
  /** 25,000 of the requests of each step are the edge's. */
  function withEdge(change: (step: number, quiet: Sample) => Sample = (_, quiet) => quiet): Partial<SoakRecord> {
    const edge = { heapBytes: 40 * MIB, residentBytes: 120 * MIB, connections: 6, timers: 2, records: 50_000 };
    const samples = samplesOf((step, quiet) => {
      const rows = { ...quiet.rows, accessTokens: 2_000 + step, usedOnce: 90 * step };
      return change(step, { ...quiet, rows, edge: { ...edge, requests: 25_000 * step } });
    });
    const { changes } = recordOf();
    return { tokens: 2_000, samples, changes: { ...changes, derived: STEPS, audited: 16 + STEPS } };
  }

  test("in which nothing grows holds", () => {
    expect(broken(withEdge())).toEqual([]);
  });

  test("finds memory of the edge that grows by more than a MiB in 100,000 of its own requests, and no less", () => {
    const growing = (mib: number) =>
      withEdge((step, quiet) => ({
        ...quiet,
        edge: quiet.edge && { ...quiet.edge, heapBytes: quiet.edge.heapBytes + (step / 4) * mib * MIB },
      }));
    expect(broken(growing(1.1))).toEqual(["edge: growth of its heap, MiB per 100,000 requests"]);
    expect(broken(growing(0.9))).toEqual([]);
  });

  test("finds too many records, reports that are remembered, and tokens beyond those that were derived", () => {
    const records = withEdge((_, quiet) => ({ ...quiet, edge: quiet.edge && { ...quiet.edge, records: 50_001 } }));
    expect(broken(records)).toEqual(["edge: records"]);
    const ofRows = (rows: Partial<Sample["rows"]>) =>
      broken(withEdge((_, quiet) => ({ ...quiet, rows: { ...quiet.rows, ...rows } })));
    expect(ofRows({ usedOnce: 8_000 })).toEqual(["reports of the edge that are remembered"]);
    expect(ofRows({ accessTokens: 2_021 })).toEqual(["rows of tokens"]);
  });

  test("does not hold where a token or the edge was not measured", () => {
    const { tokens: _, ...unknown } = withEdge();
    expect(broken(unknown)).toEqual(["rows of tokens"]);
  });
});

test("a slope is that of most points", () => {
  expect(slope([1, 2, 3, 4, 5].map((x) => [x, 3 * x + 1]))).toBe(3);
  expect(slope([1, 2, 3, 4, 5].map((x) => [x, x === 3 ? 1_000 : 2 * x]))).toBe(2);
  expect(slope([])).toBeNaN();
});

test("docs/soak.md has the last run, and its bounds hold", () => {
  expect(existsSync(RECORD_FILE)).toBe(true);
  const record: SoakRecord = JSON.parse(readFileSync(RECORD_FILE, "utf8"));
  expect(findingsOf(record).filter(({ holds }) => !holds)).toEqual([]);
  expect(readFileSync(PAGE_FILE, "utf8")).toBe(pageWith(record));
});
