import { randomUUID } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { EdgeRequestSchema, EdgeService } from "../../gen/latchkey/v1/edge_service_pb.ts";
import type { ImpersonationRecorder } from "../domain/audit/audit-trail.ts";
import { WaitingImpersonations } from "../domain/audit/waiting-impersonations.ts";
import type { RequestRecorder } from "../domain/requests/request-log.ts";
import type { UsageRecorder } from "../domain/usage/usage-store.ts";
import { toEdgeImpersonations, toEdgeRequest } from "./messages.ts";

export interface ReportsContext {
  readonly client: Pick<Client<typeof EdgeService>, "report">;
  readonly keepsRequests: () => boolean;
}

/** The decisions of an edge, until the service has them. */
export interface Reports {
  readonly usage: Pick<UsageRecorder, "count">;
  readonly requestRecorder: Pick<RequestRecorder, "isOn" | "samples" | "record">;
  readonly impersonations: ImpersonationRecorder;
  /** Sends what there is: a batch that failed first, and again under its id, so that it counts once. Never rejects. */
  flush(): Promise<void>;
}

interface Uses {
  readonly keyId: string;
  readonly failure: string;
  count: number;
  atMs: number;
}

type Batch = Parameters<Client<typeof EdgeService>["report"]>[0];

/** In one batch, whose message may be as large as a request's body. */
const USES_MAX = 1_000;
const REQUESTS_MAX = 100;
const IMPERSONATIONS_MAX = { all: 500, ofTenant: 500 } as const;
/** Kept while the service is away; later ones are left out. */
const WAITING_REQUESTS_MAX = 1_000;
const REPORT_MS = 5_000;
const MINUTE_MS = 60_000;

export function createReports({ client, keepsRequests }: ReportsContext): Reports {
  const uses = new Map<string, Uses>();
  const requests: MessageInitShape<typeof EdgeRequestSchema>[] = [];
  const impersonations = new WaitingImpersonations();
  /** The minute of each key's last sample. */
  const sampled = new Map<string, number>();
  let unconfirmed: Batch | undefined;
  let flushing: Promise<void> | undefined;

  function nextBatch(): Batch | undefined {
    if (uses.size === 0 && requests.length === 0 && impersonations.size === 0) return undefined;
    const taken = [...uses.entries()].slice(0, USES_MAX);
    for (const [place] of taken) uses.delete(place);
    return {
      batchId: randomUUID(),
      uses: taken.map(([, { keyId, failure, count, atMs }]) => ({
        ...{ keyId, failure },
        count: BigInt(count),
        atMs: BigInt(atMs),
      })),
      requests: requests.splice(0, REQUESTS_MAX),
      impersonations: impersonations.take(IMPERSONATIONS_MAX).map(toEdgeImpersonations),
    };
  }

  async function send(): Promise<void> {
    let isMore = true;
    while (isMore) {
      // Reports during the last batch wait for the next time: else each report would bring about another.
      isMore = unconfirmed !== undefined || isMoreThanABatch();
      unconfirmed ??= nextBatch();
      if (unconfirmed === undefined) return;
      try {
        await client.report(unconfirmed, { timeoutMs: REPORT_MS });
      } catch {
        return;
      }
      unconfirmed = undefined;
    }
  }

  function isMoreThanABatch(): boolean {
    return uses.size > USES_MAX || requests.length > REQUESTS_MAX || impersonations.size > IMPERSONATIONS_MAX.all;
  }

  return {
    usage: {
      count(keyId, { failure = "", at }) {
        const place = `${keyId} ${failure}`;
        const known = uses.get(place);
        if (known === undefined) uses.set(place, { keyId, failure, count: 1, atMs: at.getTime() });
        else {
          known.count += 1;
          known.atMs = at.getTime();
        }
        return known === undefined;
      },
    },
    requestRecorder: {
      get isOn() {
        return keepsRequests();
      },
      samples(keyId, at) {
        if (!keepsRequests()) return false;
        const minute = Math.floor(at.getTime() / MINUTE_MS);
        if (sampled.get(keyId) === minute) return false;
        if (sampled.size >= USES_MAX) sampled.clear();
        sampled.set(keyId, minute);
        return true;
      },
      record(request) {
        if (requests.length < WAITING_REQUESTS_MAX) requests.push(toEdgeRequest(request));
      },
    },
    impersonations: {
      hasRoom: (at, caller) => impersonations.hasRoom(at, caller),
      record: (at, call, caller) => impersonations.add(at, call, caller),
    },
    flush() {
      flushing ??= send().finally(() => {
        flushing = undefined;
      });
      return flushing;
    },
  };
}
