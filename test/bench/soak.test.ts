import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findingsOf, slope } from "../../bench/soak/bounds.ts";
import type { Sample, SoakRecord, TableSize } from "../../bench/soak/record.ts";
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
function secondReplica(
  member: Exclude<keyof Sample["replicas"][number], "records">,
  value: (step: number, before: number) => number,
) {
  return samplesOf((step, quiet) => ({
    ...quiet,
    replicas: quiet.replicas.map((one, n) => (n === 1 ? { ...one, [member]: value(step, one[member]) } : one)),
  }));
}

describe("a soak", () => {
  test("in which nothing grows and everything adds up holds", () => {
    expect(broken({})).toEqual([]);
  });

  test("finds a heap that grows by more than a MiB in 100,000 requests, and no less", () => {
    const growing = (mib: number) =>
      broken({
        samples: samplesOf((step, quiet) => ({
          ...quiet,
          replicas: quiet.replicas.map((one) => ({
            ...one,
            heapBytes: one.heapBytes + step * mib * MIB,
            residentBytes: one.residentBytes + step * mib * MIB,
          })),
        })),
      });
    expect(growing(1.1)).toEqual([1, 2].map((n) => `replica ${n}: growth of its heap, MiB per 100,000 requests`));
    expect(growing(0.9)).toEqual([]);
  });

  test("finds memory beside the heap that grows by more than bursts leave, however many requests there are", () => {
    const growing = (mib: number) => secondReplica("residentBytes", (step, before) => before + step * mib * MIB);
    expect(broken({ samples: growing(3.3) })).toEqual([
      "replica 2: growth of its resident memory beside the heap, MiB",
    ]);
    expect(broken({ samples: growing(3.1) })).toEqual([]);
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

  // threat: H15
  test("lets memory grow by what more records take, and finds what else grows", () => {
    const growing = (bytesOfRecord: number, mib: number) =>
      withEdge((step, quiet) => ({
        ...quiet,
        edge: quiet.edge && {
          ...quiet.edge,
          records: 20_000 + 1_000 * step,
          heapBytes: quiet.edge.heapBytes + 1_000 * step * bytesOfRecord + (step / 4) * mib * MIB,
        },
      }));
    expect(broken(growing(1_700, 0.9))).toEqual([]);
    for (const leak of [growing(1_700, 2.2), growing(2_500, 0)])
      expect(broken(leak)).toEqual(["edge: growth of its heap, MiB per 100,000 requests"]);
  });

  test("allows nothing for records that become fewer", () => {
    const cleared = withEdge((step, quiet) => ({
      ...quiet,
      replicas: quiet.replicas.map((one) => ({ ...one, records: 100_000 - 100 * step })),
    }));
    expect(broken(cleared)).toEqual([]);
    const leaking = withEdge((step, quiet) => ({
      ...quiet,
      replicas: quiet.replicas.map((one) => ({
        ...one,
        records: 100_000 - 100 * step,
        heapBytes: one.heapBytes + step * 1.1 * MIB,
      })),
    }));
    expect(broken(leaking)).toHaveLength(2);
  });

  describe("whose tables were measured", () => {
    const FEW = { rows: 2, deadRows: 0, changes: 0, bytes: MIB };
    const tables = (step: number, given: Record<string, Partial<TableSize>> = {}) => ({
      replicas: { ...FEW, changes: 600 * step, deadRows: 100 },
      key_usage: { rows: 50_000, deadRows: 9_000, changes: 100_000 * step, bytes: 20 * MIB },
      api_keys: { rows: 50_000 + step, deadRows: 10, changes: step, bytes: 90 * MIB },
      ...Object.fromEntries(Object.entries(given).map(([name, size]) => [name, { ...FEW, ...size }])),
    });
    const measured = (given: (step: number) => Record<string, Partial<TableSize>> = () => ({})) => {
      const record = withEdge((step, quiet) => ({ ...quiet, seconds: 60 * step, tables: tables(step, given(step)) }));
      return broken({
        ...record,
        changes: { ...recordOf().changes, created: STEPS, derived: STEPS, audited: 32 + STEPS },
      });
    };

    test("nothing grows but what the run explains", () => {
      expect(measured()).toEqual([]);
    });

    test.each<[string, (step: number) => Record<string, Partial<TableSize>>]>([
      ["tables with more rows than the run explains", () => ({ new_table: { rows: 101 } })],
      ["tables with more rows than the run explains", () => ({ usage_batches: { rows: 1_000_000, bytes: 90 * MIB } })],
      ["tables with more dead rows than autovacuum leaves", () => ({ key_marks: { deadRows: 5_000, changes: 5_000 } })],
      ["tables that grew by more than their rows", (step) => ({ replicas: { bytes: (1 + 2 * step) * MIB } })],
    ])("%s are found", (what, given) => {
      expect(measured(given)).toContain(what);
    });
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

// threat: H15
test("a leak of 16 bytes a request in the heap, or of 48 beside it, would be found in the last run", () => {
  const record: SoakRecord = JSON.parse(readFileSync(RECORD_FILE, "utf8"));
  const leaking = (ofHeap: number, beside: number) =>
    findingsOf({
      ...record,
      samples: record.samples.map((sample) => ({
        ...sample,
        replicas: sample.replicas.map((one) => ({
          ...one,
          heapBytes: one.heapBytes + ofHeap * sample.requests,
          residentBytes: one.residentBytes + (ofHeap + beside) * sample.requests,
        })),
      })),
    }).filter(({ holds }) => !holds);
  expect(leaking(0, 0)).toEqual([]);
  for (const found of [leaking(16, 0), leaking(0, 48)]) expect(found).toHaveLength(2);
});

// threat: H15
test("docs/soak.md has the last run, and its bounds hold", () => {
  expect(existsSync(RECORD_FILE)).toBe(true);
  const record: SoakRecord = JSON.parse(readFileSync(RECORD_FILE, "utf8"));
  expect(findingsOf(record).filter(({ holds }) => !holds)).toEqual([]);
  expect(readFileSync(PAGE_FILE, "utf8")).toBe(pageWith(record));
});
