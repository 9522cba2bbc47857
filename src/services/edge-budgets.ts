import type { DescMessage, Message, MessageInitShape } from "@bufbuild/protobuf";
import {
  type AskSlice,
  AskSliceSchema,
  type ReturnSlice,
  ReturnSliceSchema,
  type SliceSchema,
} from "../../gen/latchkey/v1/edge_service_pb.ts";
import { createGrants } from "../domain/edges/grants.ts";
import type { Limiter } from "../domain/limits/limiter.ts";
import { invalid, RequestFault } from "../domain/vocabulary/request-fault.ts";
import { fromRateLimit } from "./api-key-converter.ts";
import { toEdgeDecision, toEdgeState } from "./edge-converter.ts";

export interface EdgeBudgetsContext {
  readonly limiter: Limiter;
  /** Throws `RequestFault` for a message that breaks a rule. */
  readonly checkMessage: (schema: DescMessage, message: Message) => void;
  readonly onFailure: (err: unknown) => void;
}

/** Spends from keys' budgets for the edge of one stream. */
export interface EdgeBudgets {
  /** Never rejects. */
  ask(asked: AskSlice): Promise<MessageInitShape<typeof SliceSchema>>;
  /** Gives back at most what this stream was granted. Never rejects. */
  takeBack(returned: ReturnSlice): Promise<void>;
}

export function createEdgeBudgets({ limiter, checkMessage, onFailure }: EdgeBudgetsContext): EdgeBudgets {
  const grants = createGrants();

  /** A fault of the edge is not a failure of this replica. */
  function note(err: unknown): void {
    if (!(err instanceof RequestFault)) onFailure(err);
  }

  /** Of a request of a user nothing is kept to be spent later: it is spent itself. */
  async function spend(asked: AskSlice): Promise<MessageInitShape<typeof SliceSchema>> {
    checkMessage(AskSliceSchema, asked);
    const { number, budgetId, most } = asked;
    const limit = required("limit", fromRateLimit(asked.limit, "limit"));
    const spending = required("spending", asked.spending);
    if (asked.peek) {
      const peeked = await limiter.peek(budgetId, limit, spending);
      return { number, decision: { ...toEdgeState(peeked), atOnce: peeked.atOnce } };
    }
    if (spending.user !== undefined || most === 0) {
      const decision = await limiter.take(budgetId, limit, spending);
      const granted = decision.kind === "allow" ? (spending.cost ?? 1) : 0;
      return { number, granted, decision: toEdgeDecision(decision) };
    }
    const { isShared } = spending;
    const slice = await limiter.slice(budgetId, limit, { most, isShared });
    // Before the answer, so that what it gives back is known.
    grants.add({ budgetId, limit, isShared }, slice);
    const { granted, lifeMs, takenAtMs } = slice;
    const life = Number.isFinite(lifeMs) ? { lifeMs: BigInt(Math.floor(lifeMs)) } : {};
    return { number, granted, decision: toEdgeDecision(slice.decision), ...life, takenAtMs: BigInt(takenAtMs) };
  }

  return {
    async ask(asked) {
      try {
        return await spend(asked);
      } catch (err) {
        note(err);
        return { number: asked.number };
      }
    },
    async takeBack(returned) {
      try {
        checkMessage(ReturnSliceSchema, returned);
        const { budgetId, shared: isShared } = returned;
        const limit = required("limit", fromRateLimit(returned.limit, "limit"));
        const takenAtMs = Number(returned.takenAtMs);
        const unspent = grants.redeem({ budgetId, limit, isShared }, { unspent: returned.unspent, takenAtMs });
        if (unspent > 0) await limiter.giveBack(budgetId, limit, { unspent, takenAtMs, isShared });
      } catch (err) {
        note(err);
      }
    },
  };
}

/** Throws `RequestFault`. */
function required<Value>(field: string, value: Value | null | undefined): Value {
  if (value === undefined || value === null) throw invalid(field, "is required");
  return value;
}
