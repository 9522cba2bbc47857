import { createClient } from "@connectrpc/connect";
import { EdgeService } from "../../gen/latchkey/v1/edge_service_pb.ts";
import { RULES } from "../domain/edges/rules.ts";
import { type Awaitable, after } from "../domain/vocabulary/awaitable.ts";
import type { Call } from "../interceptors/call.ts";
import type { Clocks } from "../store/replicas/lease.ts";
import { createRecordCache } from "../store/replicas/record-cache.ts";
import { createEdgeGate, type EdgeGate } from "./edge-gate.ts";
import { createEdgeLease } from "./lease.ts";
import { createLink } from "./link.ts";
import { createEdgeRecords } from "./records.ts";
import { createReports } from "./reports.ts";
import { createEdgeLimiter } from "./slices.ts";
import { createEdgeTransport } from "./transport.ts";
import { createVerdicts, type EdgeQuestion, type EdgeVerdict, type Verdicts } from "./verdicts.ts";

export interface EdgeOptions {
  /** Of the service: of its ADMIN_PORT, where it has one. `http://` is h2c. */
  readonly baseUrl: string;
  /** One of the service's EDGE_TOKEN. A function is called for each call and each stream. */
  readonly token: string | (() => string);
  /** Called when the service is lost, once for each reason, and with what should not have happened. It must not throw. */
  readonly onError?: ((err: unknown) => void) | undefined;
  /** Default: this process' own. */
  readonly clocks?: Clocks | undefined;
}

/** The state of an edge. */
export interface EdgeStatus {
  /** Whether it follows a replica now. */
  readonly isConnected: boolean;
  /** For how many ms it may decide from now on, if nothing more arrives. 0: the service is asked. */
  readonly leaseMs: number;
  /** How many records it has, of keys and tenants. */
  readonly records: number;
  /** What they take, estimated. */
  readonly recordBytes: number;
  /** How long the last lease took to arrive, in ms. Undefined: none has. */
  readonly lagMs: number | undefined;
  /** Calls that it has decided, and calls that were put to the service because it could not. */
  readonly decided: number;
  readonly asked: number;
  /** Why it decides nothing although it is connected. Undefined: it does. */
  readonly problem: string | undefined;
}

/** Decides on calls in this process, as the service would (ADR 59). */
export interface Edge {
  /** Undefined: the service must be asked. */
  verify(question: EdgeQuestion): Awaitable<EdgeVerdict | undefined>;
  /** By which a front door of this process may decide now, as `verify` does. Undefined: the service must be asked. */
  gate(): EdgeGate | undefined;
  /** Counts a call of such a front door. */
  count(isDecided: boolean): void;
  /** Counts the use of the key, when the answer of such a front door is known. */
  conclude(call: Call): void;
  readonly status: EdgeStatus;
  /** Resolves when it has begun to follow, or after so many ms. */
  ready(timeoutMs: number): Promise<void>;
  /** Reports what it has decided, gives back what it has not spent, and ends. */
  close(): Promise<void>;
}

const RECORDS_MAX = 50_000;
const REPORT_MS = 500;
const CLOSE_MS = 2_000;
/** Between two looks at what is idle. */
const IDLE_MS = 250;

export function createEdge({ baseUrl, token, onError = () => {}, clocks }: EdgeOptions): Edge {
  const { transport, close: disconnect } = createEdgeTransport(
    baseUrl,
    typeof token === "string" ? () => token : token,
  );
  const client = createClient(EdgeService, transport);
  const lease = createEdgeLease(clocks);
  const cache = createRecordCache({ recordsMax: RECORDS_MAX, mayUse: lease.isHeld });
  let keepsRequests = false;
  let gate: EdgeGate | undefined;
  /** The last one: it counts also what another one has decided. */
  let concluding: EdgeGate | undefined;
  let verdicts: Verdicts | undefined;
  let problem: string | undefined;
  let decided = 0;
  let asked = 0;
  /** The reason that was reported last, while the service is away: each attempt to follow it would report it again. */
  let lostBy: string | undefined;
  const link = createLink({
    client,
    cache,
    lease,
    ...(clocks && { clocks }),
    onWelcome({ rules, settings }) {
      records.clear();
      if (rules !== RULES || settings === undefined) {
        problem = OTHER_RULES;
        onError(new Error(problem));
        gate = undefined;
        verdicts = undefined;
        return false;
      }
      problem = undefined;
      ({ keepsRequests } = settings);
      gate = createEdgeGate({ settings, records, limiter, reports, clock: link.clock, onError });
      concluding = gate;
      verdicts = createVerdicts(settings, gate);
      return true;
    },
    onChange(works, cause) {
      const reason = works || cause === undefined ? undefined : String(cause);
      if (reason !== undefined && reason !== lostBy) onError(cause);
      if (works || reason !== undefined) lostBy = reason;
    },
    // The network may drop its packets without a word: TCP alone would notice after a quarter of an hour.
    onSilence: disconnect,
  });
  const records = createEdgeRecords({ client, edgeId: () => link.edgeId, cache, clock: () => link.clock() });
  const limiter = createEdgeLimiter({ link, clock: () => link.clock() });
  const reports = createReports({ client, keepsRequests: () => keepsRequests });
  const reporting = setInterval(() => void reports.flush(), REPORT_MS);
  const idling = setInterval(() => limiter.returnIdle(), IDLE_MS);
  // They keep no process alive: a program that has nothing else to do ends.
  for (const timer of [reporting, idling]) timer.unref();

  function count(isDecided: boolean): void {
    if (isDecided) decided += 1;
    else asked += 1;
  }

  function counted(verdict: EdgeVerdict | undefined): EdgeVerdict | undefined {
    count(verdict !== undefined);
    return verdict;
  }

  return {
    verify(question) {
      if (verdicts === undefined || !lease.isHeld()) return counted(undefined);
      return after(verdicts(question), counted);
    },
    gate: () => (lease.isHeld() ? gate : undefined),
    count,
    conclude: (call) => concluding?.gate.conclude(call),
    get status() {
      const { records: count, bytes } = cache.usage;
      return {
        isConnected: link.isConnected,
        leaseMs: Math.floor(lease.leftMs()),
        records: count,
        recordBytes: bytes,
        lagMs: link.lagMs,
        decided,
        asked,
        problem,
      };
    },
    async ready(timeoutMs) {
      const timeUp = new AbortController();
      // In contrast to `AbortSignal.timeout`, it keeps the process alive that waits for it.
      const timer = setTimeout(() => timeUp.abort(), timeoutMs);
      await link.begun(timeUp.signal);
      clearTimeout(timer);
    },
    async close() {
      clearInterval(reporting);
      clearInterval(idling);
      gate = undefined;
      verdicts = undefined;
      limiter.returnIdle(true);
      // Twice: the first may have begun before the last decision.
      const reported = reports.flush().then(reports.flush);
      await Promise.race([reported, new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())]);
      await link.close();
      disconnect();
    },
  };
}

const OTHER_RULES =
  "the service decides by other rules than this edge, which therefore asks it about each call; use releases of one version";
