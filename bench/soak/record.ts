/** What a soak saw, as `bench/soak.json` keeps it. */
export interface SoakRecord {
  /** The last one that changed what the replicas run. */
  readonly commit: string;
  /** Of the end, in UTC. */
  readonly date: string;
  readonly machine: string;
  readonly seconds: number;
  readonly keys: number;
  /** Tokens that stand for keys, before the run. Undefined: a run before there were such, or edges. */
  readonly tokens?: number;
  /** At rest, and after each step. */
  readonly samples: readonly Sample[];
  readonly answers: Answers;
  readonly changes: ChangeCounts;
  /** Uses of the tenant's keys by outcome, as the service counted them: `successful`, or the reason of the denial. */
  readonly counted: Readonly<Record<string, number>>;
}

/** What the callers counted. */
export interface Answers {
  /** Of the load, by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** All requests that presented a key of the tenant, by outcome, as in `SoakRecord.counted`. */
  readonly outcomes: Readonly<Record<string, number>>;
}

export interface ChangeCounts {
  readonly created: number;
  readonly updated: number;
  readonly rotated: number;
  readonly revoked: number;
  /** Tokens, of keys. */
  readonly derived?: number;
  /** Responses to changes that were not 200. */
  readonly failed: number;
  /** Verifications after a change's response that contradicted the change. */
  readonly contradicted: number;
  /** Their events in the audit trail. */
  readonly audited: number;
}

/** With no request under way. */
export interface Sample {
  /** Answered so far. */
  readonly requests: number;
  readonly replicas: readonly ReplicaSample[];
  readonly edge?: EdgeSample | undefined;
  /** Sessions of the database's server that are in the database. */
  readonly sessions: number;
  readonly redisKeys: number;
  readonly rows: Rows;
  /** Since the start of the run, and every table of the database by its name. Undefined: a run before they were measured. */
  readonly seconds?: number;
  readonly tables?: Readonly<Record<string, TableSize>>;
}

export interface TableSize {
  readonly rows: number;
  /** Versions of rows that a vacuum may remove, as PostgreSQL estimates them. */
  readonly deadRows: number;
  /** Updates and deletions so far. */
  readonly changes: number;
  /** With its indexes. */
  readonly bytes: number;
}

export interface ReplicaSample {
  /** After a full garbage collection. */
  readonly heapBytes: number;
  readonly residentBytes: number;
  /** Open sockets: to callers, PostgreSQL and Redis. */
  readonly connections: number;
  readonly timers: number;
  /** Of keys, tenants and tokens, in its cache. Undefined: a run before they were counted. */
  readonly records?: number;
}

export interface EdgeSample extends ReplicaSample {
  /** That it has answered so far. */
  readonly requests: number;
  readonly records: number;
}

export interface Rows {
  readonly replicas: number;
  /** The change log. */
  readonly keyChanges: number;
  /** Age of its oldest row. */
  readonly keyChangesSeconds: number;
  readonly keyMarks: number;
  readonly usageQuestions: number;
  readonly accessTokens?: number;
  /** What counts once: reports of edges. */
  readonly usedOnce?: number;
}
